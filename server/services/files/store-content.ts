import { createHash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { files } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { fileStore } from "@/server/platform/files";
import { lockContent, objectKey, shown, uploadKey } from "./rows";
import { changeHeld, type Held } from "./writers";

export type Digest = { bytes: number; sha256: string };

/** Passes chunks on and computes their digest on the way. */
export function digesting(chunks: AsyncIterable<Uint8Array>) {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* passed() {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { chunks: passed(), digest: (): Digest => ({ bytes, sha256: hash.digest("hex") }) };
}

/** Refuses content that is not what its sender said it would be. */
export function requireDeclared(held: Held, { bytes, sha256 }: Digest) {
  if (held.bytes !== null && held.bytes !== bytes) {
    throw new ServiceError("conflict", `${bytes} of ${held.bytes} bytes have arrived.`);
  }
  if (held.sha256 !== null && held.sha256 !== sha256) {
    throw new ServiceError("unprocessable", "The content has another SHA-256 than declared.", {
      errors: [{ path: "/sha256", message: `The content's is ${sha256}.` }],
    });
  }
}

/** Decides where the content will lie: with that of another file of the project, where it is the same. */
const place = (ctx: Ctx, held: Held, { bytes, sha256 }: Digest) =>
  inTransaction(ctx, async (tx) => {
    if (held.object !== null) return held.object; // interrupted after this was decided
    await lockContent(tx, sha256);
    const [same] = await tx.db
      .select({ object: files.object })
      .from(files)
      .where(and(eq(files.projectId, tx.projectId), eq(files.sha256, sha256), eq(files.state, "stored")))
      .limit(1);
    // A name is used once: what is removed under it cannot be another's who has just stored the same.
    const object = same?.object ?? `${sha256}-${held.id}`;
    await changeHeld(tx, held, { state: "storing", bytes, sha256, object });
    return object;
  });

/**
 * Makes a complete upload a stored file: its row says where the content will lie, the content goes there, and the row says
 * that it is there. A crash between any two of these is taken up again by `files.finishUpload` or cleaned up.
 */
export async function storeContent(
  ctx: Ctx,
  held: Held,
  digest: Digest,
  commit: <T>(work: (tx: Ctx) => Promise<T>) => Promise<T>,
) {
  const store = fileStore();
  const object = await place(ctx, held, digest);
  if (object.endsWith(held.id)) await store.move(uploadKey(held), objectKey(ctx.projectId, object));
  else await store.abandon(uploadKey(held));
  return commit(async (tx) => {
    const stored = shown(await changeHeld(tx, held, { state: "stored", writer: null, writerUntil: null }));
    const { id, name, mediaType, bytes, sha256 } = stored;
    auditNote(tx, { target: { type: "file", id }, after: { name, mediaType, bytes, sha256 } });
    return stored;
  });
}
