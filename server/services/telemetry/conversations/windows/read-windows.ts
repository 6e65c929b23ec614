import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { feedbackIn, feedbackOf, feedbackOn, type SnapshotFeedback } from "../../feedback";
import { isByUser, type PlacedMessage } from "../../schemas";
import { inPieces } from "../in-pieces";
import { placeCalls } from "../place-calls";
import { assembledSnapshot } from "../snapshots/assembled-snapshot";
import { readSnapshots } from "../snapshots/read-snapshots";
import { conversationsOf, isWhole, type Snapshot, type SnapshotContent } from "../snapshots/snapshot";
import { headOf, type SnapshotSource, storedSnapshot } from "../snapshots/snapshot-source";
import { SpilledTexts } from "../snapshots/spilled-texts";
import { layoutWindows, type Range, WINDOW, type WindowSize } from "./window-layout";

/**
 * A part of a long conversation: consecutive messages with their calls. Before them, as context, are the conversation's first
 * messages (its instructions and first exchange) and the user's last message.
 */
export type SnapshotWindow = SnapshotContent & {
  /** Index of each message of the window in the snapshot. */
  indices: readonly number[];
  /** Indices of the messages that this window owns. Every message and every call is owned by exactly one window. */
  owns: Range;
  /** Index of the first message that the next window reads; `null` in the last. */
  nextFrom: number | null;
  isLast: boolean;
  /** Index of the message that each call in the window belongs to, by the call's span. */
  callIndices: ReadonlyMap<string, number>;
  /** Positions of all messages of the snapshot in the current conversation. */
  allPositions: SnapshotContent["positions"];
  /** All feedback of the snapshot; `messageIndex` is an index in it. */
  allFeedback: readonly SnapshotFeedback[];
};

/**
 * Stored bytes above which a conversation is read in windows. Postgres compresses text two to four times, so this is about one
 * window's worth; the compressed size is available without reading the text.
 */
const storedBytesOf = ({ bytes }: WindowSize) => bytes / 4;

/** What is known of a snapshot before it is read. `isLong`: its conversation must be read in windows, of `messages` at most. */
export type SnapshotLength = { isLong: boolean; startedAt: number; messages: number };

/** Returns how long the conversations of snapshots are; `undefined` where one no longer exists. */
export async function snapshotLengths(
  ctx: Ctx,
  wanted: readonly Snapshot[],
  size: WindowSize = WINDOW,
): Promise<(SnapshotLength | undefined)[]> {
  const rows = await conversationsOf(ctx, wanted);
  const lengthy = await idsStoring(ctx, [...rows.keys()], storedBytesOf(size));
  const lengths: (SnapshotLength | undefined)[] = [];
  for (const snapshot of wanted) {
    const row = rows.get(snapshot.conversationId);
    if (!row) {
      lengths.push(undefined);
      continue;
    }
    const isLong = row.messageCount > size.messages || lengthy.has(row.id);
    const isPart = isLong && !isWhole(row, snapshot);
    const startedAt = (isPart ? await startOf(ctx, snapshot) : null) ?? row.startedAt;
    lengths.push({ isLong, startedAt, messages: row.messageCount });
  }
  return lengths;
}

/** Returns when an earlier or narrower snapshot started (Unix ms); `null` if nothing had ended by then. */
async function startOf(
  { db, projectId }: Ctx,
  { conversationId, lastActivityAt, traceIds }: Snapshot,
): Promise<number | null> {
  const [row] = await db.execute<{ started: string | null }>(sql`
    select min(s.started_us) / 1000 as started
    from traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id
    where t.project_id = ${projectId} and t.conversation_id = ${conversationId}
      and s.ended_us < ${(lastActivityAt + 1) * 1000}::bigint
      ${traceIds.length === 0 ? sql`` : sql`and t.id = any(${textArray(traceIds)})`}`);
  return row?.started == null ? null : Number(row.started);
}

async function idsStoring({ db, projectId }: Ctx, ids: readonly string[], bytes: number): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.execute<{ id: string }>(sql`
    select id from (
      select conversation_id as id, sum(pg_column_size(parts) + pg_column_size(tool_calls)) as bytes
      from conversation_messages where project_id = ${projectId} and conversation_id = any(${textArray(ids)}) group by 1
      union all
      select conversation_id, sum(coalesce(pg_column_size(arguments), 0) + coalesce(pg_column_size(result), 0))
      from tool_calls
      where project_id = ${projectId} and conversation_id = any(${textArray(ids)}) and request_number = 0 group by 1
    ) stored group by id having sum(bytes) > ${bytes}`);
  return new Set([...rows].map(({ id }) => id));
}

/**
 * Passes a snapshot to `use` in windows, each read on request. Returns `undefined`, without calling `use`, if the conversation
 * no longer exists.
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
  return withSource(ctx, snapshot, async (source, at, isPresent) => {
    const feedback = (await feedbackOf(at, [source.id])).get(source.id) ?? [];
    return use(windowsOf(source, feedbackIn(feedback, source, isPresent), size));
  });
}

/** Opens a snapshot that is read a part at a time: the stored conversation, or one assembled from its spans. */
function withSource<T>(
  ctx: Ctx,
  snapshot: Snapshot,
  use: (source: SnapshotSource, at: Ctx, isPresent: boolean) => Promise<T>,
): Promise<T | undefined> {
  return ctx.db.transaction(
    async (tx) => {
      const at = { ...ctx, db: tx };
      const row = (await conversationsOf(at, [snapshot])).get(snapshot.conversationId);
      if (!row) return undefined;
      if (isWhole(row, snapshot)) return use(storedSnapshot(at, row, snapshot), at, true);
      const texts = new SpilledTexts();
      try {
        return await use(await assembledSnapshot(at, row, snapshot, texts), at, false);
      } finally {
        texts.close();
      }
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
    if (first?.length.isLong) {
      const long = await readBeginning(ctx, first.snapshot, size);
      if (long) yield [long];
    } else
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

/** Lays out windows. Only what reading them needs outlives the outline, which is as long as the conversation. */
async function layoutOf(source: SnapshotSource, size: WindowSize) {
  const outline = await source.outline();
  const calls = placeCalls(outline);
  const lengths = outline.messages.map(({ length }) => length);
  for (const { index, length } of calls) if (index < lengths.length) lengths[index]! += length;
  const questions = outline.messages.flatMap((message, index) =>
    isByUser(message) && message.length <= CONTEXT_BYTES ? [index] : [],
  );
  return { layout: layoutWindows(lengths, size), calls, questions };
}

async function* windowsOf(
  source: SnapshotSource,
  allFeedback: readonly SnapshotFeedback[],
  size: WindowSize,
): AsyncGenerator<SnapshotWindow> {
  const { layout, calls, questions } = await layoutOf(source, size);
  const first = layout.length > 1 ? await firstMessages(source) : [];
  const { positions: allPositions } = source;
  for (const [nth, range] of layout.entries()) {
    const isLast = nth === layout.length - 1;
    const context = first.filter(({ index }) => index < range.from);
    const question = await lastQuestion(source, questions, range.from);
    context.push(...question.filter(({ index }) => index > (context.at(-1)?.index ?? -1)));
    const messages = [...context, ...(await source.messages(range))];
    const indices = messages.map(({ index }) => index);
    // Without messages there is one window, which contains the calls at index 0.
    const within = calls.filter(({ index }) => index >= range.from && index < Math.max(range.to, 1));
    yield {
      ...headOf(source),
      messages,
      ...(await source.calls(within)),
      positions: indices.map((index) => allPositions[index] ?? null),
      // Feedback on the conversation itself belongs to the last window.
      feedback: feedbackOn(allFeedback, indices, () => isLast),
      indices,
      owns: range.owns,
      nextFrom: layout[nth + 1]?.from ?? null,
      isLast,
      callIndices: new Map(within.map(({ spanId, index }) => [spanId, index])),
      allPositions,
      allFeedback,
    };
  }
}

/** Maximum messages and bytes in which the first exchange is looked for. */
const FIRST_MESSAGES = 10;
const CONTEXT_BYTES = 256 * 1024;

/** Returns the instructions that a conversation begins with and its first exchange, up to the first call or reply. */
async function firstMessages(source: SnapshotSource) {
  const first = [];
  let left = CONTEXT_BYTES;
  for (const message of await source.messages({ from: 0, to: FIRST_MESSAGES })) {
    left -= JSON.stringify(message.parts).length;
    // A call without its result would look unanswered.
    if (message.toolCalls.length > 0 || left < 0) break;
    first.push(message);
    if (message.role === "assistant" && message.parts.some(({ text }) => text?.trim())) break;
  }
  return first;
}

/** Returns the user's last message before an index: long agent runs respond to it. */
async function lastQuestion(
  source: SnapshotSource,
  questions: readonly number[],
  before: number,
): Promise<PlacedMessage[]> {
  const at = questions.findLast((index) => index < before);
  return at === undefined ? [] : source.messages({ from: at, to: at + 1 });
}

/**
 * Returns the messages of a snapshot within `around` of these indices, and its first one, without calls or feedback, with
 * their indices in the snapshot; `undefined` if the conversation no longer exists.
 */
export function readAround(
  ctx: Ctx,
  snapshot: Snapshot,
  wanted: readonly number[],
  around: number,
): Promise<(SnapshotContent & { indices: readonly number[] }) | undefined> {
  return withSource(ctx, snapshot, async (source) => {
    const messages: PlacedMessage[] = [];
    const ranges = [{ from: 0, to: 1 }, ...wanted.map((index) => ({ from: index - around, to: index + around + 1 }))];
    for (const { from, to } of ranges.sort((one, other) => one.from - other.from)) {
      const read = (messages.at(-1)?.index ?? -1) + 1;
      if (to > read) messages.push(...(await source.messages({ from: Math.max(from, read), to })));
    }
    return {
      ...headOf(source),
      messages,
      modelCalls: [],
      toolCalls: [],
      feedback: [],
      positions: messages.map(({ index }) => source.positions[index] ?? null),
      indices: messages.map(({ index }) => index),
    };
  });
}
