import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import {
  collectionQueue,
  datasetImportSources,
  datasetVersions,
  exampleCandidates,
  exampleRevisions,
  files,
} from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { addConversationsToDatasets } from "@/server/services/collection";
import { deleteConversation, deleteUserData, getDeletion, runDeletion } from "@/server/services/deletion";
import { listConversations } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { checkDataset, createDataset, listExamples, rejectCandidate, updateExample } from "..";
import { creating, requireExactCounts, storedDataset, write } from "../examples/testing";
import { chatLine, newImport } from "../imports/testing";
import { storedCandidate } from "../review/testing";

const START = Date.UTC(2026, 10, 1);
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
const SESSION = { "session.id": "chat", "user.id": "ann" };

/**
 * A conversation of a named session, and one without a name that turns out to belong to the same session: `merge` makes that
 * known.
 */
async function twoConversations(ctx: Ctx, n = 1) {
  const session = { ...SESSION, "session.id": `chat ${n}` };
  const [named, alone] = [hex(2 * n, 32), hex(2 * n + 1, 32)];
  const said = { input: [["user", `A question without a name ${n}`]] as [string, string][] };
  await ingest(ctx, [
    chatSpan({ traceId: named, spanId: hex(2 * n, 16), startMs: START, attributes: session }),
    chatSpan({ traceId: alone, spanId: hex(2 * n + 1, 16), startMs: START + 1 }, said),
  ]);
  const all = (await listConversations(ctx, {})).conversations;
  const idOf = (traceId: string) => all.find(({ traceIds }) => traceIds.includes(traceId))!.id;
  const merge = () =>
    ingest(ctx, [{ traceId: alone, spanId: hex(2 * n + 1_000_000, 16), startMs: START, attributes: session }]);
  return { host: idOf(named), left: idOf(alone), merge };
}

const revisionsOf = (ctx: Ctx) =>
  ctx.db
    .select()
    .from(exampleRevisions)
    .where(eq(exampleRevisions.projectId, ctx.projectId))
    .orderBy(exampleRevisions.ordinal, exampleRevisions.fromVersion);
const candidateOf = async (ctx: Ctx, datasetId: string, conversationId: string) => {
  const id = await storedCandidate(ctx, datasetId);
  await ctx.db.update(exampleCandidates).set({ conversationId }).where(eq(exampleCandidates.id, id));
  return id;
};
const linkTo = (conversationId: string) => ({ link: { conversationId, userId: null, turn: 1, findingId: null } });

/** Makes everything that can be made from a conversation, and then merges it into another. */
async function madeAndMerged(ctx: Ctx) {
  const { host, left, merge } = await twoConversations(ctx);
  const datasetId = await storedDataset(ctx);
  await addConversationsToDatasets(ctx, { conversationIds: [left], datasetIds: [datasetId] });
  await candidateOf(ctx, datasetId, left);
  const rejected = await candidateOf(ctx, datasetId, left);
  await rejectCandidate(ctx, { candidateId: rejected, reason: "No." });
  const importId = await newImport(ctx, datasetId, [chatLine("Hello")]);
  const source = { projectId: ctx.projectId, importId };
  await ctx.db.insert(datasetImportSources).values([
    { ...source, conversationId: left },
    { ...source, conversationId: host },
  ]);
  await merge();
  return { host, left, datasetId };
}

test("Examples, candidates and files of a merged conversation are deleted with the other one's user, in that project only", async () => {
  const [{ ctx }, neighbour] = [await testProject(), await testProject()];
  const { datasetId } = await madeAndMerged(ctx);
  const theirs = await madeAndMerged(neighbour.ctx);
  const { deletion } = await deleteUserData(ctx, { userId: "ann" });
  while (!(await runDeletion(ctx.db, deletion.id, { forMs: 10_000, jobName: "test" })).done);
  const receipt = (await getDeletion(ctx, { deletionId: deletion.id })).deletion;
  expect(receipt.counts).toMatchObject({ example_revisions: 1, example_candidates: 1, files: 1 });
  const tables = [exampleRevisions, exampleCandidates, datasetImportSources, files];
  for (const [each, left] of [
    [ctx, 0],
    [neighbour.ctx, 1],
  ] as const)
    for (const table of tables) expect(await db().$count(table, eq(table.projectId, each.projectId))).toBe(left);
  expect(await revisionsOf(neighbour.ctx)).toMatchObject([{ conversationId: theirs.host, userId: "ann", turn: null }]);
  await requireExactCounts(ctx, datasetId);
});

test("a merge moves an Example in every version, and gives it the new conversation's split", async () => {
  const { ctx } = await testProject();
  const { host, left, merge } = await twoConversations(ctx);
  const [shared, alone] = [await storedDataset(ctx, "Shared"), await storedDataset(ctx, "Alone")];
  await write(ctx, shared, [creating("of the host", { ...linkTo(host), split: "test" })]);
  for (const datasetId of [shared, alone]) {
    const [made] = await write(ctx, datasetId, [creating("of the other", { ...linkTo(left), split: "train" })]);
    await ctx.db.update(datasetVersions).set({ closedAt: 1 }).where(eq(datasetVersions.datasetId, datasetId));
    await updateExample(ctx, { datasetId, exampleId: (made as { exampleId: string }).exampleId, tags: ["changed"] });
  }
  await merge();

  const revisions = await revisionsOf(ctx);
  expect(revisions).toHaveLength(5);
  expect(new Set(revisions.map(({ conversationId }) => conversationId))).toEqual(new Set([host]));
  expect(JSON.stringify(revisions)).not.toContain(left);
  for (const [datasetId, split, count] of [
    [shared, "test", 2],
    [alone, "train", 1],
  ] as const) {
    const found = await listExamples(ctx, { datasetId, conversationId: host, split });
    expect(found.examples).toHaveLength(count);
    const splits = revisions.filter((row) => row.datasetId === datasetId).map((row) => row.split);
    expect(new Set(splits)).toEqual(new Set([split]));
    expect((await checkDataset(ctx, { datasetId })).check.conversationsInSeveralSplits.count).toBe(0);
    await requireExactCounts(ctx, datasetId);
  }
});

test("a duplicate trace moves its conversation's Examples to the other conversation", async () => {
  const { ctx } = await testProject();
  const response = { "gen_ai.response.id": "msg_1" };
  const duplicate = { traceId: hex(2, 32), spanId: hex(2, 16), scope: "sdk", startMs: START };
  await ingest(ctx, [chatSpan({ ...duplicate, attributes: response })]);
  const { id: left } = (await listConversations(ctx, {})).conversations[0]!;
  const datasetId = await storedDataset(ctx);
  await addConversationsToDatasets(ctx, { conversationIds: [left], datasetIds: [datasetId] });
  const told = { traceId: hex(1, 32), spanId: hex(1, 16), startMs: START, attributes: { ...response, ...SESSION } };
  await ingest(ctx, [chatSpan(told)]);
  const { conversations: now } = await listConversations(ctx, {});
  expect(now).toMatchObject([{ externalId: "chat" }]);
  expect(await revisionsOf(ctx)).toMatchObject([{ conversationId: now[0]!.id }]);
});

test("a merge deletes waiting candidates, queues the remaining conversation for collection and moves decided candidates", async () => {
  const { ctx } = await testProject();
  await createDataset(ctx, {
    name: "Collects",
    collectionObjective: "preserve_successful_behavior",
    collectionEnabled: true,
  });
  const { host } = await madeAndMerged(ctx);
  const candidates = await ctx.db
    .select()
    .from(exampleCandidates)
    .where(eq(exampleCandidates.projectId, ctx.projectId));
  expect(candidates).toMatchObject([{ status: "rejected", conversationId: host, userId: "ann" }]);
  const queued = and(eq(collectionQueue.projectId, ctx.projectId), eq(collectionQueue.conversationId, host));
  expect(await ctx.db.$count(collectionQueue, queued)).toBe(1);
});

/** Waits until another connection to the test's database is blocked on a lock. */
async function untilBlocked() {
  for (;;) {
    const blocked = await db().execute(sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    if (blocked.length > 0) return;
    await sleep(20);
  }
}

test("a merge waits for an Example that is being created from its conversation, and moves it", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const { host, left, merge } = await twoConversations(ctx);
  const merging = await inTransaction(ctx, async (tx) => {
    await write(tx, datasetId, [creating("made meanwhile", linkTo(left))]);
    const started = merge();
    await untilBlocked();
    return { started };
  });
  await merging.started;
  expect(await revisionsOf(ctx)).toMatchObject([{ conversationId: host }]);
});

test("no Example is orphaned while Examples are created and conversations merged and deleted concurrently", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  for (let round = 1; round <= 8; round++) {
    const { host, left, merge } = await twoConversations(ctx, round);
    const made = Array.from({ length: 3 }, (_, n) => write(ctx, datasetId, [creating(`${round} ${n}`, linkTo(left))]));
    const deleted = round % 2 === 0 ? [deleteConversation(ctx, { conversationId: host })] : [];
    const [merged, ...others] = await Promise.allSettled([merge(), ...deleted, ...made]);
    expect([merged, ...others.slice(0, deleted.length)].map(({ status }) => status)).not.toContain("rejected");
  }
  const orphaned = await ctx.db.execute(sql`
    select 1 from example_revisions r where r.project_id = ${ctx.projectId} and not exists (
      select 1 from conversations c where c.project_id = r.project_id and c.id = r.conversation_id)`);
  expect([...orphaned]).toEqual([]);
  await requireExactCounts(ctx, datasetId);
});
