import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { okReply } from "@/server/platform/schemas";
import { streamVerb } from "@/server/platform/stream-verb";
import { erase, markForErasure } from "./erase-files";
import { fileInput } from "./schemas";

export const deleteFile = streamVerb(
  {
    name: "files.delete",
    summary: "Delete a file, or an upload in progress.",
    description:
      "Its bytes are gone when this answers. Content that another file of the project has too stays with that.",
    effect: "write",
    capability: "project:data:write",
    input: fileInput,
    reply: okReply,
  },
  async (ctx, { fileId }, { commit }) => {
    const row = await commit(async (tx) => {
      const marked = await markForErasure(tx, fileId);
      if (!marked) throw notFound("The file");
      auditNote(tx, { target: { type: "file", id: fileId }, after: null });
      return marked;
    });
    // After the commit: the store may be a network away.
    await erase(ctx, row);
    return { ok: true as const };
  },
);
