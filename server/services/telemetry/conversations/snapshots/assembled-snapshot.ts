import { hash } from "node:crypto";
import { and, asc, eq, gte, lt } from "drizzle-orm";
import { conversationMessages, modelCalls, traces } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { createAssembler, type TextStore, withTexts } from "../../otlp";
import { loadLogs, loadSpans } from "../../projection/load-spans";
import { groupLogs } from "../../projection/read-missing";
import type { Message, ModelCall, ToolCall } from "../../schemas";
import { type ConversationRow, type Snapshot, type SnapshotContents, unknownIn } from "./snapshot";
import type { SnapshotSource } from "./snapshot-source";

/**
 * Assembles the conversation from what had ended by then, with the projector's own code, and returns the parts that the named
 * traces contributed. All spans are read, because only they show which messages repeat earlier ones. The texts are in `texts`,
 * which must stay open while parts are read.
 */
export async function assembledSnapshot(
  ctx: Ctx,
  row: ConversationRow,
  snapshot: Snapshot,
  texts: TextStore,
): Promise<SnapshotSource & { contents(): SnapshotContents }> {
  const members = await ctx.db
    .select({ id: traces.id })
    .from(traces)
    .where(and(eq(traces.projectId, ctx.projectId), eq(traces.conversationId, row.id)));
  const traceIds = members.map(({ id }) => id);
  const named = new Set(snapshot.traceIds);
  const wants = ({ traceId }: { traceId: string }) => named.size === 0 || named.has(traceId);
  const hadHappened = (us: number) => Math.floor(us / US_PER_MS) <= snapshot.lastActivityAt;

  const logs = (await loadLogs(ctx.db, ctx.projectId, traceIds)).filter(({ timeUs }) => hadHappened(timeUs));
  const logsOf = groupLogs(logs);
  const assembler = createAssembler(texts);
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = 0;
  for await (const page of loadSpans(ctx.db, ctx.projectId, traceIds)) {
    for (const span of page) {
      if (!hadHappened(span.endedUs)) continue;
      assembler.add(span, logsOf(span));
      if (!wants(span)) continue;
      firstUs = Math.min(firstUs, span.startedUs);
      lastUs = Math.max(lastUs, span.endedUs);
      for (const { timeUs } of logsOf(span)) lastUs = Math.max(lastUs, timeUs);
    }
  }
  const assembled = assembler.finish();
  const messages = assembled.messages.filter(wants);
  const models = await priced(ctx, row.id, assembled.modelCalls.filter(wants));
  const tools = assembled.toolCalls.filter((call) => call.requestNumber === 0 && wants(call));
  const full = (text: string) => texts.get(text);
  const messageAt = (index: number) => ({ ...withTexts(messages[index]!, full), index });
  const toolCall = (call: ToolCall): ToolCall => ({
    ...call,
    arguments: call.arguments && full(call.arguments),
    result: call.result && full(call.result),
  });
  return {
    id: row.id,
    userId: assembled.userId,
    startedAt: Number.isFinite(firstUs) ? Math.floor(firstUs / US_PER_MS) : row.startedAt,
    lastActivityAt: Math.floor(lastUs / US_PER_MS),
    positions: await positionsOf(messages.length, messageAt, messagesNow(ctx, row.id)),
    unknownTraceIds: unknownIn(row, snapshot),
    outline: async () => ({
      messages: messages.map(({ role, agent, spanId, at }, index) => {
        const { parts, toolCalls } = messageAt(index);
        return { role, agent, spanId, at, length: bytesOf(parts) + bytesOf(toolCalls) };
      }),
      calls: [
        ...models.map((call) => ({ kind: "model" as const, ...keyOf(call), length: lengthOfModelCall(call) })),
        ...tools.map((call) => ({ kind: "tool" as const, ...keyOf(call), length: lengthOfToolCall(toolCall(call)) })),
      ],
    }),
    contents: () => ({
      messages: messages.map((_, index) => messageAt(index)),
      modelCalls: models,
      toolCalls: tools.map(toolCall),
    }),
    messages: async ({ from, to }) =>
      Array.from({ length: Math.max(0, Math.min(to, messages.length) - from) }, (_, nth) => messageAt(from + nth)),
    calls: async (keys) => {
      const wanted = new Set(keys.map(nameOf));
      return {
        modelCalls: models.filter((call) => wanted.has(nameOf({ kind: "model", ...call }))),
        toolCalls: tools.filter((call) => wanted.has(nameOf({ kind: "tool", ...call }))).map(toolCall),
      };
    },
  };
}

const US_PER_MS = 1000;

const keyOf = ({ traceId, spanId, startedAt }: { traceId: string; spanId: string; startedAt: number }) => ({
  traceId,
  spanId,
  startedAt,
});
const nameOf = ({ kind, traceId, spanId }: { kind: string; traceId: string; spanId: string }) =>
  `${kind} ${traceId} ${spanId}`;

const bytesOf = (value: unknown) => (value === null ? 0 : Buffer.byteLength(JSON.stringify(value)));
const lengthOfModelCall = ({ rawUsage, error }: Pick<ModelCall, "rawUsage" | "error">) =>
  bytesOf(rawUsage) + bytesOf(error);
const lengthOfToolCall = (call: ToolCall) =>
  Buffer.byteLength(call.arguments ?? "") + Buffer.byteLength(call.result ?? "") + bytesOf(call.error);

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
async function positionsOf(
  count: number,
  messageAt: (index: number) => Said,
  now: AsyncIterable<Said[]>,
): Promise<(number | null)[]> {
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
  return Array.from({ length: count }, (_, index) => {
    const place = places.get(contentKeyOf(messageAt(index)));
    if (!place) return null;
    while ((place.positions[place.next] ?? last + 1) <= last) place.next++;
    const position = place.positions[place.next];
    if (position === undefined) return null;
    last = position;
    return position;
  });
}
