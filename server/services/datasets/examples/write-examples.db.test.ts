import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversations, datasets, datasetVersions, exampleRevisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { smallPayload } from "../chat-payload/testing";
import { closeVersion } from "../versions/open-version";
import { lockDataset } from "./lock-dataset";
import { splitOf } from "./split";
import { creating, draft, requireExactCounts, storedDataset, write } from "./testing";
import type { Change, Outcome } from "./types";
import { writeExamples } from "./write-examples";

const versionsOf = (ctx: Ctx, datasetId: string) =>
  ctx.db
    .select()
    .from(datasetVersions)
    .where(eq(datasetVersions.datasetId, datasetId))
    .orderBy(asc(datasetVersions.number));
const currentOf = (ctx: Ctx, datasetId: string) =>
  ctx.db
    .select()
    .from(exampleRevisions)
    .where(and(eq(exampleRevisions.datasetId, datasetId), isNull(exampleRevisions.toVersion)))
    .orderBy(asc(exampleRevisions.ordinal));
const idOf = (outcome: Outcome | undefined) => (outcome && "exampleId" in outcome ? outcome.exampleId : "none");
const close = (ctx: Ctx, datasetId: string, causeId?: string) =>
  inTransaction(ctx, async (tx) => closeVersion(tx, await lockDataset(tx, datasetId), causeId));
const CONFLICT = { code: "conflict" };

async function world() {
  const { ctx } = await testProject();
  return { ctx, datasetId: await storedDataset(ctx) };
}

/** Moves the start of the newest version into the past. */
const age = (ctx: Ctx, datasetId: string, ms: number) =>
  ctx.db
    .update(datasetVersions)
    .set({ createdAt: Date.now() - ms })
    .where(eq(datasetVersions.datasetId, datasetId));

test("each change is reported as created, updated, unchanged, duplicate, deleted or missing", async () => {
  const { ctx, datasetId } = await world();
  const created = await write(ctx, datasetId, [creating("a", { tags: ["x", "x"] }), creating("b"), creating("a")]);
  expect(created).toEqual([
    { status: "created", exampleId: expect.stringMatching(/^ex_/) },
    { status: "created", exampleId: expect.stringMatching(/^ex_/) },
    { status: "duplicate", exampleId: idOf(created[0]), of: "content" },
  ]);
  const [a, b] = [idOf(created[0]), idOf(created[1])];
  const outcomes = await write(ctx, datasetId, [
    { kind: "update", exampleId: a, patch: { tags: ["y"] } },
    { kind: "update", exampleId: a, patch: { tags: ["y"] } },
    { kind: "update", exampleId: b, patch: { payload: smallPayload("a") } },
    { kind: "delete", exampleId: b },
    { kind: "delete", exampleId: b },
    creating("b"),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "updated",
    "unchanged",
    "duplicate",
    "deleted",
    "missing",
    "created",
  ]);
  const rows = await currentOf(ctx, datasetId);
  expect(rows.map(({ ordinal, tags, payload }) => ({ ordinal, tags, payload }))).toEqual([
    { ordinal: 1, tags: ["y"], payload: smallPayload("a") },
    { ordinal: 3, tags: [], payload: smallPayload("b") },
  ]);
  await requireExactCounts(ctx, datasetId);
});

test("another project's Dataset and a deleted one are not found", async () => {
  const { ctx, datasetId } = await world();
  const { ctx: stranger } = await testProject();
  await expect(write(stranger, datasetId, [creating("a")])).rejects.toMatchObject({ code: "not_found" });
  await ctx.db.update(datasets).set({ deletedAt: 1 }).where(eq(datasets.id, datasetId));
  await expect(write(ctx, datasetId, [creating("a")])).rejects.toMatchObject({ code: "not_found" });
});

test("one person's edits within half an hour are one version, and unchanged Examples are not stored again", async () => {
  const { ctx, datasetId } = await world();
  const { ctx: elsewhere } = await testProject();
  const colleague: Ctx = { ...ctx, actor: elsewhere.actor };
  const [first] = await write(ctx, datasetId, [creating("a"), creating("b")]);
  await write(ctx, datasetId, [creating("c")]);
  expect(await versionsOf(ctx, datasetId)).toMatchObject([{ number: 1, kind: "edit", added: 3, exampleCount: 3 }]);
  await write(colleague, datasetId, [{ kind: "update", exampleId: idOf(first), patch: { tags: ["seen"] } }]);
  await write(colleague, datasetId, [{ kind: "update", exampleId: idOf(first), patch: { tags: ["seen twice"] } }]);
  await write(ctx, datasetId, [creating("d")]);
  await age(ctx, datasetId, 31 * 60_000);
  await write(ctx, datasetId, [{ kind: "delete", exampleId: idOf(first) }]);
  expect(await versionsOf(ctx, datasetId)).toMatchObject([
    { number: 1, added: 3, changed: 0, removed: 0, exampleCount: 3, closedAt: expect.any(Number) },
    { number: 2, added: 0, changed: 1, removed: 0, exampleCount: 3, closedAt: expect.any(Number) },
    { number: 3, added: 1, changed: 0, removed: 0, exampleCount: 4, closedAt: expect.any(Number) },
    { number: 4, added: 0, changed: 0, removed: 1, exampleCount: 3, closedAt: null },
  ]);
  expect(await ctx.db.$count(exampleRevisions, eq(exampleRevisions.datasetId, datasetId))).toBe(5);
  await requireExactCounts(ctx, datasetId);
});

test("changes that cancel each other within a version leave no trace in its counts", async () => {
  const { ctx, datasetId } = await world();
  const [a] = await write(ctx, datasetId, [creating("a")], { kind: "import", causeId: "imp_1" });
  await close(ctx, datasetId);
  const [b] = await write(ctx, datasetId, [
    creating("b"),
    { kind: "update", exampleId: idOf(a), patch: { tags: ["t"] } },
  ]);
  await write(ctx, datasetId, [
    { kind: "delete", exampleId: idOf(b) },
    { kind: "delete", exampleId: idOf(a) },
  ]);
  expect(await versionsOf(ctx, datasetId)).toMatchObject([
    { added: 1, exampleCount: 1 },
    { added: 0, changed: 0, removed: 1, exampleCount: 0 },
  ]);
  await requireExactCounts(ctx, datasetId);
});

test("an import continues its version until it is closed, and other writes are refused until then", async () => {
  const { ctx, datasetId } = await world();
  const importing = { kind: "import" as const, causeId: "imp_1" };
  await write(ctx, datasetId, [creating("a")], importing);
  await write(ctx, datasetId, [creating("b")], importing);
  await expect(write(ctx, datasetId, [creating("c")])).rejects.toMatchObject({
    ...CONFLICT,
    message: expect.stringContaining("import"),
  });
  await expect(write(ctx, datasetId, [creating("c")], { kind: "import", causeId: "imp_2" })).rejects.toMatchObject(
    CONFLICT,
  );
  await close(ctx, datasetId, "imp_2");
  await expect(write(ctx, datasetId, [creating("c")])).rejects.toMatchObject(CONFLICT);
  await close(ctx, datasetId, "imp_1");
  await expect(write(ctx, datasetId, [creating("c")], importing)).rejects.toMatchObject(CONFLICT);
  await write(ctx, datasetId, [creating("c")]);
  expect(await versionsOf(ctx, datasetId)).toMatchObject([
    { number: 1, kind: "import", causeId: "imp_1", added: 2, closedAt: expect.any(Number) },
    { number: 2, kind: "edit", causeId: null, added: 1, closedAt: null },
  ]);
});

test("a write that changes nothing creates no version", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("a")], { kind: "import", causeId: "imp_1" });
  await close(ctx, datasetId);
  const outcomes = await write(ctx, datasetId, [creating("a")], { kind: "import", causeId: "imp_2" });
  expect(outcomes).toMatchObject([{ status: "duplicate", of: "content" }]);
  expect(await versionsOf(ctx, datasetId)).toHaveLength(1);
});

test("a duplicate by reference is skipped, updated or kept, and one by provenance is always skipped", async () => {
  const { ctx, datasetId } = await world();
  const ref = (question: string, onDuplicate: "skip" | "update" | "keep"): Change => ({
    kind: "create",
    onDuplicate,
    draft: draft(question, { source: { kind: "import", externalRef: "row-1" } }),
  });
  const [first] = await write(ctx, datasetId, [ref("a", "skip"), creating("p", { provenanceKey: "prov" })]);
  expect(await write(ctx, datasetId, [ref("b", "skip")])).toEqual([
    { status: "duplicate", exampleId: idOf(first), of: "externalRef" },
  ]);
  expect(await write(ctx, datasetId, [ref("b", "update"), ref("b", "update")])).toEqual([
    { status: "updated", exampleId: idOf(first) },
    { status: "unchanged", exampleId: idOf(first) },
  ]);
  expect(await write(ctx, datasetId, [ref("c", "keep"), ref("c", "keep")])).toMatchObject([
    { status: "created" },
    { status: "duplicate", of: "content" },
  ]);
  expect(await write(ctx, datasetId, [creating("q", { provenanceKey: "prov" })])).toMatchObject([
    { status: "duplicate", of: "provenance" },
  ]);
  expect((await currentOf(ctx, datasetId)).map(({ payload }) => payload)).toEqual(
    ["b", "p", "c"].map((q) => smallPayload(q)),
  );
  await requireExactCounts(ctx, datasetId);
});

test("content equal to that of a removed revision is not a duplicate", async () => {
  const { ctx, datasetId } = await world();
  const [a] = await write(ctx, datasetId, [creating("a")], { kind: "import", causeId: "imp_1" });
  await close(ctx, datasetId);
  expect(await write(ctx, datasetId, [{ kind: "delete", exampleId: idOf(a) }, creating("a")])).toMatchObject([
    { status: "deleted" },
    { status: "created" },
  ]);
  await requireExactCounts(ctx, datasetId);
});

test("two Examples can swap their contents in one call only through a third content", async () => {
  const { ctx, datasetId } = await world();
  const [a, b] = (await write(ctx, datasetId, [creating("a"), creating("b")])).map(idOf) as [string, string];
  await age(ctx, datasetId, 31 * 60_000);
  const to = (exampleId: string, question: string): Change => ({
    kind: "update",
    exampleId,
    patch: { payload: smallPayload(question) },
  });
  const outcomes = await write(ctx, datasetId, [to(a, "b"), to(a, "c"), to(b, "a"), to(a, "b")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["duplicate", "updated", "updated", "updated"]);
  expect((await currentOf(ctx, datasetId)).map(({ payload }) => payload)).toEqual([
    smallPayload("b"),
    smallPayload("a"),
  ]);
  expect(await versionsOf(ctx, datasetId)).toMatchObject([{ added: 2 }, { changed: 2 }]);
  await requireExactCounts(ctx, datasetId);
});

test("eight concurrent writers leave every count exact", async () => {
  const { ctx, datasetId } = await world();
  const WRITERS = 8;
  const ROUNDS = 6;
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let round = 0; round < ROUNDS; round++) {
        const questions = [0, 1, 2].map((n) => `${writer} ${round} ${n}`);
        const made = await write(ctx, datasetId, [
          ...questions.map((question) => creating(question, { tags: [`writer ${writer}`] })),
          creating(`shared ${round}`),
        ]);
        await write(ctx, datasetId, [
          { kind: "delete", exampleId: idOf(made[0]) },
          { kind: "update", exampleId: idOf(made[1]), patch: { tags: ["changed"] } },
        ]);
      }
    }),
  );
  const [dataset] = await ctx.db.select().from(datasets).where(eq(datasets.id, datasetId));
  expect(dataset!.exampleCount).toBe(WRITERS * ROUNDS * 2 + ROUNDS);
  await requireExactCounts(ctx, datasetId);
});

test("a transaction that fails after writing stores nothing", async () => {
  const { ctx, datasetId } = await world();
  const failing = inTransaction(ctx, async (tx) => {
    await write(tx, datasetId, [creating("a")]);
    throw new Error("The process ends here.");
  });
  await expect(failing).rejects.toThrow("ends here");
  expect(await currentOf(ctx, datasetId)).toEqual([]);
  expect(await versionsOf(ctx, datasetId)).toEqual([]);
  await requireExactCounts(ctx, datasetId);
});

test("all Examples of a conversation are in one split, about 80, 10 and 10 % of conversations", async () => {
  const { ctx, datasetId } = await world();
  const { id: conversationId } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  const link = { conversationId, userId: null, turn: 1, findingId: null };
  await write(ctx, datasetId, [
    creating("of nobody"),
    creating("a", { link }),
    creating("b", { link }),
    creating("c", { link, split: "test" }),
  ]);
  const split = splitOf(conversationId);
  expect((await currentOf(ctx, datasetId)).map((one) => one.split)).toEqual(["train", split, split, split]);
  const splits = Array.from({ length: 10_000 }, (_, n) => splitOf(`conv_${n}`));
  for (const [split, share] of Object.entries({ train: 8000, validation: 1000, test: 1000 })) {
    expect(Math.abs(splits.filter((one) => one === split).length - share)).toBeLessThan(150);
  }
});

test("a Dataset's first Example is for training, unless it was given a split", async () => {
  for (const n of Array(12).keys()) {
    const { ctx, datasetId } = await world();
    await write(ctx, datasetId, [creating(`only ${n}`)]);
    expect((await currentOf(ctx, datasetId)).map((one) => one.split)).toEqual(["train"]);
  }
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("held out", { split: "validation" })]);
  expect((await currentOf(ctx, datasetId)).map((one) => one.split)).toEqual(["validation"]);
});

test("moving an Example to another split moves its conversation's other Examples too, including later ones", async () => {
  const { ctx, datasetId } = await world();
  const { id: conversationId } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  const link = { conversationId, userId: null, turn: 1, findingId: null };
  const [first] = await write(ctx, datasetId, [
    creating("a", { link }),
    creating("b", { link }),
    creating("of nobody"),
  ]);
  const before = await currentOf(ctx, datasetId);
  const moved = "test";
  const outcomes = await write(ctx, datasetId, [
    { kind: "update", exampleId: idOf(first), patch: { split: moved } },
    creating("c", { link }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["updated", "created"]);
  const after = await currentOf(ctx, datasetId);
  expect(after.map(({ split }) => split)).toEqual([moved, moved, before[2]!.split, moved]);
  expect(after.map(({ payload }) => payload).slice(0, 3)).toEqual(before.map(({ payload }) => payload));
  await requireExactCounts(ctx, datasetId);
});

test("an Example that is linked to a conversation takes the split of its other Examples", async () => {
  const { ctx, datasetId } = await world();
  const { id: conversationId } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  const link = { conversationId, userId: null, turn: 1, findingId: null };
  await write(ctx, datasetId, [creating("a", { link }), creating("imported", { split: "test" })]);
  const change = { ...creating("imported", { link }), onDuplicate: "update" } as Change;
  expect(await write(ctx, datasetId, [change])).toMatchObject([{ status: "updated" }]);
  expect((await currentOf(ctx, datasetId)).map((one) => one.split)).toEqual(["train", "train"]);
  await requireExactCounts(ctx, datasetId);
});

test("a missing or another project's conversation gives no Example, and one being deleted is a conflict", async () => {
  const { ctx, datasetId } = await world();
  const { ctx: stranger } = await testProject();
  const { id } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  const { id: foreign } = await storedConversation(stranger, [{ role: "user", text: "Hello" }]);
  const from = (conversationId: string) =>
    creating("a", { link: { conversationId, userId: null, turn: 0, findingId: null } });
  expect(await write(ctx, datasetId, [from(foreign), from("conv_none")])).toEqual([
    { status: "missing" },
    { status: "missing" },
  ]);
  await inTransaction(ctx, async (tx) => {
    await tx.db.delete(conversations).where(eq(conversations.id, id));
    // Throws instead of waiting for the deletion, which could itself be waiting for the Dataset.
    for (const cause of [{ kind: "edit" as const }, { kind: "import" as const, causeId: "imp_1" }])
      await expect(write(ctx, datasetId, [from(id)], cause)).rejects.toMatchObject({ code: "conflict" });
  });
  expect(await write(ctx, datasetId, [from(id)], { kind: "import", causeId: "imp_1" })).toMatchObject([
    { status: "created" },
  ]);
});

test("a change reads the Examples that it names, not the Dataset once for each, also before there are statistics", async () => {
  const { ctx, datasetId } = await world();
  const count = 1_500;
  const outcomes = await write(
    ctx,
    datasetId,
    Array.from({ length: count }, (_, n) => creating(`Question ${n}`, { split: "train" })),
  );
  const moves = outcomes.slice(0, count / 3).map((one): Change => {
    return { kind: "update", exampleId: idOf(one), patch: { split: "test" } };
  });
  const read = await inTransaction(ctx, async (tx) => {
    await writeExamples(tx, await lockDataset(tx, datasetId), moves, { kind: "edit" });
    const [counted] = await tx.db.execute<{ rows: string }>(sql`
      select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables
      where schemaname = current_schema() and relname = 'example_revisions'`);
    return Number(counted!.rows);
  });
  // A few times at most: by its ids, by its conversations, and when it is closed.
  expect(read).toBeLessThan(10 * count);
  expect(read).toBeGreaterThanOrEqual(moves.length);
});
