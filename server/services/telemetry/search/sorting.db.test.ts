import { expect, test } from "vitest";
import { conversations } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { listConversations } from "..";
import { CONVERSATION_SORTS } from "../schemas";

const START = Date.UTC(2026, 10, 1);

type Stored = Partial<typeof conversations.$inferInsert>;

async function store(ctx: Ctx, rows: readonly Stored[]) {
  await ctx.db.insert(conversations).values(
    rows.map((row, at) => ({
      projectId: ctx.projectId,
      id: `conv_${String(at).padStart(3, "0")}`,
      key: `key-${at}`,
      startedAt: START + at * 1000,
      lastActivityAt: START + at * 1000,
      receivedAt: START,
      ...row,
    })),
  );
}

type Input = Parameters<typeof listConversations>[1];
const page = async (ctx: Ctx, input: Input) => listConversations(ctx, input);
const number = (id: string) => Number(id.slice("conv_".length));

/** Reads a list to its end, a few rows at a time. */
async function all(ctx: Ctx, input: Input, between: () => Promise<void> = async () => {}) {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const { conversations: rows, pagination } = await page(ctx, { ...input, limit: 3, cursor });
    ids.push(...rows.map(({ id }) => number(id)));
    cursor = pagination.nextCursor ?? undefined;
    await between();
  } while (cursor !== undefined);
  return ids;
}

const ROWS: Stored[] = [
  { cost: "0.10", messageCount: 4, usage: { input_tokens: 10 }, lastActivityAt: START + 90_000 },
  { cost: null, messageCount: 2, usage: {}, lastActivityAt: START + 2000 },
  { cost: "0.000000000000000001", messageCount: 4, usage: { seconds: 9 }, lastActivityAt: START + 8000 },
  { cost: "2", messageCount: 0, usage: { input_tokens: 5, output_text_tokens: 7 }, lastActivityAt: START + 3000 },
  { cost: null, messageCount: 9, usage: {}, lastActivityAt: START + 5000 },
  { cost: "0.1", messageCount: 1, usage: { output_tokens: 900 }, lastActivityAt: START + 90_000, errorCount: 1 },
  { cost: "0", messageCount: 4, usage: { cache_read_input_tokens: 1 }, lastActivityAt: START + 7000, errorCount: 2 },
];
/** From most to least; rows without a value are last in either direction. */
const DESCENDING: Record<
  (typeof CONVERSATION_SORTS)[number],
  { known: number[]; unknown?: [desc: number[], asc: number[]] }
> = {
  started: { known: [6, 5, 4, 3, 2, 1, 0] },
  last_activity: { known: [5, 0, 2, 6, 4, 3, 1] },
  cost: {
    known: [3, 5, 0, 2, 6],
    unknown: [
      [4, 1],
      [1, 4],
    ],
  },
  tokens: {
    known: [5, 3, 0, 6, 2],
    unknown: [
      [4, 1],
      [1, 4],
    ],
  },
  messages: { known: [4, 6, 2, 0, 1, 5, 3] },
  duration: { known: [0, 5, 2, 6, 4, 1, 3] },
};

test.each(CONVERSATION_SORTS)(
  "by %s, each conversation is listed once in either direction, page by page",
  async (sort) => {
    const { ctx } = await testProject();
    const { ctx: other } = await testProject();
    await store(ctx, ROWS);
    await store(other, [{ cost: "99", messageCount: 99, lastActivityAt: START + 1e9 }]);
    const { known, unknown = [[], []] } = DESCENDING[sort];
    expect(await all(ctx, { sort })).toEqual([...known, ...unknown[0]]);
    expect(await all(ctx, { sort, order: "asc" })).toEqual([...known.toReversed(), ...unknown[1]]);
    const failing = (ids: readonly number[]) => ids.filter((id) => id >= 5);
    expect(await all(ctx, { sort, hasErrors: true })).toEqual(failing(known));
    expect(await all(ctx, { sort, order: "asc", hasErrors: true })).toEqual(failing(known.toReversed()));
  },
);

test("conversations that arrive during pagination neither appear nor push others out", async () => {
  const { ctx } = await testProject();
  await store(ctx, ROWS);
  let arrived = 100;
  const read = await all(ctx, { sort: "cost" }, async () => {
    const id = `conv_${++arrived}`;
    await store(ctx, [{ id, key: id, cost: "5" }]);
  });
  expect(read).toEqual([3, 5, 0, 2, 6, 4, 1]);
});

test("a cursor is rejected with another order, another direction, other filters, or a forged position", async () => {
  const { ctx } = await testProject();
  await store(ctx, ROWS);
  const { pagination } = await page(ctx, { sort: "cost", limit: 2 });
  const cursor = pagination.nextCursor!;
  const refused = { code: "invalid" };
  for (const input of [
    {},
    { sort: "tokens" },
    { sort: "cost", order: "asc" },
    { sort: "cost", hasErrors: true },
  ] as const) {
    await expect(page(ctx, { ...input, cursor })).rejects.toMatchObject(refused);
  }
  const [bound] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [string];
  for (const position of [["1e9", "conv_000"], ["NaN", "conv_000"], [1, "conv_000"], ["1", "\0"], "1"]) {
    const forged = Buffer.from(JSON.stringify([bound, position])).toString("base64url");
    await expect(page(ctx, { sort: "cost", cursor: forged })).rejects.toMatchObject(refused);
  }
  const { ctx: other } = await testProject();
  await expect(page(other, { sort: "cost", cursor })).rejects.toMatchObject(refused);
});

test("an order together with a filter covers the newest ten thousand, and reports when there are more", async () => {
  const { ctx } = await testProject();
  const many = (from: number, count: number) =>
    store(
      ctx,
      Array.from({ length: count }, (_, at) => ({
        id: `conv_${from + at}`,
        key: `key-${from + at}`,
        startedAt: START + from + at,
        lastActivityAt: START + from + at,
        errorCount: 1,
        usage: { input_tokens: 1_000_000 - from - at },
      })),
    );
  for (let from = 0; from < 10_000; from += 2000) await many(from, 2000);
  const within = await page(ctx, { sort: "tokens", hasErrors: true, limit: 1 });
  expect(within).toMatchObject({ sampled: false, conversations: [{ id: "conv_0" }] });
  await many(10_000, 1);
  const beyond = await page(ctx, { sort: "tokens", hasErrors: true, limit: 1 });
  expect(beyond.sampled).toBe(true);
  expect(await page(ctx, { sort: "tokens", limit: 1 })).toMatchObject({ sampled: false });
});
