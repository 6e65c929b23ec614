import { eq, type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { beforeEach, expect, test } from "vitest";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { datasets } from "@/db/schema";
import { newRandom } from "@/db/testing/random";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import type { Ctx } from "@/server/platform/context";
import {
  createDataset,
  createKnowledgeGoal,
  listReviewQueue,
  nextCandidate,
  rejectCandidate,
} from "@/server/services/datasets";
import { requireExactCounts, whileChanged } from "@/server/services/datasets/examples/testing";
import { exportedLines, imported } from "@/server/services/datasets/imports/testing";
import { deleteConversation, deleteUserData, runDeletion } from "@/server/services/deletion";
import {
  createRuleRuns,
  executeRuleRuns,
  listFindings,
  updateDiagnosticSettings,
  updateFinding,
} from "@/server/services/diagnostics";
import { queueCollection } from "@/server/services/diagnostics/queue-collection";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { createFeedback } from "@/server/services/telemetry";
import {
  cancelCollectionPass,
  collectSettled,
  createCollectionPass,
  failCollectionPass,
  getCollectionPass,
  listCollectionPasses,
  previewCollection,
  previewObjective,
  runCollectionPass,
  unfinishedCollectionPasses,
} from "..";

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

/** Stores a conversation that a user praised, with words that no other conversation has. */
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

test("an active conversation is collected later, and one with a later Finding is read again", async () => {
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

test("a conversation is read again when its only Finding is dismissed, and when the dismissal is undone", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  const { id, lastActivityAt } = await storedConversation(ctx, [
    { role: "user", text: "When does my parcel arrive?" },
    { role: "assistant", text: "Dear {{customer_name}}, your parcel arrives on Friday." },
  ]);
  await createFeedback(ctx, { conversationId: id, kind: "thumb", value: "up" });
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  await isSettled(ctx);
  const collected = async () => {
    await collectSettled(db(), { forMs: 5000 });
    return (await listReviewQueue(ctx, { datasetId })).candidates.map(({ source }) => source.conversationId);
  };
  expect(await collected()).toEqual([]);
  const { findings } = await listFindings(ctx, {});
  expect(findings).toHaveLength(1);
  const findingId = findings[0]!.id;
  await updateFinding(ctx, { findingId, reviewStatus: "dismissed", dismissalReason: "wrong" });
  expect(await collected()).toEqual([id]);
  await updateFinding(ctx, { findingId, reviewStatus: "unreviewed" });
  expect(await collected()).toEqual([]);
});

test("the reading order makes no difference, even with near-duplicates and a user with many conversations", async () => {
  const { ctx } = await testProject();
  const [automatic, backfilled] = [await collectingDataset(ctx), await collectingDataset(ctx)];
  const ids = [];
  for (let n = 0; n < 30; n += 1) ids.push(await praised(ctx, n, { userId: "loud" }));
  const same = Array.from({ length: 40 }, (_, at) => `shared${at}`).join(" ");
  for (let n = 30; n < 34; n += 1) ids.push(await praised(ctx, n, { words: `${same} only${n}` }));
  await isSettled(ctx);
  // One by one, oldest first; a pass reads the newest first, fifty at a time.
  for (const id of ids) {
    await queueCollection(ctx, [id]);
    await collectSettled(db(), { forMs: 5000 });
  }
  await db().execute(sql`delete from example_candidates where dataset_id = ${backfilled}`);
  await untilDone(ctx, await pass(ctx, backfilled));
  expect(await keysOf(automatic)).toEqual(await keysOf(backfilled));
  expect(await keysOf(automatic)).toHaveLength(21);
}, 120_000);

test("a pass that is killed repeatedly collects the same as one that is not", async () => {
  // Two transactions for each fifty conversations.
  const [all, mostKills] = [amount(60, 230), amount(10, 25)];
  const { ctx } = await testProject();
  const [whole, killed] = [await collectingDataset(ctx), await collectingDataset(ctx, { collectionReview: false })];
  await praisedOnes(ctx, all);
  await untilDone(ctx, await pass(ctx, whole));
  const id = await pass(ctx, killed);
  let kills = 0;
  const random = newRandom();
  const mortal = killedBeforeCommit(db(), () => kills < mostKills && random() < 0.8 && ++kills > 0);
  for (let done = false; !done; )
    done = await runCollectionPass({ ...ctx, db: mortal }, id, { forMs: 0 }).then(
      (turn) => turn.done,
      () => false,
    );
  expect(kills).toBeGreaterThan(0);
  expect(await keysOf(killed)).toEqual(await keysOf(whole));
  expect(await read(ctx, killed, id)).toMatchObject({ status: "completed", conversationsRead: all, proposed: all });
  await requireExactCounts(ctx, killed);
  const versions = await db().execute(
    sql`select kind, cause_id, added, closed_at is not null as closed from dataset_versions where dataset_id = ${killed}`,
  );
  expect([...versions]).toEqual([{ kind: "collection", cause_id: id, added: all, closed: true }]);
}, 240_000);

/** A pool whose transactions sometimes end before they commit, as when a process is killed. */
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

test("a pass waits for a conversation that is being changed, and counts one that is deleted meanwhile", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  const [id, deleted] = await praisedOnes(ctx, 2);
  const collectionPassId = await pass(ctx, datasetId);
  await whileChanged(id!, async () => {
    expect(await runCollectionPass(ctx, collectionPassId, { forMs: 5000 })).toEqual({ done: false, wait: true });
  });
  expect(await read(ctx, datasetId, collectionPassId)).toMatchObject({ conversationsRead: 0, proposed: 0 });
  const deleting = betweenReadAndStore(() => deleteConversation(ctx, { conversationId: deleted! }));
  await runCollectionPass({ ...ctx, db: deleting }, collectionPassId, { forMs: 0 });
  await untilDone(ctx, collectionPassId);
  expect(await read(ctx, datasetId, collectionPassId)).toMatchObject({
    status: "completed",
    conversationsRead: 2,
    proposed: 1,
    left: { conversation_gone: 1 },
  });
  expect(await keysOf(datasetId)).toHaveLength(1);
});

/** A pool that runs `work` between the transaction that reads a batch and the one that stores it, as another process may. */
function betweenReadAndStore(work: () => Promise<unknown>): Db {
  let transactions = 0;
  return new Proxy(db(), {
    get(target, name, receiver) {
      if (name !== "transaction") return Reflect.get(target, name, receiver);
      return async (...of: Parameters<Db["transaction"]>) => {
        transactions += 1;
        if (transactions === 2) await work();
        return target.transaction(...of);
      };
    },
  });
}

test("without review, a candidate waits while its conversation is being changed, and is then added", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx, { collectionReview: false });
  const [id] = await praisedOnes(ctx, 3);
  const collectionPassId = await pass(ctx, datasetId);
  await runCollectionPass(ctx, collectionPassId, { forMs: 0 });
  await whileChanged(id!, async () => {
    expect(await runCollectionPass(ctx, collectionPassId, { forMs: 5000 })).toEqual({ done: false, wait: true });
  });
  const { candidates } = await listReviewQueue(ctx, { datasetId });
  expect(candidates.map(({ source }) => source.conversationId)).toEqual([id]);
  await untilDone(ctx, collectionPassId);
  expect((await listReviewQueue(ctx, { datasetId, status: "approved" })).candidates).toHaveLength(3);
  await requireExactCounts(ctx, datasetId);
});

test("automatic collection leaves a conversation that is being changed for a later call", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  const ids = await praisedOnes(ctx, 3);
  await queueCollection(ctx, ids);
  const collected = await whileChanged(ids[0]!, () => collectSettled(db(), { forMs: 60_000 }));
  expect(collected).toEqual({ conversations: 2 });
  expect(await keysOf(datasetId)).toHaveLength(2);
  expect(await collectSettled(db(), { forMs: 5000 })).toEqual({ conversations: 1 });
  expect(await keysOf(datasetId)).toHaveLength(3);
});

test("a conversation queued for a Dataset that is enabled while the queue is being emptied is collected", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  const enable = (collectionEnabled: boolean) =>
    db().update(datasets).set({ collectionEnabled }).where(eq(datasets.id, datasetId));
  const ids = await praisedOnes(ctx, 2);
  await queueCollection(ctx, ids.slice(0, 1));
  await enable(false);
  const enabledMeanwhile = beforeStatement("delete from collection_queue", async () => {
    await enable(true);
    await queueCollection(ctx, ids);
  });
  await collectSettled(enabledMeanwhile, { forMs: 5000 });
  expect(await collectSettled(db(), { forMs: 5000 })).toEqual({ conversations: 2 });
  expect(await keysOf(datasetId)).toHaveLength(2);
});

test("nothing stays queued in a project where no Dataset collects", async () => {
  const { ctx } = await testProject();
  const datasetId = await collectingDataset(ctx);
  await queueCollection(ctx, await praisedOnes(ctx, 2));
  await db().update(datasets).set({ collectionEnabled: false }).where(eq(datasets.id, datasetId));
  expect(await collectSettled(db(), { forMs: 5000 })).toEqual({ conversations: 0 });
  expect([...(await db().execute(sql`select 1 from collection_queue`))]).toEqual([]);
});

/** A pool that runs `work` before a statement that contains `words`, as another process may. */
const beforeStatement = (words: string, work: () => Promise<unknown>): Db =>
  new Proxy(db(), {
    get(target, name, receiver) {
      if (name !== "execute") return Reflect.get(target, name, receiver);
      return async (query: SQL) => {
        if (new PgDialect().sqlToQuery(query).sql.includes(words)) await work();
        return target.execute(query);
      };
    },
  });

test("turning collection off stops a pass, and so does cancelling it", async () => {
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

test("a preview counts what would be collected and the reasons for leaving out the rest, and stores nothing", async () => {
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
  // The preview depends on the Dataset only through its objective.
  expect((await previewObjective(ctx, { objective: OBJECTIVE })).preview).toEqual({
    ...preview,
    since: expect.any(Number),
  });
  const { ctx: stranger } = await testProject();
  expect((await previewObjective(stranger, { objective: OBJECTIVE })).preview).toMatchObject({
    conversations: 0,
    proposed: 0,
    samples: [],
  });
});

test("a preview can use other Knowledge goals than the Dataset", async () => {
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
  const objective = "teach_project_knowledge";
  const without = async (collectionFilters?: { knowledgeGoalIds: string[] }) =>
    (await previewObjective(ctx, { objective, ...(collectionFilters && { collectionFilters }) })).preview.proposed;
  expect([await without(), await without({ knowledgeGoalIds: [refunds] })]).toEqual([1, 0]);
});

test("personal data is masked or its Example held back, by the project's setting", async () => {
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

test("a conversation imported from another Dataset's export is not collected again", async () => {
  const { ctx } = await testProject();
  const from = await collectingDataset(ctx, { collectionReview: false });
  const [id] = await praisedOnes(ctx, 1);
  await untilDone(ctx, await pass(ctx, from));
  const into = await collectingDataset(ctx);
  expect(await imported(ctx, into, await exportedLines(ctx, from))).toMatchObject({ created: 1 });
  const collectionPassId = await pass(ctx, into);
  await untilDone(ctx, collectionPassId);
  expect(await read(ctx, into, collectionPassId)).toMatchObject({ proposed: 0, left: { already_collected: 1 } });
  // The review queue gets no second one either if the copy was made after the proposal.
  const third = await collectingDataset(ctx);
  await untilDone(ctx, await pass(ctx, third));
  expect(await keysOf(third)).toHaveLength(1);
  await imported(ctx, third, await exportedLines(ctx, from));
  await queueCollection(ctx, [id!]);
  await collectSettled(db(), { forMs: 5000 });
  expect(await keysOf(third)).toEqual([]);
});

test("a rejected source is not collected again, and a deleted user's candidates are deleted", async () => {
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

test("another project's conversations are not collected, and its passes are not found", async () => {
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
