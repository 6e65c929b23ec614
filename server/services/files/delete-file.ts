import { auditNote } from "@/server/platform/audit";
import { notFound, ServiceError } from "@/server/platform/errors";
import { okReply } from "@/server/platform/schemas";
import { streamVerb } from "@/server/platform/stream-verb";
import { erase, markForErasure } from "./erase-files";
import { fileInput } from "./schemas";

export const deleteFile = streamVerb(
  {
    name: "files.delete",
    summary: "Delete a file, or an upload in progress.",
    description:
      "The content is erased before the response. Content shared with another file of the project is kept for that file.",
    effect: "write",
    capability: "project:data:write",
    input: fileInput,
    reply: okReply,
  },
  async (ctx, { fileId }, { commit }) => {
    const row = await commit(async (tx) => {
      const marked = await markForErasure(tx, fileId);
      if (!marked) throw notFound("The file");
      if (marked.kind === "manifest") {
        throw new ServiceError("conflict", "This file contains the Examples of a training job and can't be deleted.");
      }
      auditNote(tx, { target: { type: "file", id: fileId }, after: null });
      return marked;
    });
    // After the commit, because the store may be across the network.
    await erase(ctx, row);
    return { ok: true as const };
  },
);
