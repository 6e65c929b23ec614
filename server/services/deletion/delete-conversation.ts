import { and, eq } from "drizzle-orm";
import { traces } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { eraseMarkedFiles } from "@/server/services/files";
import { deleteUnusedContent, deleteUnusedSources, findConversation, lockSources } from "@/server/services/telemetry";
import { countRemainingOfConversation } from "./count-remaining";
import { deleteCounted } from "./delete-batch";
import { addCounts, completeReceipt, openReceipt, readReceipt } from "./deletion-receipt";
import { deleteConversationInput, deletedReply } from "./schemas";

export const deleteConversation = verb(
  {
    name: "conversations.delete",
    summary: "Delete one conversation with everything that was sent for it.",
    description:
      "Deletes its traces, spans, log records, messages, calls, Rule Runs, Occurrences and the Examples made from it, in every version of a Dataset, with the import files that contain them. Findings are recounted; those without another Occurrence are deleted. Spans of its traces that are sent again are rejected. Returns the receipt. Accepts Whetstone's id or the client's own.",
    effect: "write",
    capability: "project:admin",
    input: deleteConversationInput,
    reply: deletedReply,
  },
  {
    run: async (ctx, { conversationId }) => {
      const { id } = await findConversation(ctx, conversationId);
      // The client's own id may name a person, so the audit log records ours.
      auditNote(ctx, { target: { type: "conversation", id }, after: null });
      // Must precede any row lock: an ingest batch holds this lock while it waits for rows.
      await lockSources(ctx.db, ctx.projectId);
      const receiptId = await openReceipt(ctx, { scope: "conversation" });
      const its = await ctx.db
        .select({ id: traces.id })
        .from(traces)
        .where(and(eq(traces.projectId, ctx.projectId), eq(traces.conversationId, id)));
      const traceIds = its.map((trace) => trace.id);
      await deleteCounted(ctx, receiptId, [id], { remember: true });
      await addCounts(ctx.db, receiptId, await deleteUnusedSources(ctx), await deleteUnusedContent(ctx));
      await completeReceipt(ctx.db, receiptId, await countRemainingOfConversation(ctx, id, traceIds));
      return { ok: true as const, deletion: (await readReceipt(ctx, receiptId))! };
    },
    // After a crash, housekeeping erases what is marked.
    after: async (ctx) => eraseMarkedFiles(ctx),
  },
);
