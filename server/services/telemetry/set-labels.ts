import { and, eq, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { conversations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { inTransaction } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { lockCalls, takeInStraysOf } from "./change-costs";
import { findConversation } from "./find-conversation";
import { allLabels } from "./own-labels";
import { conversationSummaryReply, setLabelsInput } from "./schemas";
import { labelTerms } from "./search-terms";
import { summaryOf } from "./summary-row";

export const setLabels = verb(
  {
    name: "conversations.setLabels",
    summary: "Label a conversation: the complete list of what people here label it with.",
    description:
      "Takes the place of the list before; an empty one takes all of them away. The labels that the client sent stay, and `labels` has both. What its calls cost is counted under the new labels at once.",
    effect: "write",
    capability: "diagnostics:write",
    input: setLabelsInput,
    reply: conversationSummaryReply,
  },
  (ctx, { conversationId, labels: given }) =>
    inTransaction(ctx, async (tx) => {
      const { id } = await findConversation(tx, conversationId);
      await lockCalls(tx, [id], []);
      const mine = and(eq(conversations.projectId, tx.projectId), eq(conversations.id, id));
      const [before] = await tx.db
        .select({ sent: conversations.sentLabels, own: conversations.ownLabels })
        .from(conversations)
        .where(mine);
      if (!before) throw notFound("Conversation");

      const own = allLabels([], given);
      const labels = allLabels(before.sent, own);
      await tx.db.update(conversations).set({ ownLabels: own, labels }).where(mine);
      await tx.db.execute(sql`
        update model_calls set labels = ${textArray(labels)}
        where project_id = ${tx.projectId} and conversation_id = ${id} and labels <> ${textArray(labels)}`);
      await tx.db.execute(sql`
        update conversation_search
        set terms = array(select term from unnest(terms) term where term not like 'label:%') || ${textArray(labelTerms(labels))}
        where project_id = ${tx.projectId} and conversation_id = ${id}`);
      await takeInStraysOf(tx, [id]);

      auditNote(tx, { target: { type: "conversation", id }, before: { labels: before.own }, after: { labels: own } });
      return { conversation: summaryOf(await findConversation(tx, id)) };
    }),
);
