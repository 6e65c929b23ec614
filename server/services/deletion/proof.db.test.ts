import { and, eq, inArray } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { CONVERSATION_KEYS, TABLES, type TableName, tablesWhere } from "@/db/deletion-registry";
import { db } from "@/db/pool";
import {
  adjudications,
  collectionQueue,
  datasetImportSources,
  datasets,
  evaluationJudgements,
  exampleCandidates,
  gatewayCalls,
  parkedTraces,
  ruleRunDetections,
  trainingEvents,
  trainingJobs,
  trainingManifests,
} from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { storedJob } from "@/server/services/background-jobs/testing";
import { createRepricing, recountUserDays } from "@/server/services/costs";
import { runToCompletion } from "@/server/services/costs/testing";
import { creating, storedDataset, write } from "@/server/services/datasets/examples/testing";
import { chatLine, newImport } from "@/server/services/datasets/imports/testing";
import { storedCandidate } from "@/server/services/datasets/review/testing";
import { createRuleRuns, executeRuleRuns } from "@/server/services/diagnostics";
import { storedCertificate, storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { createModelPrice } from "@/server/services/pricing";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { createShareLink, updateShareLinkSettings } from "@/server/services/sharing";
import {
  changeLabels,
  createFeedback,
  decodeLogs,
  decodeTraces,
  findConversation,
  foldDailyCosts,
  getConversation,
  storeLogs,
  storeTraces,
} from "@/server/services/telemetry";
import { chatSpan, ingest, otlpJson, type TestSpan } from "@/server/services/telemetry/testing";
import { storedJob as storedTraining } from "@/server/services/training/testing/stored-job";
import { deleteConversation, deleteProject, deleteUserData, getDeletion, runDeletion } from ".";
import { tablesNaming, tablesStillNaming } from "./testing";

const START = Date.UTC(2026, 10, 1, 12);
let made = 0;
const hex = (digits: number) => (++made).toString(16).padStart(digits, "c");
const json = (value: object) => Buffer.from(JSON.stringify(value));
const fold = async () => {
  while ((await foldDailyCosts(db())) > 0);
  await recountUserDays(db(), { forMs: 60_000, settledMs: 0 });
};

/** A training on a Dataset that recorded a sample answer, with a certificate that quotes it. */
async function trainOn({ db, projectId, actor }: Ctx, datasetId: string, answer: string) {
  const ofProject = { db, projectId, actor };
  const jobId = await storedTraining(ofProject, { datasetId });
  const [dataset] = await db.select({ version: datasets.version }).from(datasets).where(eq(datasets.id, datasetId));
  await db
    .update(trainingManifests)
    .set({ datasetId, datasetVersion: dataset!.version })
    .where(
      and(
        eq(trainingManifests.projectId, projectId),
        inArray(
          trainingManifests.sha256,
          db.select({ sha256: trainingJobs.manifestSha256 }).from(trainingJobs).where(eq(trainingJobs.id, jobId)),
        ),
      ),
    );
  const sample = { type: "sample", level: "info", message: "", data: { answer } } as const;
  await db.insert(trainingEvents).values({ ...sample, projectId, jobId, seq: 1, attempt: 1, at: START });
  const checkpointId = await storedCheckpoint(ofProject, jobId);
  const reference = { content: answer, tokens: 1 };
  await storedCertificate(ofProject, checkpointId, { answers: [{ messages: [], reference, subjects: [] }] });
}

/** A conversation whose words and ids occur in every table that may store parts of a conversation. */
async function spreadConversation(ctx: Ctx) {
  const word = `canary${++made}x`;
  const model = `acme-${made}`;
  const traceId = hex(32);
  const attributes = {
    "gen_ai.conversation.id": `${word}-session`,
    "user.id": `${word}-user`,
    "tag.tags": [`${word}-label`],
  };
  const scope = `${word}-scope`;
  const chat = (): TestSpan =>
    chatSpan(
      { scope, traceId, spanId: hex(16), startMs: START, attributes },
      {
        model,
        // Long enough for the messages to be stored separately from the span, partly shared with other conversations.
        input: [
          ["user", `I am ${word}`],
          ["user", "what everybody says ".repeat(300)],
        ],
      },
    );
  const failingTool: TestSpan = {
    scope,
    traceId,
    spanId: hex(16),
    startMs: START + 500,
    attributes: {
      ...attributes,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": `${word}_tool`,
      "gen_ai.tool.call.id": "call_1",
      "gen_ai.tool.call.arguments": "{}",
      "gen_ai.tool.call.result": `Error: ${word} is not found`,
    },
  };
  await ingest(ctx, [chat(), failingTool]);
  const logRecord = {
    timeUnixNano: `${START}000000`,
    traceId,
    spanId: hex(16),
    body: { stringValue: `${word} logged` },
  };
  await storeLogs(
    ctx,
    decodeLogs(json({ resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords: [logRecord] }] }] }), "json"),
  );
  const { id } = await findConversation(ctx, `${word}-session`);
  await createFeedback(ctx, { conversationId: id, traceId, kind: "comment", value: `${word} is wrong` });
  await changeLabels(ctx, { conversationId: id, add: [`${word} by hand`] });

  const { conversation } = await getConversation(ctx, { conversationId: id });
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt: conversation.lastActivityAt });
  const runIds = runs.map((run) => run.id);
  await executeRuleRuns(ctx, runIds);
  await storedJob(ctx, { state: "failed", error: { name: "Error", message: `${word} in an error` }, data: { runIds } });
  await updateShareLinkSettings(ctx, { enabled: true });
  await createShareLink(ctx, { conversationId: id });
  await createModelPrice(ctx, {
    provider: "external",
    modelName: model,
    pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1, output_tokens: 1 } }],
  });
  const { repricing } = await createRepricing(ctx, { from: START - 1000, to: START + 86_400_000 });
  await runToCompletion(ctx, repricing.id);
  await fold();
  await ctx.db.insert(parkedTraces).values({
    projectId: ctx.projectId,
    traceId,
    receivedAt: START,
    attempts: 3,
    reason: `${word} cannot be read`,
    alone: false,
    version: "1",
  });
  // Two calls of models in progress: within a trace of the conversation, and in one that is not stored yet.
  for (const [callTrace, callAttributes] of [
    [traceId, {}],
    [`${word}-trace`, attributes],
  ] as const) {
    await ctx.db.insert(gatewayCalls).values({
      projectId: ctx.projectId,
      id: `${callTrace}-call`,
      traceId: callTrace,
      heldBy: "process",
      leasedUntil: START,
      startedAt: START,
      request: { "gen_ai.input.messages": `I am ${word}` },
      spans: [{ attributes: callAttributes }],
    });
  }
  const quoted = { projectId: ctx.projectId, conversationId: id };
  await ctx.db.insert(ruleRunDetections).values({ ...quoted, id: runIds[0]!, detected: { summary: `${word} said` } });
  await ctx.db.insert(adjudications).values({ ...quoted, id: hex(64), answer: { quotes: [`${word} said`] } });
  const datasetId = await storedDataset(ctx);
  const link = { conversationId: id, userId: `${word}-user`, turn: 0, findingId: null };
  await write(ctx, datasetId, [creating(`I am ${word}`, { tags: [`${word}-tag`], link, split: "train" })]);
  const candidateId = await storedCandidate(ctx, datasetId, { reason: `${word} said` });
  await ctx.db.update(exampleCandidates).set({ conversationId: id }).where(eq(exampleCandidates.id, candidateId));
  await trainOn(ctx, datasetId, `${word} said`);
  const checkpointId = await storedCheckpoint(ctx, await storedTraining(ctx));
  const evaluationId = await storedEvaluation(ctx, checkpointId, {}, { conversationId: id, expected: `${word} said` });
  await ctx.db.insert(evaluationJudgements).values({
    projectId: ctx.projectId,
    evaluationId,
    n: 0,
    question: "right_after",
    key: hex(64),
    model: "judge-1",
    promptVersion: 1,
    verdict: "right",
    reason: `${word} said`,
    isReused: false,
  });
  const importId = await newImport(ctx, datasetId, [chatLine(`of nobody ${made}`)]);
  await ctx.db.insert(datasetImportSources).values({ ...quoted, importId, userId: `${word}-user` });
  await ctx.db.insert(collectionQueue).values({ projectId: ctx.projectId, conversationId: id }).onConflictDoNothing();
  const arrive = () => storeTraces(ctx, decodeTraces(json(otlpJson([chat()])), "json"));
  return { word, id, traceId, arrive };
}
type Spread = Awaited<ReturnType<typeof spreadConversation>>;

const traces = async ({ word, id, traceId }: Spread) => ({
  word: await tablesNaming(db(), word),
  id: await tablesNaming(db(), id),
  traceId: await tablesNaming(db(), traceId),
});
const tablesWith = async (one: Spread) =>
  new Set(Object.values(await traces(one)).flatMap((found) => Object.keys(found)));

/** Tables that, according to the registry, may contain parts of a conversation, and that a deletion therefore reaches. */
const REACHED = tablesWhere(
  ({ conversation: held }) =>
    (held.holds === "words" || held.holds === "ids") && held.erased !== "kept" && held.erased !== "expires",
);

let ctx: Ctx;
let neighbours: Spread[];
let before: Awaited<ReturnType<typeof traces>>[];
beforeAll(async () => {
  ctx = (await testProject()).ctx;
});

async function expectNothingLeft({ word, id, traceId }: Spread) {
  await fold();
  expect(await tablesNaming(db(), word)).toEqual({});
  for (const one of [id, traceId]) expect(await tablesStillNaming(db(), one), one).toEqual({});
}

test("a deleted conversation was in every table that its entry names, and is deleted from all of them", async () => {
  const doomed = await spreadConversation(ctx);
  neighbours = [await spreadConversation(ctx), await spreadConversation((await testProject()).ctx)];
  // Stored, but not read yet.
  for (const { arrive } of [doomed, ...neighbours]) await arrive();
  const found = await tablesWith(doomed);
  expect(REACHED.filter((table) => !found.has(table))).toEqual([]);
  const mayHold = (Object.keys(TABLES) as TableName[]).filter(
    (table) => TABLES[table].conversation.holds !== "nothing",
  );
  expect([...found].filter((table) => !mayHold.includes(table as TableName))).toEqual([]);

  before = await Promise.all(neighbours.map(traces));
  const { deletion } = await deleteConversation(ctx, { conversationId: doomed.id });
  await expectNothingLeft(doomed);
  expect(await Promise.all(neighbours.map(traces))).toEqual(before);
  const searched = Object.fromEntries([...CONVERSATION_KEYS.keys()].map((table) => [table, 0]));
  expect(deletion.remaining).toEqual(searched);
});

test("a deleted end user's data is deleted from every table", async () => {
  const doomed = await spreadConversation(ctx);
  await doomed.arrive();
  const { deletion } = await deleteUserData(ctx, { userId: `${doomed.word}-user` });
  while (!(await runDeletion(db(), deletion.id, { forMs: 10_000, jobName: "test" })).done);
  await expectNothingLeft(doomed);
  const { deletion: done } = await getDeletion(ctx, { deletionId: deletion.id });
  expect(new Set(Object.values(done.remaining!))).toEqual(new Set([0]));
});

test("a deleted project remains only in the tables that outlive it, and another project keeps its rows", async () => {
  const doomed = await spreadConversation(ctx);
  const neighbour = neighbours[1]!;
  const { deletion } = await deleteProject(ctx, { name: "Test project" });
  while (!(await runDeletion(db(), deletion.id, { forMs: 10_000, jobName: "test" })).done);
  for (const one of [doomed, neighbours[0]!]) expect(await tablesWith(one)).toEqual(new Set());
  const outliving: string[] = tablesWhere(({ project }) => project === "kept");
  const naming = Object.keys(await tablesNaming(db(), ctx.projectId));
  expect(naming.filter((table) => !outliving.includes(table))).toEqual([]);
  expect(naming).not.toEqual([]);
  expect(Object.keys((await traces(neighbour)).word)).toEqual(Object.keys(before[1]!.word));
});
