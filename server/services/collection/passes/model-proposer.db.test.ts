import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { auditLog, exampleCandidates, exampleRevisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection, deleteConnection } from "@/server/services/connections";
import {
  approveCandidate,
  createDataset,
  listExamples,
  listReviewQueue,
  nextCandidate,
  updateDataset,
} from "@/server/services/datasets";
import { createRuleRuns, executeRuleRuns } from "@/server/services/diagnostics";
import {
  answering,
  type ReceivedQuestion,
  type Reply,
  refusing,
  startModel,
} from "@/server/services/diagnostics/adjudicator/testing";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { collectSettled, createCollectionPass, getCollectionPass, previewCollection, runCollectionPass } from "..";

/** In its own file because the environment is read only once. Services on loopback may be called here. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const FAILED = "Dear {{customer_name}}, your parcel arrives on {{delivery_date}}.";
const BETTER = "Your parcel arrives on Friday, as the shop confirmed.";
const said = (topic: string) => [
  { role: "system", text: "You help customers of a shop." },
  { role: "user", text: `When does my parcel with ${topic} arrive? The shop confirmed Friday.` },
  { role: "assistant", text: FAILED },
];

/** Stores a conversation whose only answer has a Finding. */
const failed = (ctx: Ctx, topic = "books") => diagnosed(ctx, said(topic));

/** Stores a settled, diagnosed conversation. */
async function diagnosed(ctx: Ctx, messages: Parameters<typeof storedConversation>[1]): Promise<string> {
  const { id, lastActivityAt } = await storedConversation(ctx, messages, { startedAt: Date.now() - 86_400_000 });
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  await ctx.db.execute(sql`
    update conversations set received_at = 1, diagnosed_received_at = 1 where project_id = ${ctx.projectId}`);
  return id;
}

type Limits = { dailyCalls?: number };
async function connected(answer: (asked: ReceivedQuestion) => Reply, limits: Limits = {}) {
  const { ctx } = await testProject();
  const model = await startModel(answer);
  stops.push(model.stop);
  const { connection } = await createConnection(ctx, {
    kind: "model",
    name: "Model",
    baseUrl: model.url,
    secret: "sk-secret",
    settings: { defaultModel: "writer-1", ...limits },
  });
  return { ctx, model, connection };
}

async function collecting(ctx: Ctx, more: { collectionAsksModel?: boolean; collectionReview?: boolean } = {}) {
  const { dataset } = await createDataset(ctx, {
    name: "Better answers",
    collectionObjective: "correct_failed_conversations",
    collectionEnabled: true,
    collectionAsksModel: true,
    ...more,
  });
  return dataset.id;
}

async function collect(ctx: Ctx, datasetId: string) {
  const window = { startMs: 0, endMs: Date.UTC(2099, 0), maxConversations: 1000 };
  const { collectionPass } = await createCollectionPass(ctx, { datasetId, ...window });
  while (!(await runCollectionPass(ctx, collectionPass.id, { forMs: 0 })).done);
  return (await getCollectionPass(ctx, { datasetId, collectionPassId: collectionPass.id })).collectionPass;
}

const stored = (ctx: Ctx, datasetId: string) =>
  ctx.db.$count(exampleRevisions, eq(exampleRevisions.datasetId, datasetId));

test("a model's answer is marked and waits for review, even in a Dataset without review", async () => {
  const { ctx, model } = await connected(() => answering({ answer: BETTER }));
  const datasetId = await collecting(ctx, { collectionReview: false });
  const conversationId = await failed(ctx);
  expect(await collect(ctx, datasetId)).toMatchObject({ status: "completed", proposed: 1, left: {} });
  expect(await stored(ctx, datasetId)).toBe(0);

  const { candidate } = await nextCandidate(ctx, { datasetId });
  expect(candidate).toMatchObject({
    proposedByModel: true,
    reasonCode: "proposed_by_model",
    source: { conversationId, turn: 2, kind: "finding", findingId: expect.any(String) },
    payload: {
      input: { messages: [{ role: "system" }, { role: "user" }] },
      expectedOutput: { message: { content: BETTER } },
      rejectedOutput: { message: { content: FAILED } },
    },
  });
  await approveCandidate(ctx, { candidateId: candidate!.id });
  const { examples } = await listExamples(ctx, { datasetId, tag: "proposed-by-model" });
  expect(examples).toMatchObject([{ conversationId, objective: "correct_failed_conversations" }]);

  expect(model.asked).toMatchObject([{ model: "writer-1", headers: { "x-whetstone-purpose": "proposal" } }]);
  const [{ system, user, body }] = model.asked as [ReceivedQuestion];
  expect(user).toContain("The shop confirmed Friday.");
  expect(user).toContain(FAILED);
  expect(body.response_format).toMatchObject({ json_schema: { strict: true, schema: { required: ["answer"] } } });
  // An endpoint that reports to us sends back our own call: that is not a conversation to learn from.
  await diagnosed(ctx, [
    { role: "system", text: system },
    { role: "user", text: user },
    { role: "assistant", text: FAILED },
  ]);
  expect(await collect(ctx, datasetId)).toMatchObject({ proposed: 0, left: { already_collected: 1 } });
  expect(model.asked).toHaveLength(1);
  const used = await ctx.db.select().from(auditLog).where(eq(auditLog.action, "connections.use"));
  expect(used.filter(({ projectId }) => projectId === ctx.projectId)).toMatchObject([
    { after: { purpose: "proposal" } },
  ]);
});

test("two Datasets that need the same answer at the same time ask the model once", async () => {
  const { ctx, model } = await connected(() => answering({ answer: BETTER }));
  const both = [await collecting(ctx), await collecting(ctx)];
  await failed(ctx);
  await collectSettled(ctx.db, { forMs: 1_000 });
  for (const datasetId of both) {
    expect((await nextCandidate(ctx, { datasetId })).candidate).toMatchObject({ proposedByModel: true });
  }
  expect(model.asked).toHaveLength(1);
});

test("only a pass of a Dataset that allows it asks the model, once per conversation", async () => {
  const { ctx, model } = await connected(() => answering({ answer: BETTER }));
  const { ctx: other } = await testProject();
  await failed(other);
  await failed(ctx);
  const quiet = await collecting(ctx, { collectionAsksModel: false });
  expect(await collect(ctx, quiet)).toMatchObject({ proposed: 0, left: { no_better_answer: 1 } });
  const asking = await collecting(ctx);
  await previewCollection(ctx, { datasetId: asking });
  const theirs = await collecting(other);
  expect(await collect(other, theirs)).toMatchObject({ proposed: 0, left: { no_better_answer: 1 } });
  expect(model.asked).toEqual([]);

  await collect(ctx, asking);
  await ctx.db.delete(exampleCandidates).where(eq(exampleCandidates.datasetId, asking));
  expect(await collect(ctx, asking)).toMatchObject({ proposed: 1 });
  expect(model.asked).toHaveLength(1);
});

test("no answer, an unreadable reply, a refusal and a used-up budget leave no candidate", async () => {
  const { ctx, model, connection } = await connected(() => answering({ answer: null }), { dailyCalls: 4 });
  const datasetId = await collecting(ctx);
  const left = async (topic: string) => {
    await failed(ctx, topic);
    return (await collect(ctx, datasetId)).left;
  };
  expect(await left("books")).toEqual({ no_better_answer: 1 });
  model.answer = () => ({ content: "Let me think about that." });
  expect(await left("shoes")).toEqual({ no_better_answer: 1, model_unavailable: 1 });
  expect(model.asked).toHaveLength(3);
  model.answer = () => refusing(401, "Incorrect API key provided.");
  expect(await left("lamps")).toMatchObject({ model_unavailable: 2 });
  expect(model.asked).toHaveLength(4);
  model.answer = () => answering({ answer: BETTER });
  expect(await left("pens")).toMatchObject({ no_better_answer: 1, model_unavailable: 3 });
  expect(model.asked).toHaveLength(4);
  await deleteConnection(ctx, { connectionId: connection.id });
  expect((await collect(ctx, datasetId)).left).toEqual({ no_better_answer: 4 });
  expect((await listReviewQueue(ctx, { datasetId })).candidates).toEqual([]);
});

test("personal data in a model's answer is masked", async () => {
  const { ctx } = await connected(() => answering({ answer: `${BETTER} Write to jane.miller@gmail.com.` }));
  const datasetId = await collecting(ctx);
  await failed(ctx);
  await collect(ctx, datasetId);
  const { candidates } = await listReviewQueue(ctx, { datasetId });
  expect(JSON.stringify(candidates)).toContain("<EMAIL_1>");
  expect(JSON.stringify(candidates)).not.toContain("jane.miller");
});

test("a Dataset that stops asking the model during a pass asks nothing from the next batch on", async () => {
  const { ctx } = await connected(() => answering({ answer: BETTER }));
  const datasetId = await collecting(ctx);
  for (const topic of ["books", "shoes", "lamps", "pens", "cups"]) await failed(ctx, topic);
  const window = { startMs: 0, endMs: Date.UTC(2099, 0), maxConversations: 1000 };
  const { collectionPass } = await createCollectionPass(ctx, { datasetId, ...window });
  // With a model, batches are small.
  expect(await runCollectionPass(ctx, collectionPass.id, { forMs: 0 })).toEqual({ done: false });
  const id = { datasetId, collectionPassId: collectionPass.id };
  expect((await getCollectionPass(ctx, id)).collectionPass).toMatchObject({ conversationsRead: 4 });
  await updateDataset(ctx, { datasetId, collectionAsksModel: false });
  await runCollectionPass(ctx, collectionPass.id, { forMs: 0 });
  expect((await getCollectionPass(ctx, id)).collectionPass).toMatchObject({
    conversationsRead: 5,
    left: { no_better_answer: 1 },
  });
});
