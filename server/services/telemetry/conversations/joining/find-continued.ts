import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import { continuedReply, findContinuedInput } from "../../schemas";
import { findConversation } from "../find-conversation";

/** How long after another a conversation may begin that continues it. */
const WITHIN_MS = DAY_MS;
/** The newest conversations that are compared, and the messages of each. */
const COMPARED = 500;
const MESSAGES = 200;
/** Fewer equal messages are a greeting, which many conversations begin with. */
const MESSAGES_MIN = 2;

export const findContinued = verb(
  {
    name: "conversations.findContinued",
    summary: "Find the conversation that this one continues, if its client sent no id.",
    description: `A client without a conversation id sends each turn as a conversation of its own, which repeats the messages before it. \`continued\` is the newest one with the most messages, all of which this one begins with: at least ${MESSAGES_MIN}, one of them an answer, from the same service and user, among the newest ${COMPARED} that began in the 24 hours before. \`null\` if there is none, or if this conversation has an id of its client's. System prompts are not compared.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: findContinuedInput,
    reply: continuedReply,
  },
  async (ctx, { conversationId }) => {
    const { id, externalId } = await findConversation(ctx, conversationId);
    const [source] = await ctx.db.execute<{ scope_name: string }>(sql`
      select o.scope_name from ${sourceOf(ctx, sql`${id}`)} o`);
    const instrumentation = source?.scope_name || null;
    if (externalId !== null) return { continued: null, instrumentation };
    return { continued: await continuedBy(ctx, id), instrumentation };
  },
);

/** The source of a conversation's first span, as a subquery. */
const sourceOf = ({ projectId }: Ctx, conversationId: ReturnType<typeof sql>) => sql`(
  select s.scope_name, s.resource ->> 'service.name' as service
  from traces t join spans p on p.project_id = t.project_id and p.trace_id = t.id
  join span_sources s on s.project_id = p.project_id and s.id = p.source_id
  where t.project_id = ${projectId} and t.conversation_id = ${conversationId} order by p.started_us, p.span_id limit 1)`;

type Row = { id: string; preview: string | null; started_at: string; messages: number };

async function continuedBy(ctx: Ctx, id: string) {
  const messagesOf = (conversationId: ReturnType<typeof sql>) => sql`
    select row_number() over (order by position) as nth, role, parts from conversation_messages
    where project_id = ${ctx.projectId} and conversation_id = ${conversationId}
      and role not in ('system', 'developer') and agent is null
    order by position limit ${MESSAGES}`;
  const [row] = await ctx.db.execute<Row>(sql`
    with this as (
      select c.id, c.user_id, c.started_at, o.service from conversations c left join lateral ${sourceOf(ctx, sql`c.id`)} o on true
      where c.project_id = ${ctx.projectId} and c.id = ${id}
    ),
    own as materialized (${messagesOf(sql`${id}`)}),
    before as (
      select c.id, c.preview, c.started_at from conversations c, this
      where c.project_id = ${ctx.projectId} and c.id <> this.id and c.started_at <= this.started_at
        and c.started_at > this.started_at - ${WITHIN_MS}::bigint and c.user_id is not distinct from this.user_id
      order by c.started_at desc, c.id desc limit ${COMPARED}
    )
    select b.id, b.preview, b.started_at, m.messages from before b
    cross join lateral (
      select count(*)::int as messages, count(*) filter (where own.parts = theirs.parts and own.role = theirs.role)::int as equal,
        bool_or(theirs.role = 'assistant') as is_answered
      from (${messagesOf(sql`b.id`)}) theirs left join own using (nth)
    ) m
    where m.messages >= ${MESSAGES_MIN} and m.equal = m.messages and m.is_answered
      and m.messages < (select count(*) from own)
      and (select service from this) is not distinct from (select service from ${sourceOf(ctx, sql`b.id`)} o)
    order by m.messages desc, b.started_at desc, b.id desc limit 1`);
  if (!row) return null;
  return { conversationId: row.id, preview: row.preview, startedAt: Number(row.started_at), messages: row.messages };
}
