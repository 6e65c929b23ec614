import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createFeedback, findConversation, readSnapshots, type Snapshot } from "../..";
import { chatSpan, ingest, type TestSpan } from "../../testing";
import {
  type Beginning,
  readAround,
  readBeginnings,
  readWindows,
  type SnapshotWindow,
  snapshotLengths,
} from "./read-windows";

const START = Date.UTC(2026, 10, 1, 12);
const SESSION = "session-1";
const [TRACE, SECOND_TRACE] = ["a".repeat(32), "b".repeat(32)];
const attributes = { "gen_ai.conversation.id": SESSION };
const SIZE = { messages: 20, bytes: 1_000_000, around: 4 };
const TURNS = 40;

const id = (number: number) => number.toString(16).padStart(16, "0");
const traceOf = (n: number) => (n < TURNS / 2 ? TRACE : SECOND_TRACE);
/** Longer than what is kept in memory while a conversation is assembled. */
const LONG = "and so on ".repeat(50);
/** A turn: a question with its reply, and a call of a tool that no message names. */
const turn = (n: number): TestSpan[] => [
  chatSpan(
    { traceId: traceOf(n), spanId: id(2 * n + 1), startMs: START + n * 1000, durationMs: 400, attributes },
    { input: [["user", `Question ${n}`]], output: `Reply ${n}${n % 3 === 0 ? LONG : ""}` },
  ),
  {
    traceId: traceOf(n),
    spanId: id(2 * n + 2),
    name: "execute_tool look",
    startMs: START + n * 1000 + 500,
    durationMs: 100,
    attributes: {
      ...attributes,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.call.result": `Seen ${n}${n % 5 === 0 ? LONG : ""}`,
    },
  },
];

async function stored(ctx: Ctx) {
  await ingest(ctx, Array.from({ length: TURNS }, (_, n) => turn(n)).flat());
  const { id: conversationId, lastActivityAt } = await findConversation(ctx, SESSION);
  return { conversationId, lastActivityAt, traceIds: [] };
}

const all = async (windows: AsyncGenerator<SnapshotWindow>) => {
  const read: SnapshotWindow[] = [];
  for await (const window of windows) read.push(window);
  return read;
};

test.each<[string, Partial<Snapshot>]>([
  ["a whole conversation", {}],
  ["an earlier snapshot", { lastActivityAt: START + 30_000 }],
  ["a narrower snapshot", { traceIds: [SECOND_TRACE] }],
])("windows cover %s's messages and calls exactly once, and only the last one is marked as last", async (_, part) => {
  const { ctx } = await testProject();
  const snapshot = { ...(await stored(ctx)), ...part };
  await createFeedback(ctx, { conversationId: SESSION, kind: "comment", value: "of a turn", spanId: id(51) });
  const [whole] = await readSnapshots(ctx, [snapshot]);
  const windows = (await readWindows(ctx, snapshot, all, SIZE))!;

  expect(windows.length).toBeGreaterThan(3);
  const isIn = ({ owns }: SnapshotWindow, place: number | undefined) =>
    place !== undefined && place >= owns.from && place < owns.to;
  const own = windows.map((window) => ({
    positions: window.positions.filter((_, index) => isIn(window, window.indices[index]!)),
    messages: window.messages.filter((_, index) => isIn(window, window.indices[index]!)),
    modelCalls: window.modelCalls.filter(({ spanId }) => isIn(window, window.callIndices.get(spanId))),
    toolCalls: window.toolCalls.filter(({ spanId }) => isIn(window, window.callIndices.get(spanId))),
  }));
  expect(own.flatMap(({ messages }) => messages)).toEqual(whole!.messages);
  expect(own.flatMap(({ positions }) => positions)).toEqual(whole!.positions);
  expect(windows.flatMap(({ allFeedback }) => allFeedback.slice(0, 1))).toEqual(windows.map(() => whole!.feedback[0]));
  expect(own.flatMap(({ modelCalls }) => modelCalls)).toEqual(whole!.modelCalls);
  expect(own.flatMap(({ toolCalls }) => toolCalls)).toEqual(whole!.toolCalls);
  expect(windows.map(({ isLast, nextFrom }) => isLast && nextFrom === null)).toEqual(
    windows.map((_, nth) => nth === windows.length - 1),
  );
  for (const { messages, lastActivityAt } of windows) {
    expect(messages.length).toBeLessThanOrEqual(SIZE.messages + 3);
    expect(messages.slice(0, 2)).toEqual(whole!.messages.slice(0, 2));
    expect(lastActivityAt).toBe(whole!.lastActivityAt);
  }
});

test("feedback on a message comes with that message, and feedback on the conversation with the last window", async () => {
  const { ctx } = await testProject();
  const snapshot = await stored(ctx);
  await createFeedback(ctx, { conversationId: SESSION, kind: "comment", value: "of a turn", spanId: id(41) });
  await createFeedback(ctx, { conversationId: SESSION, kind: "comment", value: "of all" });

  const windows = (await readWindows(ctx, snapshot, all, SIZE))!;
  const given = windows.flatMap(({ feedback, messages, isLast }) =>
    feedback.map(({ value, messageIndex }) => [
      value,
      messageIndex === null ? isLast : messages[messageIndex]!.parts[0]!.text,
    ]),
  );
  expect(new Set(given.map(([value, on]) => `${value}: ${on}`))).toEqual(
    new Set(["of a turn: Reply 20", "of all: true"]),
  );
});

test("a conversation is long by its number of messages or its size, and so are earlier and narrower snapshots of it", async () => {
  const { ctx } = await testProject();
  const snapshot = await stored(ctx);
  const lengthOf = async (one: Snapshot, size = SIZE) => (await snapshotLengths(ctx, [one], size))[0];
  const isLong = async (...of: Parameters<typeof lengthOf>) => (await lengthOf(...of))?.isLong;
  expect(await isLong(snapshot)).toBe(true);
  expect(await isLong(snapshot, { ...SIZE, messages: 500 })).toBe(false);
  expect(await isLong(snapshot, { ...SIZE, messages: 500, bytes: 2000 })).toBe(true);

  const earlier = { ...snapshot, lastActivityAt: START + 5000 };
  expect(await lengthOf(earlier)).toMatchObject({ isLong: true, startedAt: START });
  expect(await isLong(earlier, { ...SIZE, messages: 500 })).toBe(false);
  const narrower = { ...snapshot, traceIds: [SECOND_TRACE] };
  expect(await lengthOf(narrower)).toMatchObject({ isLong: true, startedAt: START + (TURNS / 2) * 1000 });
});

const piecesOf = async (...asked: Parameters<typeof readBeginnings>) => {
  const pieces: Beginning[][] = [];
  for await (const piece of readBeginnings(...asked)) pieces.push(piece);
  return pieces;
};

test("only the beginning of a long conversation is read, with all feedback, and short ones are read whole and together", async () => {
  const { ctx } = await testProject();
  const long = await stored(ctx);
  await createFeedback(ctx, { conversationId: SESSION, kind: "comment", value: "of all" });
  const short = async (n: number) => {
    const own = { "gen_ai.conversation.id": `short-${n}` };
    await ingest(ctx, [
      chatSpan({ traceId: String(n).repeat(32), spanId: id(n), attributes: own }, { output: "Yes." }),
    ]);
    return { conversationId: (await findConversation(ctx, `short-${n}`)).id, lastActivityAt: Date.now(), traceIds: [] };
  };
  const [first, second] = [await short(1), await short(2)];
  const gone = { ...first, conversationId: "conv_gone" };
  const [whole] = await readSnapshots(ctx, [long]);

  const pieces = await piecesOf(ctx, [first, gone, second, long], SIZE);
  expect(pieces.map((piece) => piece.map((one) => [one.id, one.isCut]))).toEqual([
    [
      [first.conversationId, false],
      [second.conversationId, false],
    ],
    [[long.conversationId, true]],
  ]);
  const { messages, toolCalls, feedback } = pieces[1]![0]!;
  expect(messages.length).toBeLessThanOrEqual(SIZE.messages);
  expect(messages).toEqual(whole!.messages.slice(0, messages.length));
  expect(toolCalls).toEqual(whole!.toolCalls.slice(0, toolCalls.length));
  expect(feedback).toEqual(whole!.feedback);
  expect(await piecesOf(ctx, [long], { ...SIZE, messages: 500 })).toMatchObject([[{ isCut: false, ...whole }]]);
});

test("another project cannot read a conversation's beginning, windows or excerpts", async () => {
  const { ctx } = await testProject();
  const snapshot = await stored(ctx);
  const other = await testProject();
  await stored(other.ctx);
  expect(await snapshotLengths(other.ctx, [snapshot], SIZE)).toEqual([undefined]);
  expect(await readWindows(other.ctx, snapshot, all, SIZE)).toBeUndefined();
  expect(await piecesOf(other.ctx, [snapshot], SIZE)).toEqual([]);
  expect(await readAround(other.ctx, snapshot, [10], 2)).toBeUndefined();
  const excerpt = await readAround(ctx, snapshot, [10, 11], 2);
  expect(excerpt?.positions).toEqual([0, 8, 9, 10, 11, 12, 13]);
});

test("an excerpt of a narrower snapshot has the indices of its messages in it, and their positions in the conversation", async () => {
  const { ctx } = await testProject();
  const narrower = { ...(await stored(ctx)), traceIds: [SECOND_TRACE] };
  const excerpt = (await readAround(ctx, narrower, [10], 2))!;
  expect(excerpt.indices).toEqual([0, 8, 9, 10, 11, 12]);
  expect(excerpt.positions).toEqual(excerpt.indices.map((index) => TURNS + index));
  expect(excerpt.messages.map(({ parts }) => parts[0]!.text!.replace(LONG, ""))).toEqual([
    ...["Question 20", "Question 24", "Reply 24", "Question 25", "Reply 25", "Question 26"],
  ]);
});
