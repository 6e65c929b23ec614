import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { fileStore } from "@/server/platform/files";
import { streamVerb } from "@/server/platform/stream-verb";
import { verb } from "@/server/platform/verb";
import { readFile, shown, uploadKey } from "./rows";
import { beginUploadInput, continueUploadInput, fileInput, fileReply, uploadedReply, uploadReply } from "./schemas";
import { digesting, requireDeclared, storeContent } from "./store-content";
import { CONTENT, CONTENT_SECONDS } from "./upload-file";
import { beginFile, type Held, hold, whileHeld } from "./writers";

export const beginUpload = verb(
  {
    name: "files.beginUpload",
    summary: "Begin an upload that may be interrupted.",
    description:
      "Its content comes with `files.continueUpload`, in as many requests as it takes, and becomes a file with `files.finishUpload`. An upload that nothing was added to for a day is removed.",
    effect: "write",
    capability: "project:data:write",
    input: beginUploadInput,
    reply: uploadReply,
  },
  async (ctx, input) => {
    const row = await beginFile(ctx, { ...input, resumable: true });
    auditNote(ctx, { target: { type: "file", id: row.id } });
    return { file: shown(row), uploadedBytes: 0 };
  },
);

/** Passes chunks on and refuses more than were announced. */
async function* upTo(room: number, chunks: AsyncIterable<Uint8Array>) {
  let left = room;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) throw new ServiceError("unprocessable", "More bytes came than the upload was begun with.");
    yield chunk;
  }
}

export const continueUpload = streamVerb(
  {
    name: "files.continueUpload",
    summary: "Add content to an upload.",
    description:
      "`offset` is how many bytes have safely arrived, as the last answer or `files.get` says in `uploadedBytes`; another is refused (409). What came of a connection that broke counts. One request at a time writes to an upload.",
    effect: "write",
    capability: "project:data:write",
    input: continueUploadInput,
    consumes: CONTENT,
    limits: { seconds: CONTENT_SECONDS },
    reply: uploadedReply,
    unaudited: "An upload has a row for its beginning and for its end.",
  },
  async (ctx, { fileId, offset }, { body }) => {
    const held = await hold(ctx, fileId);
    return whileHeld(ctx, held, async () => {
      const store = fileStore();
      const arrived = held.state === "uploading" ? await store.offset(uploadKey(held)) : (held.bytes as number);
      if (offset !== arrived) {
        throw new ServiceError("conflict", `${arrived} bytes have arrived: go on from there.`, {
          errors: [{ path: "/offset", message: `Send ${arrived}.` }],
        });
      }
      if (held.state === "uploading") {
        await store.append(uploadKey(held), upTo((held.bytes as number) - offset, body.chunks()));
      }
      return { uploadedBytes: await store.offset(uploadKey(held)) };
    });
  },
);

/** Reads what has arrived: its digest is of what is stored, not of what was sent. */
async function digestOf(held: Held, signal: AbortSignal) {
  const { chunks, digest } = digesting(await fileStore().read(uploadKey(held)));
  for await (const _ of chunks) signal.throwIfAborted();
  return digest();
}

export const finishUpload = streamVerb(
  {
    name: "files.finishUpload",
    summary: "Make an upload a file.",
    description:
      "Reads what has arrived and compares it with the size and the digest that were declared. It may be repeated: of a file that is stored already the answer is the file.",
    effect: "write",
    capability: "project:data:write",
    input: fileInput,
    limits: { seconds: CONTENT_SECONDS },
    reply: fileReply,
  },
  async (ctx, { fileId }, { commit, signal }) => {
    const row = await readFile(ctx, fileId);
    if (row.state === "stored") return { file: await commit(async () => shown(row)) };
    const held = await hold(ctx, fileId);
    return whileHeld(ctx, held, async () => {
      // Interrupted when its place was known already: what is left to do may be done again.
      if (held.state === "storing") {
        const known = { bytes: held.bytes as number, sha256: held.sha256 as string };
        return { file: await storeContent(ctx, held, known, commit) };
      }
      const bytes = await fileStore().offset(uploadKey(held));
      if (bytes !== held.bytes) throw new ServiceError("conflict", `${bytes} of ${held.bytes} bytes have arrived.`);
      await fileStore().complete(uploadKey(held));
      const digest = await digestOf(held, signal);
      requireDeclared(held, digest);
      return { file: await storeContent(ctx, held, digest, commit) };
    });
  },
);
