import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { conversationMessages, modelCalls, toolCalls } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { feedbackOf, feedbackOn, type SnapshotFeedback } from "../feedback";
import { amongKeys, asTheyEnded, messageOf, modelCallOf, TABLES, toolCallOf } from "./conversation-parts";
import { inPieces } from "./in-pieces";
import {
  conversationsOf,
  isWhole,
  readSnapshots,
  type Snapshot,
  type SnapshotContent,
  unknownIn,
} from "./read-snapshots";
import { layoutWindows, type Range, WINDOW, type WindowRange, type WindowSize } from "./window-layout";

/**
 * A part of a long conversation: consecutive messages with their calls. Before them, as context, are the conversation's first
 * messages (its instructions and first exchange) and the user's last message.
 */
export type SnapshotWindow = SnapshotContent & {
  /** Positions of the messages that this window owns. Every position and every call is owned by exactly one window. */
  owns: Range;
  /** Position of the first message that the next window reads; `null` in the last. */
  nextFrom: number | null;
  isLast: boolean;
  /** Position of the message that each call in the window belongs to, by the call's span. */
  callPositions: ReadonlyMap<string, number>;
  /** All feedback on the conversation; `messageIndex` is a position. */
  allFeedback: readonly SnapshotFeedback[];
};

/**
 * Stored bytes above which a conversation is read in windows. Postgres compresses text two to four times, so this is about one
 * window's worth; the compressed size is available without reading the text.
 */
const storedBytesOf = ({ bytes }: WindowSize) => bytes / 4;

/** What is known of a snapshot before it is read. `isLong`: it is a whole conversation that must be read in windows. */
export type SnapshotLength = { isLong: boolean; startedAt: number; messages: number };

/** Returns how long the conversations of snapshots are; `undefined` where one no longer exists. */
export async function snapshotLengths(
  ctx: Ctx,
  wanted: readonly Snapshot[],
  size: WindowSize = WINDOW,
): Promise<(SnapshotLength | undefined)[]> {
  const rows = await conversationsOf(ctx, wanted);
  const lengthy = await idsStoring(ctx, [...rows.keys()], storedBytesOf(size));
  return wanted.map((snapshot) => {
    const row = rows.get(snapshot.conversationId);
    if (!row) return undefined;
    const { startedAt, messageCount: messages } = row;
    const isLong = isWhole(row, snapshot) && (messages > size.messages || lengthy.has(row.id));
    return { isLong, startedAt, messages };
  });
}

async function idsStoring({ db, projectId }: Ctx, ids: readonly string[], bytes: number): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.execute<{ id: string }>(sql`
    select id from (
      select conversation_id as id, sum(pg_column_size(parts) + pg_column_size(tool_calls)) as bytes
      from conversation_messages where project_id = ${projectId} and conversation_id = any(${textArray(ids)}) group by 1
      union all
      select conversation_id, sum(coalesce(pg_column_size(arguments), 0) + coalesce(pg_column_size(result), 0))
      from tool_calls where project_id = ${projectId} and conversation_id = any(${textArray(ids)}) group by 1
    ) stored group by id having sum(bytes) > ${bytes}`);
  return new Set([...rows].map(({ id }) => id));
}

/**
 * Passes a whole conversation to `use` in windows, each read on request. Returns `undefined`, without calling `use`, if the
 * snapshot is not, or is no longer, the whole conversation.
 *
 * All windows come from one read-only transaction, which stays open while `use` works on a window: it locks nothing, and
 * detecting takes about a second for 20,000 messages. Comparing the conversation's version at each window instead would mean
 * starting over for every label or Finding that changes it.
 */
export function readWindows<T>(
  ctx: Ctx,
  snapshot: Snapshot,
  use: (windows: AsyncGenerator<SnapshotWindow>) => Promise<T>,
  size: WindowSize = WINDOW,
): Promise<T | undefined> {
  return ctx.db.transaction(
    async (tx) => {
      const at = { ...ctx, db: tx };
      const row = (await conversationsOf(at, [snapshot])).get(snapshot.conversationId);
      return row && isWhole(row, snapshot) ? use(windowsOf(at, row, snapshot, size)) : undefined;
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/**
 * A conversation, or the beginning of a long one. `isCut`: the conversation continues after these messages; the feedback then
 * includes that on later messages.
 */
export type Beginning = SnapshotContent & { isCut: boolean };

/**
 * Yields conversations as of a snapshot, in order, skipping those that no longer exist; of a conversation longer than `size`,
 * only the beginning. Each piece fits into memory.
 */
export async function* readBeginnings(
  ctx: Ctx,
  wanted: readonly Snapshot[],
  size: WindowSize = WINDOW,
): AsyncGenerator<Beginning[]> {
  const lengths = await snapshotLengths(ctx, wanted, size);
  const known = wanted.flatMap((snapshot, nth) => (lengths[nth] ? [{ snapshot, length: lengths[nth] }] : []));
  // A long conversation is its own piece, however few messages it has.
  for (const piece of inPieces(known, ({ length }) => (length.isLong ? Infinity : length.messages))) {
    const [first] = piece;
    const long = first?.length.isLong ? await readBeginning(ctx, first.snapshot, size) : undefined;
    // `undefined` if the conversation has grown since: the snapshot is then assembled from its spans.
    if (long) yield [long];
    else
      yield await readWhole(
        ctx,
        piece.map(({ snapshot }) => snapshot),
      );
  }
}

const readWhole = async (ctx: Ctx, wanted: readonly Snapshot[]): Promise<Beginning[]> =>
  (await readSnapshots(ctx, wanted)).flatMap((one) => (one ? [{ ...one, isCut: false }] : []));

const readBeginning = (ctx: Ctx, snapshot: Snapshot, size: WindowSize) =>
  readWindows(
    ctx,
    snapshot,
    async (windows): Promise<Beginning | undefined> => {
      const { value: first } = await windows.next();
      return first && { ...first, feedback: first.allFeedback, isCut: !first.isLast };
    },
    size,
  );

type Row = Parameters<typeof isWhole>[0];

async function* windowsOf(ctx: Ctx, row: Row, snapshot: Snapshot, size: WindowSize): AsyncGenerator<SnapshotWindow> {
  const layout = layoutWindows(await lengthsOf(ctx, row.id), size);
  const allFeedback = (await feedbackOf(ctx, [row.id])).get(row.id) ?? [];
  const first = layout.length > 1 ? await firstMessages(ctx, row.id) : [];
  for (const [nth, range] of layout.entries()) {
    const isLast = nth === layout.length - 1;
    const context = first.filter(({ index }) => index < range.from);
    const question = range.from > 0 ? await lastQuestion(ctx, row.id, range.from) : [];
    context.push(...question.filter(({ index }) => index > (context.at(-1)?.index ?? -1)));
    const messages = [...context, ...(await messagesIn(ctx, row.id, range))];
    const positions = messages.map(({ index }) => index);
    yield {
      id: row.id,
      userId: row.userId,
      startedAt: row.startedAt,
      lastActivityAt: row.lastActivityAt,
      messages,
      ...(await callsIn(ctx, row.id, range)),
      positions,
      // Feedback on the conversation itself belongs to the last window.
      feedback: feedbackOn(allFeedback, positions, () => isLast),
      unknownTraceIds: unknownIn(row, snapshot),
      owns: range.owns,
      nextFrom: layout[nth + 1]?.from ?? null,
      isLast,
      allFeedback,
    };
  }
}

/** Maximum messages and bytes in which the first exchange is looked for. */
const FIRST_MESSAGES = 10;
const CONTEXT_BYTES = 256 * 1024;

/** Returns the instructions that a conversation begins with and its first exchange, up to the first call or reply. */
async function firstMessages(ctx: Ctx, conversationId: string) {
  const first = [];
  let left = CONTEXT_BYTES;
  for (const message of await messagesIn(ctx, conversationId, { from: 0, to: FIRST_MESSAGES })) {
    left -= JSON.stringify(message.parts).length;
    // A call without its result would look unanswered.
    if (message.toolCalls.length > 0 || left < 0) break;
    first.push(message);
    if (message.role === "assistant" && message.parts.some(({ text }) => text?.trim())) break;
  }
  return first;
}

/** Returns the user's last message before a position: long agent runs respond to it. */
async function lastQuestion(ctx: Ctx, conversationId: string, before: number) {
  const rows = await ctx.db
    .select()
    .from(conversationMessages)
    .where(
      and(
        eq(conversationMessages.projectId, ctx.projectId),
        eq(conversationMessages.conversationId, conversationId),
        eq(conversationMessages.role, "user"),
        sql`${conversationMessages.position} < ${before}::int and octet_length(${conversationMessages.parts}::text) <= ${CONTEXT_BYTES}::int`,
      ),
    )
    .orderBy(desc(conversationMessages.position))
    .limit(1);
  return rows.map(messageOf);
}

const messagesIn = async (ctx: Ctx, conversationId: string, { from, to }: Range) =>
  (
    await ctx.db
      .select()
      .from(conversationMessages)
      .where(
        and(
          eq(conversationMessages.projectId, ctx.projectId),
          eq(conversationMessages.conversationId, conversationId),
          sql`${conversationMessages.position} >= ${from}::int and ${conversationMessages.position} < ${to}::int`,
        ),
      )
      .orderBy(asc(conversationMessages.position))
  ).map(messageOf);

/**
 * Selects each call `(kind, trace_id, span_id, length, position)` with the message that it belongs to: the last of its span,
 * else the last one by the time it started; the first or the last message if it lies outside.
 */
const placedCalls = ({ projectId }: Ctx, conversationId: string): SQL => sql`
  said as materialized (
    select position, span_id, max(at) over (order by position) as at
    from conversation_messages where project_id = ${projectId} and conversation_id = ${conversationId}
  ),
  called as materialized (
    select c.*, s.position as own from (
      select 'model' as kind, trace_id, span_id, started_at, ${TABLES.model_calls.length} as length
      from model_calls c where project_id = ${projectId} and conversation_id = ${conversationId}
      union all
      select 'tool', trace_id, span_id, started_at, ${TABLES.tool_calls.length}
      from tool_calls c where project_id = ${projectId} and conversation_id = ${conversationId}
    ) c
    left join (select span_id, max(position) as position from said group by span_id) s using (span_id)
  ),
  timed as (
    select kind, trace_id, span_id, length, max(position) over (order by at, kind nulls first) as position
    from (
      select at, position, null as kind, null as trace_id, null as span_id, 0 as length from said where at is not null
      union all
      select started_at, null, kind, trace_id, span_id, length from called where own is null
    ) line
  ),
  placed as (
    select kind, trace_id, span_id, length, own as position from called where own is not null
    union all
    select kind, trace_id, span_id, length, coalesce(position,
      case when exists (select from said where at is not null) then 0 else (select max(position) from said) end, 0)
    from timed where kind is not null
  )`;

/** Returns the bytes of every message with the calls that belong to it. */
async function lengthsOf(ctx: Ctx, conversationId: string): Promise<number[]> {
  const [read] = await ctx.db.execute<{ lengths: number[] | null }>(sql`
    with ${placedCalls(ctx, conversationId)}
    select array_agg((m.length + coalesce(c.length, 0))::float8 order by m.position) as lengths
    from (
      select position, octet_length(parts::text) + octet_length(tool_calls::text) as length
      from conversation_messages where project_id = ${ctx.projectId} and conversation_id = ${conversationId}
    ) m
    left join (select position, sum(length) as length from placed group by position) c using (position)`);
  return read?.lengths ?? [];
}

type Placed = { kind: "model" | "tool"; trace_id: string; span_id: string; position: number };

async function callsIn(ctx: Ctx, conversationId: string, { from, to }: WindowRange) {
  // Without messages there is one window, which contains the calls at position 0.
  const keys = [
    ...(await ctx.db.execute<Placed>(sql`
      with ${placedCalls(ctx, conversationId)}
      select kind, trace_id, span_id, position from placed
      where position >= ${from}::int and position < ${Math.max(to, 1)}::int`)),
  ];
  const read = (table: typeof modelCalls | typeof toolCalls, kind: Placed["kind"]) =>
    and(
      eq(table.projectId, ctx.projectId),
      amongKeys(
        table,
        keys.filter((key) => key.kind === kind),
      ),
    );
  const models = await ctx.db
    .select()
    .from(modelCalls)
    .where(read(modelCalls, "model"))
    .orderBy(...asTheyEnded(modelCalls));
  const tools = await ctx.db
    .select()
    .from(toolCalls)
    .where(read(toolCalls, "tool"))
    .orderBy(...asTheyEnded(toolCalls));
  return {
    modelCalls: models.map(modelCallOf),
    toolCalls: tools.map(toolCallOf),
    callPositions: new Map(keys.map((key) => [key.span_id, key.position])),
  };
}

/**
 * Returns the messages of a whole conversation within `around` of these positions, and its first one, without calls or
 * feedback; `undefined` if the snapshot is not the whole conversation.
 */
export function readAround(
  ctx: Ctx,
  snapshot: Snapshot,
  positions: readonly number[],
  around: number,
): Promise<SnapshotContent | undefined> {
  return ctx.db.transaction(
    async (tx) => {
      const at = { ...ctx, db: tx };
      const row = (await conversationsOf(at, [snapshot])).get(snapshot.conversationId);
      if (!row || !isWhole(row, snapshot)) return undefined;
      const messages = await messagesNear(at, row.id, positions, around);
      return {
        id: row.id,
        userId: row.userId,
        startedAt: row.startedAt,
        lastActivityAt: row.lastActivityAt,
        messages,
        modelCalls: [],
        toolCalls: [],
        feedback: [],
        positions: messages.map(({ index }) => index),
        unknownTraceIds: unknownIn(row, snapshot),
      };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

const messagesNear = async (ctx: Ctx, conversationId: string, positions: readonly number[], around: number) =>
  (
    await ctx.db
      .select()
      .from(conversationMessages)
      .where(
        and(
          eq(conversationMessages.projectId, ctx.projectId),
          eq(conversationMessages.conversationId, conversationId),
          sql`(${conversationMessages.position} = 0 or exists (
            select from unnest(${sql.param([...new Set(positions)])}::int[]) near
            where ${conversationMessages.position} between near - ${around}::int and near + ${around}::int))`,
        ),
      )
      .orderBy(asc(conversationMessages.position))
  ).map(messageOf);
