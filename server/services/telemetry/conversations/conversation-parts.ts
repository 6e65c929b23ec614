import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { conversationMessages, modelCalls, toolCalls } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { type Cost, completeCost } from "@/server/services/pricing";
import type { MessagePart, MessageToolCall, SpanError } from "../schemas";
import { fitting, partsPage } from "./parts-page";

type Page = { conversationId: string; limit: number; cursor?: string | undefined };

/** Returns messages of a conversation of the context's project (our id) by their index, from `fromIndex` on, of a span if given. */
export function messagesPage(ctx: Ctx, page: Page & { fromIndex?: number | undefined; spanId?: string | undefined }) {
  const { conversationId, fromIndex, spanId } = page;
  return partsPage({
    ...page,
    list: "messages",
    filters: { project: ctx.projectId, conversationId, fromIndex, spanId },
    keysAfter: async (position, most) => [
      ...(await ctx.db.execute<{ index: number; length: number }>(sql`
        select m.position as index, octet_length(m.parts::text) + octet_length(m.tool_calls::text) as length
        from conversation_messages m
        where m.project_id = ${ctx.projectId} and m.conversation_id = ${conversationId}
          ${spanId === undefined ? sql`` : sql`and m.span_id = ${spanId}`}
          and m.position > ${position ? position[0] : (fromIndex ?? 0) - 1}::bigint
        order by m.position limit ${most}`)),
    ],
    read: async (keys) =>
      (
        await ctx.db
          .select()
          .from(conversationMessages)
          .where(
            and(
              eq(conversationMessages.projectId, ctx.projectId),
              eq(conversationMessages.conversationId, conversationId),
              sql`${conversationMessages.position} between ${keys[0]?.index}::int and ${keys.at(-1)?.index}::int`,
              spanId === undefined ? undefined : eq(conversationMessages.spanId, spanId),
            ),
          )
          .orderBy(asc(conversationMessages.position))
      ).map(messageOf),
    positionOf: ({ index }) => [index, ""],
  });
}

type CallKey = {
  at: string;
  place: number;
  trace_id: string;
  span_id: string;
  request_number: number;
  length: number;
};

/** Tables of calls `c`, with the SQL for what tells calls of one span apart, and for the bytes of a call's texts. */
export const TABLES = {
  model_calls: {
    list: "model calls",
    table: modelCalls,
    requestNumber: sql`0`,
    length: sql`coalesce(octet_length(c.raw_usage::text), 0) + coalesce(octet_length(c.cost::text), 0)
      + coalesce(octet_length(c.error::text), 0)`,
  },
  tool_calls: {
    list: "tool calls",
    table: toolCalls,
    requestNumber: sql`c.request_number`,
    length: sql`coalesce(octet_length(c.arguments), 0) + coalesce(octet_length(c.result), 0)
      + coalesce(octet_length(c.error::text), 0)`,
  },
} as const;

/** Pages the keys of calls by start, those of one millisecond in their order in the conversation. */
function callsPage<Name extends keyof typeof TABLES>(ctx: Ctx, name: Name, { conversationId, ...page }: Page) {
  const { list, length, requestNumber } = TABLES[name];
  return partsPage({
    ...page,
    list,
    filters: { project: ctx.projectId, conversationId },
    keysAfter: async (position, most) => {
      const [spanId = "", traceId = "", place = "0"] = position?.[1].split(" ").reverse() ?? [];
      const after = position
        ? sql`and (c.started_at, c.place, c.trace_id, c.span_id) >
            (${position[0]}::bigint, ${place}::text::int, ${traceId}::text, ${spanId}::text)`
        : sql``;
      return [
        ...(await ctx.db.execute<CallKey>(sql`
          select k.started_at as at, k.place, k.trace_id, k.span_id, k.request_number, ${length} as length
          from (
            select c.project_id, c.started_at, c.place, c.trace_id, c.span_id, ${requestNumber} as request_number from ${sql.identifier(name)} c
            where c.project_id = ${ctx.projectId} and c.conversation_id = ${conversationId} ${after}
            order by c.started_at, c.place, c.trace_id, c.span_id limit ${most}
          ) k
          join ${sql.identifier(name)} c on c.project_id = k.project_id and c.trace_id = k.trace_id
            and c.span_id = k.span_id and ${requestNumber} = k.request_number
          order by k.started_at, k.place, k.trace_id, k.span_id`)),
      ];
    },
    read: async (keys) => keys,
    positionOf: (key) => [Number(key.at), `${key.place} ${key.trace_id} ${key.span_id}`],
  });
}

/** Condition: the call has one of these keys. */
export const amongKeys = (
  table: typeof modelCalls | typeof toolCalls,
  keys: readonly Pick<CallKey, "trace_id" | "span_id" | "request_number">[],
): SQL => {
  const requestNumber = "requestNumber" in table ? table.requestNumber : sql`0`;
  return sql`(${table.traceId}, ${table.spanId}, ${requestNumber}) in (
    select * from unnest(${textArray(keys.map((key) => key.trace_id))}, ${textArray(keys.map((key) => key.span_id))},
      ${sql.param(keys.map((key) => key.request_number))}::int[]))`;
};

/** Orders calls by start, those of one millisecond as in their conversation. */
export const inOrder = (table: typeof modelCalls | typeof toolCalls) => [
  asc(table.startedAt),
  asc(table.place),
  asc(table.traceId),
  asc(table.spanId),
];

/** Returns model calls of a conversation of the context's project (our id), oldest first. */
export async function modelCallsPage(ctx: Ctx, page: Page) {
  const { rows: keys, nextCursor } = await callsPage(ctx, "model_calls", page);
  const rows = await ctx.db
    .select()
    .from(modelCalls)
    .where(and(eq(modelCalls.projectId, ctx.projectId), amongKeys(modelCalls, keys)))
    .orderBy(...inOrder(modelCalls));
  return { rows: rows.map(modelCallOf), nextCursor };
}

/** Returns tool calls of a conversation of the context's project (our id), oldest first. */
export async function toolCallsPage(ctx: Ctx, page: Page) {
  const { rows: keys, nextCursor } = await callsPage(ctx, "tool_calls", page);
  return { rows: await readToolCalls(ctx, keys), nextCursor };
}

/** Returns the newest tool call with a span of its own for each of these ids in a conversation, as many as fit on a page. */
export async function toolCallsNamed(ctx: Ctx, conversationId: string, callIds: readonly string[]) {
  if (callIds.length === 0) return [];
  const keys = await ctx.db.execute<CallKey>(sql`
    select distinct on (c.call_id) c.started_at as at, c.place, c.trace_id, c.span_id, c.request_number, ${TABLES.tool_calls.length} as length
    from tool_calls c
    where c.project_id = ${ctx.projectId} and c.conversation_id = ${conversationId} and c.call_id = any(${textArray(callIds)})
      and c.request_number = 0
    order by c.call_id, c.started_at desc, c.place desc, c.trace_id desc, c.span_id desc`);
  return readToolCalls(ctx, fitting([...keys], keys.length));
}

const readToolCalls = async (ctx: Ctx, keys: readonly CallKey[]) =>
  (
    await ctx.db
      .select()
      .from(toolCalls)
      .where(and(eq(toolCalls.projectId, ctx.projectId), amongKeys(toolCalls, keys)))
      .orderBy(...inOrder(toolCalls))
  ).map(toolCallOf);

export const messageOf = ({ position, ...row }: typeof conversationMessages.$inferSelect) => ({
  ...row,
  index: position,
  parts: row.parts as MessagePart[],
  toolCalls: row.toolCalls as MessageToolCall[],
});

export const modelCallOf = (row: typeof modelCalls.$inferSelect) => ({
  ...row,
  error: row.error as SpanError | null,
  cost: row.cost === null ? null : completeCost(row.cost as Cost),
  reportedCost: row.reportedCost === null ? null : Number(row.reportedCost),
  prompt: row.promptName === null ? null : { name: row.promptName, version: row.promptVersion },
});

export const toolCallOf = (row: typeof toolCalls.$inferSelect) => ({
  ...row,
  error: row.error as SpanError | null,
  reported: row.requestNumber === 0 ? ("span" as const) : ("message" as const),
});
