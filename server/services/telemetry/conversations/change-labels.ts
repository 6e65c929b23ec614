import { and, eq, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { conversations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { summaryOf } from "../projection/summary-row";
import { changedLabelsReply, changeLabelsInput, changeLabelsReply, LABELS_MAX } from "../schemas";
import { labelTerms } from "../search/search-terms";
import { lockCalls, mergeDuplicateTracesOf } from "./change-costs";
import { findConversation } from "./find-conversation";
import { allLabels } from "./own-labels";

export const changeLabels = verb(
  {
    name: "conversations.changeLabels",
    summary: "Add labels to a conversation, and remove labels that people added.",
    description: `Labels that the client sent cannot be removed; \`labels\` contains both. Adding a label that exists or removing one that does not has no effect: \`added\` and \`removed\` contain the actual changes. People can add at most ${LABELS_MAX} labels; merged conversations may exceed the limit, and then adding fails with 422 until enough are removed. Costs by label are updated immediately.`,
    effect: "write",
    capability: "diagnostics:write",
    input: changeLabelsInput,
    reply: changeLabelsReply,
    writeOnlyReply: { unless: ["diagnostics:read", "project:data:read"], reply: changedLabelsReply },
  },
  (ctx, { conversationId, add = [], remove = [] }) =>
    inTransaction(ctx, async (tx) => {
      const { id, traceIds, sent, own: before } = await lockLabels(tx, conversationId);
      const added = allLabels([], add).filter((label) => !before.includes(label));
      const removed = allLabels([], remove).filter((label) => before.includes(label));
      const own = allLabels(
        before.filter((label) => !removed.includes(label)),
        added,
      );
      if (added.length > 0 && own.length > Math.max(LABELS_MAX, before.length)) {
        throw unprocessable(
          "/add",
          `A conversation can have at most ${LABELS_MAX} labels from people; this would make ${own.length}.`,
        );
      }

      if (added.length + removed.length > 0) {
        const labels = allLabels(sent, own);
        await tx.db
          .update(conversations)
          .set({ ownLabels: own, labels })
          .where(and(eq(conversations.projectId, tx.projectId), eq(conversations.id, id)));
        await tx.db.execute(sql`
          update model_calls set labels = ${textArray(labels)}
          where project_id = ${tx.projectId} and conversation_id = ${id} and labels <> ${textArray(labels)}`);
        await tx.db.execute(sql`
          update conversation_search
          set terms = array(select term from unnest(terms) term where term not like 'label:%') || ${textArray(labelTerms(labels))}
          where project_id = ${tx.projectId} and conversation_id = ${id}`);
      }
      await mergeDuplicateTracesOf(tx, [id]);

      // Counts only: the audit log outlives the conversation, and labels are part of its content.
      auditNote(tx, {
        target: { type: "conversation", id },
        before: { labels: before.length },
        after: { labels: own.length },
      });
      return { conversation: summaryOf(await findNow(tx, id, traceIds)), added, removed };
    }),
);

/** How often a conversation may be merged into another while a request waits for its lock. */
const ATTEMPTS_MAX = 5;

/** Locks the conversation until the transaction ends, and returns its labels. */
async function lockLabels(tx: Ctx, conversationId: string) {
  let found = await findConversation(tx, conversationId);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { id, traceIds } = found;
    await lockCalls(tx, [id], []);
    const [row] = await tx.db
      .select({ sent: conversations.sentLabels, own: conversations.ownLabels })
      .from(conversations)
      .where(and(eq(conversations.projectId, tx.projectId), eq(conversations.id, id)));
    if (row) return { id, traceIds, ...row };
    found = await findNow(tx, id, traceIds);
  }
  throw notFound("Conversation");
}

/** Returns the conversation, or the one that it was merged into. */
async function findNow(tx: Ctx, id: string, traceIds: readonly string[]) {
  const [now] = await tx.db.execute<{ id: string | null }>(sql`
    select coalesce(
      (select id from conversations where project_id = ${tx.projectId} and id = ${id}),
      (select conversation_id from traces
       where project_id = ${tx.projectId} and id = any(${textArray([...traceIds])}) and conversation_id is not null
       order by id limit 1)
    ) as id`);
  return findConversation(tx, now?.id ?? id);
}
