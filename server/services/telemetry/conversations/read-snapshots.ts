import { hash } from "node:crypto";
import { and, asc, eq, gte, lt } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { conversationMessages, conversations, modelCalls, traces } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { feedbackIn, feedbackOf, type SnapshotFeedback } from "../feedback";
import { createAssembler } from "../otlp";
import { loadLogs, loadSpans } from "../projection/load-spans";
import { groupLogs } from "../projection/read-missing";
import type { Message, ModelCall, ToolCall } from "../schemas";
import { contentsOf } from "./get-conversation";

/**
 * A conversation as of `lastActivityAt` (Unix ms): spans that had ended and log records that were written by then, of the
 * named traces or, if `traceIds` is empty, of all.
 */
export type Snapshot = { conversationId: string; lastActivityAt: number; traceIds: readonly string[] };

export type SnapshotContent = {
  id: string;
  userId: string | null;
  startedAt: number;
  /** Time of the latest activity in the snapshot, Unix ms. */
  lastActivityAt: number;
  messages: readonly Message[];
  modelCalls: readonly (Omit<ModelCall, "cost"> & { costTotal: string | null })[];
  toolCalls: readonly ToolCall[];
  /** User feedback on its messages or on the conversation, oldest first. */
  feedback: readonly SnapshotFeedback[];
  /** Index of each message in the current conversation; `null` if it does not contain the message with the same text. */
  positions: readonly (number | null)[];
  /** Requested traces that are not part of the conversation. */
  unknownTraceIds: readonly string[];
};

/** The content without the feedback. */
type ConversationPart = Omit<SnapshotContent, "feedback">;
type Row = Pick<
  typeof conversations.$inferSelect,
  "id" | "userId" | "startedAt" | "lastActivityAt" | "traceIds" | "messageCount"
>;

/**
 * Returns snapshots in the order requested, `undefined` where the conversation no longer exists. A snapshot of the whole
 * conversation reads the stored one; an earlier or narrower snapshot is assembled from spans.
 */
export function readSnapshots(ctx: Ctx, wanted: readonly Snapshot[]): Promise<(SnapshotContent | undefined)[]> {
  // Repeatable read: a projector committing in between would pair newer contents with an older conversation row.
  return ctx.db.transaction(
    async (tx) => {
      const at = { ...ctx, db: tx };
      const rows = await conversationsOf(at, wanted);
      const whole = wanted.flatMap((snapshot) => {
        const row = rows.get(snapshot.conversationId);
        return row && isWhole(row, snapshot) ? [row.id] : [];
      });
      const contents = await contentsOf(at, [...new Set(whole)]);
      const feedback = await feedbackOf(at, [...rows.keys()]);
      const read: (SnapshotContent | undefined)[] = [];
      for (const snapshot of wanted) {
        const row = rows.get(snapshot.conversationId);
        if (!row) {
          read.push(undefined);
          continue;
        }
        const isPresent = isWhole(row, snapshot);
        const content = isPresent ? present(row, snapshot, contents.get(row.id)!) : await assembled(at, row, snapshot);
        read.push({ ...content, feedback: feedbackIn(feedback.get(row.id) ?? [], content, isPresent) });
      }
      return read;
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** Returns the stored conversations of snapshots by id. */
export async function conversationsOf(ctx: Ctx, wanted: readonly Snapshot[]): Promise<ReadonlyMap<string, Row>> {
  const ids = [...new Set(wanted.map(({ conversationId }) => conversationId))];
  const rows = await ctx.db
    .select({
      id: conversations.id,
      userId: conversations.userId,
      startedAt: conversations.startedAt,
      lastActivityAt: conversations.lastActivityAt,
      traceIds: conversations.traceIds,
      messageCount: conversations.messageCount,
    })
    .from(conversations)
    .where(and(eq(conversations.projectId, ctx.projectId), isOneOf(conversations.id, ids)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns whether a snapshot is the whole conversation as it is stored. */
export const isWhole = (row: Row, { lastActivityAt, traceIds }: Snapshot) =>
  row.lastActivityAt <= lastActivityAt &&
  (traceIds.length === 0 || row.traceIds.every((traceId) => traceIds.includes(traceId)));

/** Returns the named traces that the conversation does not have. */
export const unknownIn = (row: Row, { traceIds }: Snapshot) => {
  const known = new Set(row.traceIds);
  return traceIds.filter((traceId) => !known.has(traceId));
};

const present = (
  row: Row,
  snapshot: Snapshot,
  contents: Pick<SnapshotContent, "messages" | "modelCalls" | "toolCalls">,
): ConversationPart => ({
  id: row.id,
  userId: row.userId,
  startedAt: row.startedAt,
  lastActivityAt: row.lastActivityAt,
  ...contents,
  positions: contents.messages.map((_, position) => position),
  unknownTraceIds: unknownIn(row, snapshot),
});

/** Assembles the conversation from what had ended by then, and returns the parts that the named traces contributed. */
async function assembled(ctx: Ctx, row: Row, snapshot: Snapshot): Promise<ConversationPart> {
  const members = await ctx.db
    .select({ id: traces.id })
    .from(traces)
    .where(and(eq(traces.projectId, ctx.projectId), eq(traces.conversationId, row.id)));
  const traceIds = members.map(({ id }) => id);
  const named = new Set(snapshot.traceIds);
  const wants = (traceId: string) => named.size === 0 || named.has(traceId);
  const hadHappened = (us: number) => Math.floor(us / US_PER_MS) <= snapshot.lastActivityAt;

  const logs = (await loadLogs(ctx.db, ctx.projectId, traceIds)).filter(({ timeUs }) => hadHappened(timeUs));
  const logsOf = groupLogs(logs);
  const assembler = createAssembler();
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = 0;
  for await (const page of loadSpans(ctx.db, ctx.projectId, traceIds)) {
    for (const span of page) {
      if (!hadHappened(span.endedUs)) continue;
      assembler.add(span, logsOf(span));
      if (!wants(span.traceId)) continue;
      firstUs = Math.min(firstUs, span.startedUs);
      lastUs = Math.max(lastUs, span.endedUs);
      for (const { timeUs } of logsOf(span)) lastUs = Math.max(lastUs, timeUs);
    }
  }
  const { messages, modelCalls: calls, toolCalls, userId } = assembler.finish();
  const included = messages.filter(({ traceId }) => wants(traceId));
  return {
    id: row.id,
    userId,
    startedAt: Number.isFinite(firstUs) ? Math.floor(firstUs / US_PER_MS) : row.startedAt,
    lastActivityAt: Math.floor(lastUs / US_PER_MS),
    messages: included,
    modelCalls: await priced(
      ctx,
      row.id,
      calls.filter(({ traceId }) => wants(traceId)),
    ),
    toolCalls: toolCalls.filter(({ traceId }) => wants(traceId)),
    positions: await positionsOf(included, messagesNow(ctx, row.id)),
    unknownTraceIds: unknownIn(row, snapshot),
  };
}

const US_PER_MS = 1000;

/** Adds the costs that the projector stored; a call that it merged into another has none. */
async function priced<Call extends Pick<ModelCall, "traceId" | "spanId">>(
  ctx: Ctx,
  conversationId: string,
  calls: readonly Call[],
) {
  const rows = await ctx.db
    .select({ traceId: modelCalls.traceId, spanId: modelCalls.spanId, costTotal: modelCalls.costTotal })
    .from(modelCalls)
    .where(and(eq(modelCalls.projectId, ctx.projectId), eq(modelCalls.conversationId, conversationId)));
  const costs = new Map(rows.map((row) => [`${row.traceId} ${row.spanId}`, row.costTotal]));
  return calls.map((call) => ({ ...call, costTotal: costs.get(`${call.traceId} ${call.spanId}`) ?? null }));
}

type Said = Pick<Message, "role" | "parts" | "toolCalls">;

/** Messages of the current conversation that are in memory at the same time. */
const NOW_AT_A_TIME = 500;

/** Yields the messages of the current conversation in order, page by page: their text is only compared, not retained. */
async function* messagesNow(ctx: Ctx, conversationId: string): AsyncGenerator<Said[]> {
  for (let from = 0; ; from += NOW_AT_A_TIME) {
    const page = await ctx.db
      .select({
        role: conversationMessages.role,
        parts: conversationMessages.parts,
        toolCalls: conversationMessages.toolCalls,
      })
      .from(conversationMessages)
      .where(
        and(
          eq(conversationMessages.projectId, ctx.projectId),
          eq(conversationMessages.conversationId, conversationId),
          gte(conversationMessages.position, from),
          lt(conversationMessages.position, from + NOW_AT_A_TIME),
        ),
      )
      .orderBy(asc(conversationMessages.position));
    yield page as Said[];
    if (page.length < NOW_AT_A_TIME) return;
  }
}

/** Identifies a message by a hash of its content, ignoring the ids of tool calls, which may be filled in later. */
const contentKeyOf = ({ role, parts, toolCalls }: Said) =>
  hash(
    "sha1",
    JSON.stringify([
      role,
      parts.map((part) => part.text ?? part.type),
      toolCalls.map((call) => [call.name, call.arguments]),
    ]),
    "base64",
  );

/** Returns the indices of messages among the current ones: same content, in the same order. */
async function positionsOf(messages: readonly Said[], now: AsyncIterable<Said[]>): Promise<(number | null)[]> {
  const places = new Map<string, { positions: number[]; next: number }>();
  let nowAt = 0;
  for await (const page of now) {
    for (const message of page) {
      const key = contentKeyOf(message);
      const known = places.get(key);
      if (known) known.positions.push(nowAt++);
      else places.set(key, { positions: [nowAt++], next: 0 });
    }
  }
  let last = -1;
  return messages.map((message) => {
    const place = places.get(contentKeyOf(message));
    if (!place) return null;
    while ((place.positions[place.next] ?? last + 1) <= last) place.next++;
    const position = place.positions[place.next];
    if (position === undefined) return null;
    last = position;
    return position;
  });
}
