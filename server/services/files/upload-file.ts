import { fileStore } from "@/server/platform/files";
import { streamVerb } from "@/server/platform/stream-verb";
import { discard } from "./erase-files";
import { uploadKey } from "./rows";
import { FILE_BYTES_MAX, fileReply, uploadFileInput } from "./schemas";
import { digesting, requireDeclared, storeContent } from "./store-content";
import { beginHeld, whileHeld } from "./writers";

/** The request body of operations on a file's content. */
export const CONTENT = {
  types: { "application/octet-stream": { type: "string", format: "binary" } },
  maxBytes: FILE_BYTES_MAX,
} as const;
/** Enough for the largest file at 12 Mbit/s. */
export const CONTENT_SECONDS = 3600;

export const uploadFile = streamVerb(
  {
    name: "files.upload",
    summary: "Upload a file in one request.",
    description:
      "The body is the content, up to 5 GiB, of type `mediaType`. It is stored completely or not at all: a broken connection leaves nothing behind. If `sha256` is given, other content is refused (422). Identical content is stored once per project. For a resumable upload, use `files.beginUpload`.",
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
