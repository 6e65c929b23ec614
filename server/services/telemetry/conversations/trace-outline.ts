import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { excerpt } from "@/server/platform/excerpt";
import { verb } from "@/server/platform/verb";
import { readSpan } from "../otlp";
import { loadSpanOutlines } from "../projection/load-spans";
import { groupLogs } from "../projection/read-missing";
import { listSpanOutlinesInput, type SpanOutline, spanOutlinesReply } from "../schemas";
import { findTrace, LENGTH_IN_ROW, loadTypeLogOutlines, pageOfSpans } from "./trace-parts";

/** Bytes of a row that are read for each one that is returned, roughly: a page may read that much more than it returns. */
const READ_PER_RETURNED = 8;
const WORDS_CHARACTERS = 160;
/** Read of each text, so that the words are on one line whatever the space between them. */
const WORDS_READ = sql.raw(String(2 * WORDS_CHARACTERS));

export const listSpanOutlines = verb(
  {
    name: "traces.outline",
    summary: "List the spans of a trace without their attributes: what a tree of them shows, earliest start first.",
    description:
      "`model`, `usage` and `cost` are those of spans that are counted as model calls. `words` are the first words of what a call returned or a tool did, or the error. `unmapped` lists the attributes on this page that no reader recognised. `nextCursor` is `null` on the last page.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: listSpanOutlinesInput,
    reply: spanOutlinesReply,
  },
  async (ctx, { limit, cursor, ...input }) => {
    const { id: traceId, conversationId } = await findTrace(ctx, input.traceId);
    const unmapped = new Set<string>();
    const { rows: spans, nextCursor } = await pageOfSpans(
      ctx,
      { traceId, limit, cursor },
      {
        list: "outline",
        length: sql`${LENGTH_IN_ROW} / ${sql.raw(String(READ_PER_RETURNED))}`,
        read: (spanIds) => readOutlines(ctx, { traceId, conversationId, spanIds, unmapped }),
      },
    );
    return { spans, unmapped: [...unmapped].sort(), pagination: { limit, nextCursor } };
  },
);

type Wanted = { traceId: string; conversationId: string | null; spanIds: string[]; unmapped: Set<string> };

/** Returns spans in the order of these ids, and adds their attributes that no convention has to `unmapped`. */
async function readOutlines(ctx: Ctx, { traceId, conversationId, spanIds, unmapped }: Wanted): Promise<SpanOutline[]> {
  const spans = await loadSpanOutlines(ctx.db, ctx.projectId, traceId, spanIds);
  const logsOf = groupLogs(await loadTypeLogOutlines(ctx, traceId, spanIds));
  const calls = await callsOf(ctx, traceId, spanIds);
  const said = conversationId === null ? new Map() : await saidIn(ctx, conversationId, spanIds);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  return spanIds.flatMap((spanId): SpanOutline[] => {
    const span = byId.get(spanId);
    if (!span) return [];
    const reading = readSpan(span, logsOf(span));
    for (const name of reading.unmapped) unmapped.add(name);
    const call = calls.get(spanId);
    const words = said.get(spanId) || call?.tool || call?.error || span.status.message;
    return [
      {
        spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        type: reading.type,
        counted: call?.counted ?? false,
        status: span.status.code === 2 ? "error" : "ok",
        startedAt: span.startedUs / US_PER_MS,
        endedAt: span.endedUs / US_PER_MS,
        model: call?.model ?? null,
        usage: call?.usage ?? null,
        cost: call?.cost == null ? null : Number(call.cost),
        words: words ? excerpt(words, WORDS_CHARACTERS) || null : null,
      },
    ];
  });
}

const US_PER_MS = 1000;

type Call = {
  id: string;
  counted: boolean;
  model: string | null;
  usage: Record<string, number> | null;
  cost: string | null;
  tool: string | null;
  error: string | null;
};

/** Returns the model calls and tool calls that these spans of a trace report, by span. */
async function callsOf({ db, projectId }: Ctx, traceId: string, spanIds: readonly string[]) {
  const among = sql`project_id = ${projectId} and trace_id = ${traceId} and span_id = any(${textArray(spanIds)})`;
  const rows = await db.execute<Call>(sql`
    select span_id as id, true as counted, coalesce(response_model, requested_model) as model, usage, cost_total as cost,
      null as tool, left(error ->> 'message', ${WORDS_READ}) as error
    from model_calls where ${among}
    union all
    select span_id, false, null, null, null,
      concat_ws(' → ', nullif(left(arguments, ${WORDS_READ} / 4), ''), nullif(left(result, ${WORDS_READ}), '')),
      left(error ->> 'message', ${WORDS_READ})
    from tool_calls where ${among} and request_number = 0`);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Returns the beginning of what these spans of a conversation were the first to contain, by span: the last message of the
 * assistant, or without one the last message. A message without text is the tool that it calls.
 */
async function saidIn({ db, projectId }: Ctx, conversationId: string, spanIds: readonly string[]) {
  // Positions first, so that only the messages shown are read.
  const rows = await db.execute<{ id: string; words: string | null }>(sql`
    select k.span_id as id, coalesce(
      nullif(left((
        select string_agg(p ->> 'text', ' ') from jsonb_array_elements(m.parts) p where p ->> 'type' = 'text'
      ), ${WORDS_READ}), ''),
      (m.tool_calls -> 0 ->> 'name') || ' ' || left(m.tool_calls -> 0 ->> 'arguments', ${WORDS_READ})) as words
    from (
      select distinct on (span_id) span_id, position from conversation_messages
      where project_id = ${projectId} and conversation_id = ${conversationId} and span_id = any(${textArray(spanIds)})
      order by span_id, (role = 'assistant') desc, position desc
    ) k
    join conversation_messages m on m.project_id = ${projectId} and m.conversation_id = ${conversationId}
      and m.position = k.position`);
  return new Map(rows.map(({ id, words }) => [id, words]));
}
