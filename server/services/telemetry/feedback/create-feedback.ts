import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { conversations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { matchesConversationId } from "../ingest/conversation-key";
import { maskingOf } from "../ingest/masking-setting";
import { maskText } from "../masking";
import { type FeedbackRow, feedbackJson, feedbackRows, identityOf } from "./feedback-rows";
import { createFeedbackInput, feedbackReply, feedbackValue, givenFeedbackReply } from "./schemas";

export const createFeedback = verb(
  {
    name: "feedback.create",
    summary: "Record feedback of a user, or an evaluator's result, on a conversation or on one of its turns.",
    description:
      "`traceId` and `spanId` identify the turn. It is accepted before the conversation's telemetry has arrived: send the client's own conversation id, and it waits for up to 30 days. The same feedback sent again is stored once. A thumb or a score replaces the earlier one on the same turn; different comments and corrections are all kept. With `evaluatorKind` `model` or `code` it is the result of the evaluator `name`, such as a score that Langfuse, LangSmith or Phoenix has: it is shown and compared with what Rules find, and is no user's verdict. A `thumb` is `up` or `down`, a `score` a number (with `scale` if its range is not obvious), a `correction` what the answer should have been. The conversation is diagnosed again.",
    effect: "write",
    capability: "telemetry:write",
    input: createFeedbackInput,
    reply: feedbackReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: givenFeedbackReply },
  },
  async (ctx, input) => {
    const { kind, scale, traceId = null, spanId = null, name = null, evaluatorKind } = input;
    const { messages: masks } = await maskingOf(ctx);
    const masked = (text: string) => (masks ? maskText(text, { masked: 0 }) : text);
    const given = feedbackValue(input)!;
    const value = typeof given === "string" ? masked(given) : given;
    const comment = input.comment === undefined ? null : masked(input.comment);

    const conversation = await lockConversation(ctx, input.conversationId, traceId);
    const conversationRef = conversation?.externalId ?? conversation?.id ?? input.conversationId;
    const identity = identityOf({ conversationRef, traceId, spanId, name }, kind, value);
    const written = await ctx.db.execute<{ id: string }>(sql`
      insert into feedback (project_id, id, conversation_ref, conversation_id, trace_id, span_id, kind, name, value,
        scale_min, scale_max, comment, evaluator_kind, given_by_user, source, identity, given_at)
      values (${ctx.projectId}, ${newId("fbk")}, ${conversationRef}, ${conversation?.id ?? null}, ${traceId}, ${spanId},
        ${kind}, ${name}, ${JSON.stringify(value)}::text::jsonb, ${scale?.min ?? null}, ${scale?.max ?? null}, ${comment},
        ${evaluatorKind}, ${evaluatorKind === "human"}, 'api', ${identity}, ${NOW})
      on conflict (project_id, identity) do update set value = excluded.value, scale_min = excluded.scale_min,
        scale_max = excluded.scale_max, comment = excluded.comment, evaluator_kind = excluded.evaluator_kind,
        given_by_user = excluded.given_by_user, given_at = excluded.given_at, updated_at = ${NOW}
      where (feedback.value, feedback.scale_min, feedback.scale_max, feedback.comment, feedback.evaluator_kind)
        is distinct from (excluded.value, excluded.scale_min, excluded.scale_max, excluded.comment, excluded.evaluator_kind)
      returning id`);
    if (written.length > 0 && conversation) await makeDue(ctx, conversation.id);

    const [row] = await ctx.db.execute<FeedbackRow>(
      feedbackRows(sql`f.project_id = ${ctx.projectId} and f.identity = ${identity}`, sql`f.id`),
    );
    // Ids only: the audit log outlives the conversation, and what a user says is part of its content.
    auditNote(ctx, { target: { type: "feedback", id: row!.id }, after: { kind } });
    return { feedback: feedbackJson(row!) };
  },
);

/**
 * Locks and returns the conversation with this id, or else the one that the trace belongs to. Locked before feedback refers to
 * it: in the other order, a projector that moves its traces away would deadlock with this.
 */
async function lockConversation(ctx: Ctx, idOrExternalId: string, traceId: string | null) {
  const columns = { id: conversations.id, externalId: conversations.externalId };
  const [named] = await ctx.db
    .select(columns)
    .from(conversations)
    .where(and(eq(conversations.projectId, ctx.projectId), matchesConversationId(idOrExternalId)))
    .orderBy(sql`${conversations.id} = ${idOrExternalId} desc`)
    .limit(1)
    .for("no key update");
  if (named || traceId === null) return named;
  const [traced] = await ctx.db
    .select(columns)
    .from(conversations)
    .where(
      and(
        eq(conversations.projectId, ctx.projectId),
        sql`${conversations.id} = (select conversation_id from traces where project_id = ${ctx.projectId} and id = ${traceId})`,
      ),
    )
    .for("no key update");
  return traced;
}

/** Makes the conversation due for its next automatic diagnosis, since Rules read feedback. */
const makeDue = (ctx: Ctx, conversationId: string) =>
  ctx.db
    .update(conversations)
    .set({ diagnosedReceivedAt: null })
    .where(and(eq(conversations.projectId, ctx.projectId), eq(conversations.id, conversationId)));
