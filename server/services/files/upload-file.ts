import { fileStore } from "@/server/platform/files";
import { streamVerb } from "@/server/platform/stream-verb";
import { discard } from "./erase-files";
import { uploadKey } from "./rows";
import { FILE_BYTES_MAX, fileReply, uploadFileInput } from "./schemas";
import { digesting, requireDeclared, storeContent } from "./store-content";
import { beginHeld, whileHeld } from "./writers";

/** What every operation that carries a file's content has in common. */
export const CONTENT = {
  types: { "application/octet-stream": { type: "string", format: "binary" } },
  maxBytes: FILE_BYTES_MAX,
} as const;
/** Long enough for the largest file over 12 Mbit/s. */
export const CONTENT_SECONDS = 3600;

export const uploadFile = streamVerb(
  {
    name: "files.upload",
    summary: "Upload a file in one request.",
    description:
      "The body is the content, up to 5 GiB; `mediaType` says what it is. It is stored whole or not at all: a connection that breaks leaves nothing. With `sha256` it is refused (422) when something else arrived. Files of a project with the same content take up its room once. What may be interrupted begins as `files.beginUpload`.",
    effect: "write",
    capability: "project:data:write",
    input: uploadFileInput,
    consumes: CONTENT,
    limits: { seconds: CONTENT_SECONDS },
    reply: fileReply,
  },
  async (ctx, input, { body, commit }) => {
    const held = await beginHeld(ctx, { ...input, resumable: false });
    try {
      return await whileHeld(ctx, held, async () => {
        const { chunks, digest } = digesting(body.chunks());
        await fileStore().append(uploadKey(held), chunks);
        const found = digest();
        requireDeclared(held, found);
        await fileStore().complete(uploadKey(held));
        return { file: await storeContent(ctx, held, found, commit) };
      });
    } catch (error) {
      await discard(ctx, held.id);
      throw error;
    }
  },
);
