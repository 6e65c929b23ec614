import { createHash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { files } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { fileStore } from "@/server/platform/files";
import { fileJson, lockContent, objectKey, uploadKey } from "./rows";
import { changeHeld, type Held } from "./writers";

export type Digest = { bytes: number; sha256: string };

/** Returns the chunks, and their digest once they have been read. */
export function digesting(chunks: AsyncIterable<Uint8Array>) {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* hashed() {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { chunks: hashed(), digest: (): Digest => ({ bytes, sha256: hash.digest("hex") }) };
}

/** Throws if the content differs from its declared size or digest. */
export function requireDeclared(held: Held, { bytes, sha256 }: Digest) {
  if (held.bytes !== null && held.bytes !== bytes) {
    throw new ServiceError("conflict", `${bytes} of ${held.bytes} bytes are stored.`);
  }
  if (held.sha256 !== null && held.sha256 !== sha256) {
    throw new ServiceError("unprocessable", "The content's SHA-256 differs from the declared one.", {
      errors: [{ path: "/sha256", message: `The content has ${sha256}.` }],
    });
  }
}

/** Returns the object for the content: that of another file of the project with the same content, or a new one. */
const chooseObject = (ctx: Ctx, held: Held, { bytes, sha256 }: Digest) =>
  inTransaction(ctx, async (tx) => {
    if (held.object !== null) return held.object; // decided before an interruption
    await lockContent(tx, sha256);
    const [same] = await tx.db
      .select({ object: files.object })
      .from(files)
      .where(and(eq(files.projectId, tx.projectId), eq(files.sha256, sha256), eq(files.state, "stored")))
      .limit(1);
    // Never reused, so an erasure cannot hit the same content that another request is storing at that moment.
    const object = same?.object ?? `${sha256}-${held.id}`;
    await changeHeld(tx, held, { state: "storing", bytes, sha256, object });
    return object;
  });

/**
 * Makes a complete upload a stored file: records its object in the row, moves the content there, and marks the row as stored.
 * After a crash in between, `files.finishUpload` resumes or housekeeping cleans up.
 */
export async function storeContent(
  ctx: Ctx,
  held: Held,
  digest: Digest,
  commit: <T>(work: (tx: Ctx) => Promise<T>) => Promise<T>,
) {
  const store = fileStore();
  const object = await chooseObject(ctx, held, digest);
  if (object.endsWith(held.id)) await store.move(uploadKey(held), objectKey(ctx.projectId, object));
  else await store.abandon(uploadKey(held));
  return commit(async (tx) => {
    const stored = fileJson(await changeHeld(tx, held, { state: "stored", writer: null, writerUntil: null }));
    const { id, name, mediaType, bytes, sha256 } = stored;
    auditNote(tx, { target: { type: "file", id }, after: { name, mediaType, bytes, sha256 } });
    return stored;
  });
}
