import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { findConversation } from "@/server/services/telemetry";
import { deleteConversationInput, previewDeletionInput, previewDeletionReply } from "./schemas";

type Preview = (typeof previewDeletionReply)["_output"]["preview"];

export const previewDeletion = verb(
  {
    name: "deletions.preview",
    summary: "Count what a deletion would take: of an end user's data or, where none is named, of the whole project.",
    description: "Counted exactly, so it may take seconds for a large project.",
    effect: "read",
    capability: "project:admin",
    input: previewDeletionInput,
    reply: previewDeletionReply,
  },
  async (ctx, { userId }) => ({
    preview:
      userId === undefined
        ? await countDoomed(ctx, "project", sql``)
        : await countDoomed(ctx, "user", sql`and user_id = ${userId}`),
  }),
);

export const previewConversationDeletion = verb(
  {
    name: "deletions.previewConversation",
    summary: "Count what the deletion of a conversation would take.",
    effect: "read",
    capability: "project:admin",
    input: deleteConversationInput,
    reply: previewDeletionReply,
  },
  async (ctx, { conversationId }) => {
    const { id } = await findConversation(ctx, conversationId);
    return { preview: await countDoomed(ctx, "conversation", sql`and id = ${id}`) };
  },
);

async function countDoomed(ctx: Ctx, scope: Preview["scope"], which: SQL): Promise<Preview> {
  const mine = sql`project_id = ${ctx.projectId}`;
  const inDoomed = scope === "project" ? sql`` : sql`and conversation_id in (select id from doomed)`;
  const onTraces =
    scope === "project"
      ? sql``
      : sql`and trace_id in (select id from traces where ${mine} and conversation_id in (select id from doomed))`;
  const rows = await ctx.db.execute<Record<string, number>>(sql`
    with doomed as materialized (select id from conversations where ${mine} ${which})
    select
      (select count(*)::int from doomed) as conversations,
      (select count(*)::int from traces where ${mine} ${inDoomed}) as traces,
      (select count(*)::int from spans where ${mine} ${onTraces}) as spans,
      (select count(*)::int from conversation_messages where ${mine} ${inDoomed}) as messages,
      (select count(*)::int from model_calls where ${mine} ${inDoomed}) as "modelCalls",
      (select count(*)::int from tool_calls where ${mine} ${inDoomed}) as "toolCalls",
      (select count(*)::int from log_records where ${mine} ${onTraces}) as "logRecords",
      (select count(*)::int from occurrences where ${mine} ${inDoomed}) as occurrences,
      (select count(*)::int from findings f where f.project_id = ${ctx.projectId} and not exists (
        select 1 from occurrences o where o.project_id = f.project_id and o.finding_id = f.id
          and o.conversation_id not in (select id from doomed))) as findings`);
  return { scope, ...rows[0] } as Preview;
}
