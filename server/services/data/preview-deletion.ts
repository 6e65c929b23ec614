import { and, desc, eq, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { findConversation } from "@/server/services/telemetry";
import { type DeletionPreview, deleteConversationInput, previewDeletionInput, previewDeletionReply } from "./schemas";
import { measuredRows } from "./stored-sizes";

/** Conversations whose rows are counted: beyond this a person wants to know that there are many, and not to wait. */
const COUNTED = 500;

export const previewDeletion = verb(
  {
    name: "deletions.preview",
    summary: "Count what a deletion would take: of an end user's data or, where none is named, of the whole project.",
    description: `Counting stops at ${COUNTED} conversations: \`complete\` is \`false\`, and there is more than is said. Of a project with more the figures are those of the last measurement (\`measuredAt\`), where there was one.`,
    effect: "read",
    capability: "project:admin",
    input: previewDeletionInput,
    reply: previewDeletionReply,
  },
  async (ctx, { userId }) => ({ preview: userId === undefined ? await ofProject(ctx) : await ofUser(ctx, userId) }),
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
    return { preview: await counted(ctx, "conversation", [id]) };
  },
);

async function ofProject(ctx: Ctx): Promise<DeletionPreview> {
  const preview = await counted(ctx, "project", await newest(ctx));
  if (preview.complete) return preview;
  const measured = await measuredRows(ctx);
  if (!measured) return preview;
  const rows = (table: Parameters<typeof measured.of>[0]) => measured.of(table);
  return {
    scope: "project",
    conversations: rows("conversations"),
    traces: rows("traces"),
    spans: rows("spans"),
    messages: rows("conversation_messages"),
    modelCalls: rows("model_calls"),
    toolCalls: rows("tool_calls"),
    logRecords: rows("log_records"),
    occurrences: rows("occurrences"),
    findings: rows("findings"),
    complete: true,
    measuredAt: measured.at,
  };
}

const ofUser = async (ctx: Ctx, userId: string) => counted(ctx, "user", await newest(ctx, userId));

/** One more than is counted tells that there are more. */
async function newest(ctx: Ctx, userId?: string): Promise<string[]> {
  const rows = await ctx.db
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      and(
        eq(conversations.projectId, ctx.projectId),
        userId === undefined ? undefined : eq(conversations.userId, userId),
      ),
    )
    .orderBy(desc(conversations.startedAt), desc(conversations.id))
    .limit(COUNTED + 1);
  return rows.map(({ id }) => id);
}

/** A Finding goes when these conversations are all that show it. */
async function counted(ctx: Ctx, scope: DeletionPreview["scope"], found: readonly string[]): Promise<DeletionPreview> {
  // Not as they stand: planning would weigh each of them against the statistics, again for every table.
  const ids = sql`array(select unnest(${sql.param(found.slice(0, COUNTED))}::text[]))`;
  const mine = sql`project_id = ${ctx.projectId}`;
  const ofThese = sql`${mine} and conversation_id = any(${ids})`;
  const ofTraces = sql`${mine} and trace_id = any(array(select id from traces where ${ofThese}))`;
  const count = (table: string, where: typeof mine) =>
    sql`(select count(*)::int from ${sql.identifier(table)} where ${where})`;
  const rows = await ctx.db.execute<Record<string, number>>(sql`
    select ${count("traces", ofThese)} as traces, ${count("spans", ofTraces)} as spans,
      ${count("conversation_messages", ofThese)} as messages, ${count("model_calls", ofThese)} as "modelCalls",
      ${count("tool_calls", ofThese)} as "toolCalls", ${count("log_records", ofTraces)} as "logRecords",
      ${count("occurrences", ofThese)} as occurrences,
      (select count(*)::int from (
        select finding_id, count(*) as shown from occurrences where ${ofThese} group by finding_id
      ) o join findings f on f.project_id = ${ctx.projectId} and f.id = o.finding_id and f.occurrence_count <= o.shown) as findings`);
  const counts = rows[0] as Pick<DeletionPreview, "spans">;
  return {
    scope,
    conversations: Math.min(found.length, COUNTED),
    ...(counts as Omit<DeletionPreview, "scope" | "conversations" | "complete" | "measuredAt">),
    complete: found.length <= COUNTED,
    measuredAt: null,
  };
}
