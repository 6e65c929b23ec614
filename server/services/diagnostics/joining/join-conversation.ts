import { sql } from "drizzle-orm";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { findConversation, joinTraces } from "@/server/services/telemetry";
import { joinConversationInput, joinedReply } from "@/server/services/telemetry/schemas";
import { lockFindingsIn } from "../findings/counts/lock-findings-in";
import { type CountedOccurrence, occurrenceChanges } from "../findings/counts/occurrence-changes";
import { refreshFindings } from "../findings/counts/refresh-findings";

export const joinConversation = verb(
  {
    name: "conversations.join",
    summary: "Join a conversation, whose client sent no id, with the one that it continues.",
    description:
      "Its traces move there with their labels, feedback, Occurrences and Examples, spans that arrive later follow, and the conversation itself no longer exists. The other one is read and diagnosed again within seconds. This cannot be undone. `conflict` if the client has given it an id.",
    effect: "write",
    capability: "diagnostics:write",
    input: joinConversationInput,
    reply: joinedReply,
  },
  async (ctx, { conversationId, into: target }) => {
    const from = (await findConversation(ctx, conversationId)).id;
    const into = (await findConversation(ctx, target)).id;
    if (from === into) throw unprocessable("/into", "A conversation cannot be joined with itself.");
    await lockFindingsIn(ctx, [from, into], "no key update");
    const { changes, removed } = occurrenceChanges();
    for (const row of await moveOccurrences(ctx, { from, into })) removed(row);
    await joinTraces(ctx, { from, into });
    await refreshFindings(ctx, { changes, conversationIds: [into], origin: null });
    auditNote(ctx, { target: { type: "conversation", id: into }, after: { joined: from } });
    return { conversationId: into };
  },
);

/** Moves Occurrences, and deletes and returns those of Findings that the other conversation has, too. */
async function moveOccurrences({ db, projectId }: Ctx, { from, into }: { from: string; into: string }) {
  await db.execute(sql`
    update occurrences o set conversation_id = ${into}, rule_run_id = null
    where o.project_id = ${projectId} and o.conversation_id = ${from} and not exists (
      select 1 from occurrences t
      where t.project_id = o.project_id and t.finding_id = o.finding_id and t.conversation_id = ${into})`);
  return db.execute<CountedOccurrence>(sql`
    delete from occurrences where project_id = ${projectId} and conversation_id = ${from}
    returning finding_id, detected_at, cause_ids`);
}
