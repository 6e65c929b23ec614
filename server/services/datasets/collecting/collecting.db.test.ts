import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { datasets } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { deleteUserData, runDeletion } from "@/server/services/deletion";
import { createRuleRuns, executeRuleRuns, updateDiagnosticSettings } from "@/server/services/diagnostics";
import { queueCollection } from "@/server/services/diagnostics/runs/queue-collection";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { createFeedback } from "@/server/services/telemetry";
import {
  cancelCollectionPass,
  collectSettled,
  createCollectionPass,
  createDataset,
  createKnowledgeGoal,
  failCollectionPass,
  getCollectionPass,
  listCollectionPasses,
  listReviewQueue,
  nextCandidate,
  previewCollection,
  rejectCandidate,
  runCollectionPass,
  unfinishedCollectionPasses,
} from "..";
import { requireExactCounts } from "../examples/testing";

const OBJECTIVE = "preserve_successful_behavior" as const;
const WINDOW = { startMs: 0, endMs: Date.UTC(2099, 0), maxConversations: 10_000 };
const TOPICS = ["parcels", "invoices", "passwords", "holidays", "printers", "tickets", "recipes", "contracts"];

beforeEach(async () => {
  await db().execute(sql`delete from collection_queue`);
});

async function collectingDataset(ctx: Ctx, more: { collectionReview?: boolean } = {}) {
  const { dataset } = await createDataset(ctx, {
    name: "Answers",
    collectionObjective: OBJECTIVE,
    collectionEnabled: true,
    ...more,
  });
  return dataset.id;
}

const isSettled = (ctx: Ctx) =>
  db().execute(sql`
    update conversations set received_at = 1, diagnosed_received_at = 1 where project_id = ${ctx.projectId}`);

/** A conversation that a user praised, of words that no other has. */
async function praised(ctx: Ctx, n: number, options: { userId?: string; words?: string } = {}) {
  const topic = TOPICS[n % TOPICS.length];
  const words = options.words ?? Array.from({ length: 30 }, (_, at) => `${topic}${n}word${at}`).join(" ");
  const { id } = await storedConversation(
    ctx,
    [
      { role: "user", text: `Tell me about ${words}?` },
      { role: "assistant", text: `Here is what I know about ${words}.` },
    ],
    { startedAt: Date.UTC(2026, 9, 1) + n * 60_000, ...(options.userId ? { userId: options.userId } : {}) },
  );
  await createFeedback(ctx, { conversationId: id, kind: "thumb", value: "up" });
  return id;
}

async function praisedOnes(ctx: Ctx, count: number) {
  const ids = [];
  for (let n = 0; n < count; n += 1) ids.push(await praised(ctx, n));
  await isSettled(ctx);
  return ids;
}

const pass = async (ctx: Ctx, datasetId: string) =>
  (await createCollectionPass(ctx, { datasetId, ...WINDOW })).collectionPass.id;
const read = async (ctx: Ctx, datasetId: string, collectionPassId: string) =>
  (await getCollectionPass(ctx, { datasetId, collectionPassId })).collectionPass;
const untilDone = async (ctx: Ctx, id: string) => {
  for (let turn = 0; turn < 500; turn += 1) if ((await runCollectionPass(ctx, id, { forMs: 0 })).done) return;
  throw new Error("The pass does not end.");
};
const keysOf = async (datasetId: string) => {
  const rows = await db().execute<{ key: string }>(
    sql`select provenance_key as key from example_candidates where dataset_id = ${datasetId} order by 1`,
  );
  return [...rows].map(({ key }) => key);
};

test("a settled conversation is collected once, however often it is read", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  const ids = await praisedOnes(ctx, 3);
  await queueCollection(ctx, ids);
  expect(await collectSettled(db(), { forMs: 5000 })).toEqual({ conversations: 3 });
  const { candidates } = await listReviewQueue(ctx, { datasetId });
  expect(new Set(candidates.map(({ source }) => source.conversationId))).toEqual(new Set(ids));
  expect(candidates[0]).toMatchObject({ objective: OBJECTIVE, reasonCode: "thumbs_up", reason: expect.any(String) });
  const { collectionPasses } = await listCollectionPasses(ctx, { datasetId });
  expect(collectionPasses).toMatchObject([
    { origin: "automatic", status: "completed", conversationsRead: 3, proposed: 3 },
  ]);

  await queueCollection(ctx, ids);
  await collectSettled(db(), { forMs: 5000 });
  for (let n = 0; n < 2; n += 1) await untilDone(ctx, await pass(ctx, datasetId));
  expect((await listReviewQueue(ctx, { datasetId })).candidates).toEqual(candidates);
});

test("one that is active or being diagnosed waits, and one with a later Finding is read again", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  const [id] = await praisedOnes(ctx, 1);
  await db().execute(
    sql`update conversations set received_at = ${Date.now()}, diagnosed_received_at = ${Date.now()} where id = ${id}`,
  );
  await queueCollection(ctx, [id!]);
  expect(await collectSettled(db(), { forMs: 5000 })).toEqual({ conversations: 0 });
  await isSettled(ctx);
  expect(await collectSettled(db(), { forMs: 5000 })).toEqual({ conversations: 1 });
  expect(await keysOf(datasetId)).toHaveLength(1);

  const failing = await storedConversation(ctx, failingToolCall("get_order", "Error: order not found"));
  await createFeedback(ctx, { conversationId: failing.id, kind: "thumb", value: "up" });
  await isSettled(ctx);
  await queueCollection(ctx, [failing.id]);
  await collectSettled(db(), { forMs: 5000 });
  const { runs } = await createRuleRuns(ctx, { conversationId: failing.id, lastActivityAt: failing.lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const queued = await db().execute(
    sql`select conversation_id from collection_queue where project_id = ${ctx.projectId}`,
  );
  expect([...queued]).toEqual([{ conversation_id: failing.id }]);
  await collectSettled(db(), { forMs: 5000 });
  expect((await listReviewQueue(ctx, { datasetId })).candidates.map(({ source }) => source.conversationId)).toEqual([
    id,
  ]);
});

test("the order in which conversations are read makes no difference, with near-duplicates and a loud user", async () => {
  const { ctx } = await testProject();
  const [automatic, backfilled] = [await collectingDataset(ctx), await collectingDataset(ctx)];
  const ids = [];
  for (let n = 0; n < 30; n += 1) ids.push(await praised(ctx, n, { userId: "loud" }));
  const same = Array.from({ length: 40 }, (_, at) => `shared${at}`).join(" ");
  for (let n = 30; n < 34; n += 1) ids.push(await praised(ctx, n, { words: `${same} only${n}` }));
  await isSettled(ctx);
  // One by one, oldest first; a pass reads the newest first, and fifty at once.
  for (const id of ids) {
    await queueCollection(ctx, [id]);
    await collectSettled(db(), { forMs: 5000 });
  }
  await db().execute(sql`delete from example_candidates where dataset_id = ${backfilled}`);
  await untilDone(ctx, await pass(ctx, backfilled));
  expect(await keysOf(automatic)).toEqual(await keysOf(backfilled));
  expect(await keysOf(automatic)).toHaveLength(21);
}, 120_000);

test("a pass that is killed again and again collects what one without a kill does", async () => {
  const { ctx } = await testProject();
  const [whole, killed] = [await collectingDataset(ctx), await collectingDataset(ctx, { collectionReview: false })];
  await praisedOnes(ctx, 230);
  await untilDone(ctx, await pass(ctx, whole));
  const id = await pass(ctx, killed);
  let kills = 0;
  const mortal = killedBeforeCommit(db(), () => kills < 25 && Math.random() < 0.8 && ++kills > 0);
  for (let done = false; !done; )
    done = await runCollectionPass({ ...ctx, db: mortal }, id, { forMs: 0 }).then(
      (turn) => turn.done,
      () => false,
    );
  expect(kills).toBeGreaterThanOrEqual(20);
  expect(await keysOf(killed)).toEqual(await keysOf(whole));
  expect(await read(ctx, killed, id)).toMatchObject({ status: "completed", conversationsRead: 230, proposed: 230 });
  await requireExactCounts(ctx, killed);
  const versions = await db().execute(
    sql`select kind, cause_id, added, closed_at is not null as closed from dataset_versions where dataset_id = ${killed}`,
  );
  expect([...versions]).toEqual([{ kind: "collection", cause_id: id, added: 230, closed: true }]);
}, 240_000);

/** A pool whose transactions end, now and then, before they commit: what a killed process leaves. */
const killedBeforeCommit = (pool: Db, kills: () => boolean): Db =>
  new Proxy(pool, {
    get(target, name, receiver) {
      if (name !== "transaction") return Reflect.get(target, name, receiver);
      return (work: (tx: Db) => Promise<unknown>, options?: object) =>
        target.transaction(async (tx) => {
          const result = await work(tx);
          if (kills()) throw new Error("killed");
          return result;
        }, options);
    },
  });

test("turning collection off stops a pass at once, and cancelling one too", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  await praisedOnes(ctx, 60);
  const first = await pass(ctx, datasetId);
  await runCollectionPass(ctx, first, { forMs: 0 });
  await db().update(datasets).set({ collectionEnabled: false }).where(eq(datasets.id, datasetId));
  expect(await runCollectionPass(ctx, first, { forMs: 0 })).toEqual({ done: true });
  expect(await read(ctx, datasetId, first)).toMatchObject({ status: "cancelled", proposed: 50 });
  await expect(pass(ctx, datasetId)).rejects.toMatchObject({ code: "conflict" });

  await db().update(datasets).set({ collectionEnabled: true }).where(eq(datasets.id, datasetId));
  const second = await pass(ctx, datasetId);
  expect((await unfinishedCollectionPasses(db())).map(({ id }) => id)).toContain(second);
  await cancelCollectionPass(ctx, { datasetId, collectionPassId: second });
  expect(await runCollectionPass(ctx, second, { forMs: 0 })).toEqual({ done: true });
  await expect(cancelCollectionPass(ctx, { datasetId, collectionPassId: second })).rejects.toMatchObject({
    code: "conflict",
  });
  const third = await pass(ctx, datasetId);
  await failCollectionPass(ctx, third, "No connection");
  expect(await read(ctx, datasetId, third)).toMatchObject({ status: "failed", error: "No connection" });
});

test("a preview counts what it would collect and why it leaves the rest, and stores nothing", async () => {
  const { ctx } = await testProject();
  const { dataset } = await createDataset(ctx, { name: "Answers" });
  await expect(previewCollection(ctx, { datasetId: dataset.id })).rejects.toMatchObject({ code: "unprocessable" });
  const recent = Date.now() - 86_400_000;
  const said = [
    { role: "user", text: "How do I reset my password for the customer portal?" },
    { role: "assistant", text: "Open the settings page and choose the reset button there." },
  ];
  const good = await storedConversation(ctx, said, { startedAt: recent });
  await createFeedback(ctx, { conversationId: good.id, kind: "thumb", value: "up" });
  await storedConversation(ctx, said, { startedAt: recent });
  await isSettled(ctx);
  const { preview } = await previewCollection(ctx, { datasetId: dataset.id, objective: OBJECTIVE });
  expect(preview).toMatchObject({
    conversations: 2,
    complete: true,
    proposed: 1,
    reasons: { thumbs_up: 1 },
    left: { no_positive_evidence: 1 },
    samples: [{ conversationId: good.id, turn: 1 }],
  });
  expect(await keysOf(dataset.id)).toEqual([]);
});

test("a preview can be limited to other Knowledge goals than the Dataset is", async () => {
  const { ctx } = await testProject();
  const { dataset } = await createDataset(ctx, { name: "Answers" });
  const goal = async (title: string) => (await createKnowledgeGoal(ctx, { title })).knowledgeGoal.id;
  const [portal, refunds] = [await goal("customer portal"), await goal("refund policy")];
  const { id } = await storedConversation(
    ctx,
    [
      { role: "user", text: "How do I reset my password for the customer portal?" },
      { role: "assistant", text: "Open the settings page of the customer portal and choose the reset button there." },
    ],
    { startedAt: Date.now() - 86_400_000 },
  );
  await db().execute(sql`
    insert into conversation_search (project_id, conversation_id, started_at, terms)
    values (${ctx.projectId}, ${id}, 0, '{customer,portal}')`);
  await isSettled(ctx);
  const proposed = async (...knowledgeGoalIds: string[]) =>
    (
      await previewCollection(ctx, {
        datasetId: dataset.id,
        objective: "teach_project_knowledge",
        collectionFilters: { knowledgeGoalIds },
      })
    ).preview.proposed;
  expect([await proposed(portal), await proposed(refunds), await proposed()]).toEqual([1, 0, 0]);
});

test("personal data is masked, or the Example is held back, as the project has it", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  const { id } = await storedConversation(ctx, [
    { role: "user", text: "Which address do you have for jane.miller@gmail.com in my account?" },
    { role: "assistant", text: "The invoice goes to jane.miller@gmail.com every month." },
  ]);
  await createFeedback(ctx, { conversationId: id, kind: "thumb", value: "up" });
  await isSettled(ctx);
  await updateDiagnosticSettings(ctx, { collectionMasking: "hold_back" });
  const held = await pass(ctx, datasetId);
  await untilDone(ctx, held);
  expect(await read(ctx, datasetId, held)).toMatchObject({ proposed: 0, left: { personal_data: 1 } });
  await updateDiagnosticSettings(ctx, { collectionMasking: "mask" });
  await untilDone(ctx, await pass(ctx, datasetId));
  const { candidates } = await listReviewQueue(ctx, { datasetId });
  expect(JSON.stringify(candidates[0]!.payload)).toContain("<EMAIL_1>");
  expect(JSON.stringify(candidates)).not.toContain("jane.miller");
});

test("a rejected source is not collected again, and a deleted user leaves no candidate", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  await praised(ctx, 1, { userId: "ann" });
  await praised(ctx, 2, { userId: "bob" });
  await isSettled(ctx);
  await untilDone(ctx, await pass(ctx, datasetId));
  const { candidate } = await nextCandidate(ctx, { datasetId });
  await rejectCandidate(ctx, { candidateId: candidate!.id, reason: "No" });
  await untilDone(ctx, await pass(ctx, datasetId));
  expect((await listReviewQueue(ctx, { datasetId })).candidates).toHaveLength(1);
  for (const userId of ["ann", "bob"]) {
    const { deletion } = await deleteUserData(ctx, { userId });
    while (!(await runDeletion(db(), deletion.id, { forMs: 1000, jobName: "test" })).done);
  }
  expect(await keysOf(datasetId)).toEqual([]);
});

test("nothing is collected for another project, nor told of its passes", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const [ours, theirs] = [await collectingDataset(ctx), await collectingDataset(other)];
  await praisedOnes(ctx, 2);
  const id = await pass(other, theirs);
  await untilDone(other, id);
  expect(await keysOf(theirs)).toEqual([]);
  for (const refused of [
    () => getCollectionPass(ctx, { datasetId: ours, collectionPassId: id }),
    () => getCollectionPass(ctx, { datasetId: theirs, collectionPassId: id }),
    () => cancelCollectionPass(ctx, { datasetId: theirs, collectionPassId: id }),
    () => createCollectionPass(ctx, { datasetId: theirs, ...WINDOW }),
    () => previewCollection(ctx, { datasetId: theirs }),
    () => listCollectionPasses(ctx, { datasetId: theirs }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: "not_found" });
});
