import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { fileStore } from "@/server/platform/files";
import { streamVerb } from "@/server/platform/stream-verb";
import { verb } from "@/server/platform/verb";
import { fileJson, readFile, uploadKey } from "./rows";
import { beginUploadInput, continueUploadInput, fileInput, fileReply, uploadedReply, uploadReply } from "./schemas";
import { digesting, requireDeclared, storeContent } from "./store-content";
import { CONTENT, CONTENT_SECONDS } from "./upload-file";
import { beginFile, type Held, hold, whileHeld } from "./writers";

export const beginUpload = verb(
  {
    name: "files.beginUpload",
    summary: "Begin a resumable upload.",
    description:
      "Send its content with `files.continueUpload`, in any number of requests, then make it a file with `files.finishUpload`. An upload that is idle for a day is removed.",
    effect: "write",
    capability: "project:data:write",
    input: beginUploadInput,
    reply: uploadReply,
  },
  async (ctx, input) => {
    const row = await beginFile(ctx, { ...input, resumable: true });
    auditNote(ctx, { target: { type: "file", id: row.id } });
    return { file: fileJson(row), uploadedBytes: 0 };
  },
);

/** Yields the chunks; throws `unprocessable` once they exceed the declared size. */
async function* upTo(room: number, chunks: AsyncIterable<Uint8Array>) {
  let left = room;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0)
      throw new ServiceError("unprocessable", "The content is larger than the size declared when the upload began.");
    yield chunk;
  }
}

export const continueUpload = streamVerb(
  {
    name: "files.continueUpload",
    summary: "Add content to a resumable upload.",
    description:
      "`offset` is the number of bytes stored so far, as `uploadedBytes` of the last response or of `files.get`; any other is a 409. Bytes received before a lost connection are kept. Only one request at a time can write to an upload.",
    effect: "write",
    capability: "project:data:write",
    input: continueUploadInput,
    consumes: CONTENT,
    limits: { seconds: CONTENT_SECONDS },
    reply: uploadedReply,
    unaudited: "The beginning and the end of an upload are audited.",
  },
  async (ctx, { fileId, offset }, { body }) => {
    const held = await hold(ctx, fileId);
    return whileHeld(ctx, held, async () => {
      const store = fileStore();
      const uploaded = held.state === "uploading" ? await store.offset(uploadKey(held)) : (held.bytes as number);
      if (offset !== uploaded) {
        throw new ServiceError("conflict", `${uploaded} bytes are stored: resume from there.`, {
          errors: [{ path: "/offset", message: `Send ${uploaded}.` }],
        });
      }
      if (held.state === "uploading") {
        await store.append(uploadKey(held), upTo((held.bytes as number) - offset, body.chunks()));
      }
      return { uploadedBytes: await store.offset(uploadKey(held)) };
    });
  },
);

/** Computes the digest of an upload from the store, so that it covers what is stored rather than what was sent. */
async function digestOf(held: Held, signal: AbortSignal) {
  const { chunks, digest } = digesting(await fileStore().read(uploadKey(held)));
  for await (const _ of chunks) signal.throwIfAborted();
  return digest();
}

export const finishUpload = streamVerb(
  {
    name: "files.finishUpload",
    summary: "Finish a resumable upload and make it a file.",
    description:
      "Checks the stored content against the declared size and digest. Idempotent: for a finished upload it returns the file.",
    effect: "write",
    capability: "project:data:write",
    input: fileInput,
    limits: { seconds: CONTENT_SECONDS },
    reply: fileReply,
  },
  async (ctx, { fileId }, { commit, signal }) => {
    const row = await readFile(ctx, fileId);
    if (row.state === "stored") return { file: await commit(async () => fileJson(row)) };
    const held = await hold(ctx, fileId);
    return whileHeld(ctx, held, async () => {
      // Interrupted after its object was decided: the remaining steps are idempotent.
      if (held.state === "storing") {
        const known = { bytes: held.bytes as number, sha256: held.sha256 as string };
        return { file: await storeContent(ctx, held, known, commit) };
      }
      const bytes = await fileStore().offset(uploadKey(held));
      if (bytes !== held.bytes) throw new ServiceError("conflict", `${bytes} of ${held.bytes} bytes are stored.`);
      await fileStore().complete(uploadKey(held));
      const digest = await digestOf(held, signal);
      requireDeclared(held, digest);
      return { file: await storeContent(ctx, held, digest, commit) };
    });
  },
);
