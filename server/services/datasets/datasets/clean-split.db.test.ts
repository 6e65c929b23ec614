import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { smallPayload } from "../chat-payload/testing";
import { creating, requireExactCounts, storedDataset, write } from "../examples/testing";
import type { Draft, Split } from "../examples/types";
import { checkDataset } from "./check-dataset";
import { cleanSplit } from "./clean-split";

/** A question without a word in common with others, and one that differs from it in one word of nine. */
const question = (n: number) => Array.from({ length: 8 }, (_, word) => `q${n}w${word}`).join(" ");
const nearCopy = (n: number) => `${question(n)} please`;
const asking = (text: string, more: Partial<Draft> = {}) =>
  creating(text, { payload: smallPayload(text, `Answer to ${text.slice(0, 4)}`), ...more });

const splitsOf = async ({ db, projectId }: Ctx, datasetId: string) => {
  const rows = await db.execute<{ question: string; split: Split }>(sql`
    select payload #>> '{input,messages,0,content}' as question, split from example_revisions
    where project_id = ${projectId} and dataset_id = ${datasetId} and to_version is null order by ordinal`);
  return new Map([...rows].map((row) => [row.question, row.split]));
};

async function world() {
  const { ctx } = await testProject();
  return { ctx, datasetId: await storedDataset(ctx) };
}

const COUNT = 60;

test("a near copy comes to the side of the Example that it copies, added at once or later", async () => {
  const { ctx, datasetId } = await world();
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  await write(ctx, datasetId, [
    ...numbers.map((n) => asking(question(n))),
    ...numbers.slice(0, COUNT / 2).map((n) => asking(nearCopy(n))),
  ]);
  await write(
    ctx,
    datasetId,
    numbers.slice(COUNT / 2).map((n) => asking(nearCopy(n))),
  );
  const splits = await splitsOf(ctx, datasetId);
  expect(splits.size).toBe(2 * COUNT);
  expect(new Set(splits.values()).size).toBe(3);
  expect(numbers.filter((n) => splits.get(question(n)) !== splits.get(nearCopy(n)))).toEqual([]);
  const { check } = await checkDataset(ctx, { datasetId });
  expect(check.heldOut).toMatchObject({ seen: 0, ignored: [], largest: [] });
  expect(check.heldOut.count).toBeGreaterThan(0);
  await requireExactCounts(ctx, datasetId);
});

test("Examples of one user are on one side while they are few, and so are equal long answers", async () => {
  const { ctx, datasetId } = await world();
  const answer = "You can send it back within thirty days at no cost.";
  const of = async (userId: string | null) => {
    const { id } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
    return { conversationId: id, userId, turn: 1, findingId: null };
  };
  await write(ctx, datasetId, [
    asking(question(0), { split: "train" }),
    asking(question(1), { split: "test", link: await of("ada") }),
    creating(question(2), { split: "validation", payload: smallPayload(question(2), answer) }),
  ]);
  await write(ctx, datasetId, [
    asking(question(3), { link: await of("ada") }),
    creating(question(4), { payload: smallPayload(question(4), answer.toUpperCase()) }),
  ]);
  const splits = await splitsOf(ctx, datasetId);
  expect([splits.get(question(3)), splits.get(question(4))]).toEqual(["test", "validation"]);
  // What everybody has in common decides nothing: some of these are held out, and some are not.
  await write(
    ctx,
    datasetId,
    await Promise.all(
      Array.from({ length: COUNT }, async (_, n) => asking(question(10 + n), { link: await of("bot") })),
    ),
  );
  const after = await splitsOf(ctx, datasetId);
  expect(new Set(Array.from({ length: COUNT }, (_, n) => after.get(question(10 + n)))).size).toBeGreaterThan(1);
});

test("a split that was given is kept, and the check counts what it leaves in both", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [
    asking(question(0), { split: "train" }),
    asking(nearCopy(0), { split: "test" }),
    asking(question(1), { split: "test" }),
  ]);
  expect((await splitsOf(ctx, datasetId)).get(nearCopy(0))).toBe("test");
  const { heldOut } = (await checkDataset(ctx, { datasetId })).check;
  expect(heldOut).toMatchObject({
    count: 2,
    seen: 1,
    largest: [{ exampleCount: 2, splits: ["test", "train"], exampleIds: [expect.any(String), expect.any(String)] }],
  });
});

test("a clean split moves copies to one side in a new version, leaves all others, and keeps the earlier version", async () => {
  const { ctx, datasetId } = await world();
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  const given = (n: number): Split => (n % 5 === 0 ? "test" : n % 5 === 1 ? "validation" : "train");
  await write(ctx, datasetId, [
    ...numbers.map((n) => asking(question(n), { split: given(n) })),
    ...numbers.slice(0, 20).map((n) => asking(nearCopy(n), { split: "train" })),
  ]);
  const before = await splitsOf(ctx, datasetId);
  const { check } = await checkDataset(ctx, { datasetId });
  expect(check.heldOut).toMatchObject({ count: 24, seen: 8 });
  const { cleanSplit: done } = await cleanSplit(ctx, { datasetId });
  expect(done).toEqual({ moved: 8, version: 2 });
  const after = await splitsOf(ctx, datasetId);
  const alone = numbers.slice(20).map(question);
  expect(alone.map((text) => after.get(text))).toEqual(alone.map((text) => before.get(text)));
  expect((await checkDataset(ctx, { datasetId })).check.heldOut.seen).toBe(0);
  const [first] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from example_revisions where project_id = ${ctx.projectId} and dataset_id = ${datasetId}
      and from_version <= 1 and coalesce(to_version > 1, true) and split = 'test'`);
  expect(first!.count).toBe(12);
  expect(await cleanSplit(ctx, { datasetId })).toEqual({ cleanSplit: { moved: 0, version: 2 } });
  await requireExactCounts(ctx, datasetId);
});

test("a clean split restores the shares of 80, 10 and 10 % where much has to move", async () => {
  const { ctx, datasetId } = await world();
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  await write(ctx, datasetId, [
    ...numbers.map((n) => asking(question(n), { split: "test" })),
    ...numbers.map((n) => asking(nearCopy(n), { split: "train" })),
  ]);
  await cleanSplit(ctx, { datasetId });
  const counts = { train: 0, validation: 0, test: 0 };
  for (const split of (await splitsOf(ctx, datasetId)).values()) counts[split] += 1;
  expect(counts).toEqual({ train: 160, validation: 20, test: 20 });
});

test("Examples stored before there were keys get theirs with the next write", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [asking(question(0), { split: "train" }), asking(question(1), { split: "validation" })]);
  const current = sql`project_id = ${ctx.projectId} and dataset_id = ${datasetId}`;
  await ctx.db.execute(sql`update example_revisions set likeness = null where ${current}`);
  await write(ctx, datasetId, [asking(nearCopy(1))]);
  expect((await splitsOf(ctx, datasetId)).get(nearCopy(1))).toBe("validation");
  const [left] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from example_revisions where ${current} and likeness is null`);
  expect(left!.count).toBe(0);
});

test("another project's Dataset is neither split nor compared with", async () => {
  const { ctx, datasetId } = await world();
  const { ctx: stranger } = await testProject();
  await expect(cleanSplit(stranger, { datasetId })).rejects.toMatchObject({ code: "not_found" });
  await write(ctx, datasetId, [asking(question(0), { split: "test" })]);
  const theirs = await storedDataset(stranger);
  await write(stranger, theirs, [asking(nearCopy(0))]);
  expect((await splitsOf(stranger, theirs)).get(nearCopy(0))).toBe("train");
});
