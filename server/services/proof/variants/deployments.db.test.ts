import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection } from "@/server/services/connections";
import { type ReceivedQuestion, startModel } from "@/server/services/diagnostics/adjudicator/testing";
import { createGatewayAlias, startGatewayExperiment } from "@/server/services/gateway";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { deployCheckpoint, listDeployments, stopDeployment } from "@/server/services/serving";
import { driving, takeTurns } from "@/server/services/serving/deployments/testing/drive";
import { listConversations } from "@/server/services/telemetry";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import {
  createVariant,
  estimateProof,
  getEvaluation,
  listEvaluationRows,
  proveVariant,
  runEvaluation,
  tryVariant,
} from "..";
import { emptyAnswers } from "../testing/empty-answers";

process.env.OUTBOUND_ALLOW = "127.0.0.1";

const SYSTEM = "You help customers of a shop.\nAnswer in one sentence.";
const BETTER = `${SYSTEM}\nNever answer with nothing.`;
const USAGE = { prompt_tokens: 1_000, completion_tokens: 100 };

let trainer: ScriptedTrainer;
/** What answers behind deployments, and at a provider. */
let model: Awaited<ReturnType<typeof startModel>>;
let provider: Awaited<ReturnType<typeof startModel>>;
const answering = ({ system }: ReceivedQuestion) => ({
  content: system.includes("Never answer with nothing.") ? "It is in Bern." : "",
  usage: USAGE,
});
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
  model = await startModel(answering);
  provider = await startModel(answering);
});
afterAll(() => Promise.all([trainer.stop(), model.stop(), provider.stop()]));
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.isReachable = true;
  trainer.deployments.script = ["running"];
  trainer.deployments.model = { url: model.url.replace(/\/v1$/, ""), token: "any" };
  model.asked.length = 0;
  provider.asked.length = 0;
});

async function world() {
  const { ctx } = await testProject();
  const [row] = await attachedTrainers(ctx.db);
  const jobId = await storedJob(ctx, { trainerId: row!.id, name: "Shop agent" });
  const checkpointId = await storedCheckpoint(ctx, jobId);
  const { deployment } = await driving(ctx, () => deployCheckpoint(ctx, { checkpointId }));
  const save = async (more: object = {}) => {
    const change = { name: "Say something", basedOn: SYSTEM, systemPrompt: BETTER, deploymentId: deployment.id };
    return (await createVariant(ctx, { ...change, ...more })).variant;
  };
  const connect = async () => {
    const given = { kind: "model", name: "A provider", baseUrl: provider.url, secret: "sk-secret" } as const;
    return (await createConnection(ctx, given)).connection.id;
  };
  return { ctx, deployment, save, connect };
}

const BASE = { id: "Qwen/Qwen2.5-0.5B-Instruct", source: "hub" as const };

async function toEnd(ctx: Ctx, evaluationId: string) {
  for (let n = 0; n < 40; n += 1) {
    const { done, waits } = await runEvaluation(ctx, evaluationId);
    if (waits) break;
    if (done) break;
  }
  return (await getEvaluation(ctx, { evaluationId })).evaluation;
}

test("a change is tried and proven on a deployment, beside what a provider answers today, and no call becomes a conversation", async () => {
  const { ctx, deployment, save, connect } = await world();
  const { findingId, conversations } = await emptyAnswers(ctx, 8, () => SYSTEM);
  const variant = await save({ deploymentId: deployment.model });
  expect(variant).toMatchObject({ connectionId: null, deploymentId: deployment.id, model: deployment.model });
  const tried = await tryVariant(ctx, {
    conversationId: conversations[0]!,
    messageIndex: 2,
    deploymentId: deployment.id,
    basedOn: SYSTEM,
    systemPrompt: BETTER,
  });
  expect(tried).toMatchObject({ problem: null, answer: { content: "It is in Bern.", cost: null } });
  expect(trainer.deployments.lastRequest).toMatchObject({ model: deployment.model, stream: false });

  // The conversations are of another model, which only a connection has.
  await expect(estimateProof(ctx, { variantId: variant.id, findingId, baselineModel: "gpt-5-mini" })).rejects.toThrow(
    /No model is connected that could answer as gpt-5-mini did/,
  );
  const connectionId = await connect();
  const choice = { variantId: variant.id, findingId, baselineModel: "gpt-5-mini" };
  expect((await estimateProof(ctx, choice)).estimate).toMatchObject({
    baseline: { connectionId, deploymentId: null, model: "gpt-5-mini" },
    requests: 16,
    cost: null,
    unpriced: [deployment.model],
  });
  await expect(proveVariant(ctx, { ...choice, maxCost: 1 })).rejects.toThrow(/price of .* is unknown/);
  const { evaluation } = await proveVariant(ctx, choice);
  const ended = await toEnd(ctx, evaluation.id);
  expect(ended).toMatchObject({ status: "succeeded", proof: { n: 8, foundBefore: 8, foundAfter: 0 } });
  expect(provider.asked).toHaveLength(8);
  // One of them was asked when it was tried, which is not stored.
  expect(model.asked).toHaveLength(9);
  expect((await listConversations(ctx, {})).conversations).toHaveLength(8);
});

test("a deployment is compared with itself where its calls were recorded, and its answers are asked once", async () => {
  const { ctx, deployment, save } = await world();
  const { findingId } = await emptyAnswers(ctx, 6, () => SYSTEM);
  const variant = await save();
  const choice = { variantId: variant.id, findingId, baselineDeploymentId: deployment.id };
  const first = await proveVariant(ctx, choice);
  expect(await toEnd(ctx, first.evaluation.id)).toMatchObject({
    status: "succeeded",
    before: { name: `${deployment.model}, as recorded` },
    proof: { n: 6, foundAfter: 0 },
  });
  expect(model.asked).toHaveLength(12);
  const again = await proveVariant(ctx, choice);
  await toEnd(ctx, again.evaluation.id);
  expect(model.asked).toHaveLength(12);
});

test("a trainer that cannot be reached lets a proof wait, and a deployment that has ended ends it with the reason", async () => {
  const { ctx, deployment, save } = await world();
  const { findingId } = await emptyAnswers(ctx, 3, () => SYSTEM);
  const variant = await save();
  const { evaluation } = await proveVariant(ctx, { variantId: variant.id, findingId });
  trainer.isReachable = false;
  expect(await toEnd(ctx, evaluation.id)).toMatchObject({ finishedAt: null, staleSince: expect.any(Number) });
  trainer.isReachable = true;
  await driving(ctx, () => stopDeployment(ctx, { deploymentId: deployment.id }));
  const ended = await toEnd(ctx, evaluation.id);
  expect(ended).toMatchObject({
    status: "failed",
    error: { message: expect.stringMatching(/accepts no calls: it is stop/) },
  });
  expect((await listEvaluationRows(ctx, { evaluationId: evaluation.id })).rows).toHaveLength(3);
  await expect(save()).rejects.toMatchObject({ code: "unprocessable", message: expect.stringMatching(/No running/) });
});

test("a deployment of another project answers for nobody else, and one endpoint is chosen", async () => {
  const { ctx, deployment, save, connect } = await world();
  const other = await world();
  await expect(other.save({ deploymentId: deployment.id })).rejects.toMatchObject({ code: "unprocessable" });
  const connectionId = await connect();
  await expect(save({ connectionId })).rejects.toThrow();
  await expect(createVariant(ctx, { name: "No model", connectionId })).rejects.toThrow();
  expect((await save({ deploymentId: undefined, connectionId, model: "gpt-5" })).deploymentId).toBeNull();
});

test("a base model is served by a trainer while it is tried and proven, and costs nothing", async () => {
  const { ctx, connect } = await world();
  const { findingId, conversations } = await emptyAnswers(ctx, 6, () => SYSTEM);
  const change = { baseModel: BASE, basedOn: SYSTEM, systemPrompt: BETTER };
  const { variant } = await createVariant(ctx, { name: "An open model", ...change });
  const stored = { ...BASE, revision: "main" };
  expect(variant).toMatchObject({ connectionId: null, deploymentId: null, baseModel: stored, model: BASE.id });
  const ask = () => tryVariant(ctx, { conversationId: conversations[0]!, messageIndex: 2, ...change });
  expect((await ask()).problem).toMatch(/Qwen2.5-0.5B-Instruct is being started on a trainer/);
  // Asked again, it is not started again.
  expect((await ask()).answer).toBeNull();
  const { deployments } = await listDeployments(ctx, { purpose: "playground" });
  expect(deployments).toMatchObject([
    { status: "pending", baseModel: { id: BASE.id, revision: "main" }, idleSeconds: 600 },
  ]);
  for (let n = 0; n < 5; n += 1) await takeTurns(ctx);
  expect(await ask()).toMatchObject({ problem: null, answer: { content: "It is in Bern.", cost: null } });

  const choice = {
    variantId: variant.id,
    findingId,
    baselineConnectionId: await connect(),
    baselineModel: "gpt-5-mini",
  };
  expect((await estimateProof(ctx, choice)).estimate).toMatchObject({ requests: 12, unpriced: [BASE.id] });
  const { evaluation } = await proveVariant(ctx, choice);
  const ended = await toEnd(ctx, evaluation.id);
  expect(ended).toMatchObject({ status: "succeeded", proof: { n: 6, foundBefore: 6, foundAfter: 0 } });
  const { rows } = await listEvaluationRows(ctx, { evaluationId: evaluation.id });
  expect(rows.map(({ after }) => after?.cost)).toEqual(rows.map(() => null));
  const ofGpt = rows.reduce((sum, { before }) => sum + (before?.cost ?? 0), 0);
  expect(ended.cost).toBeCloseTo(ofGpt, 10);

  const onItself = await proveVariant(ctx, { variantId: variant.id, findingId, baselineModel: BASE.id });
  expect(await toEnd(ctx, onItself.evaluation.id)).toMatchObject({
    status: "succeeded",
    before: { name: `${BASE.id}, as recorded` },
    proof: { n: 6, foundBefore: 6, foundAfter: 0 },
  });
  // The variant's answers were known.
  expect(model.asked).toHaveLength(1 + 6 + 6);
});

test("a proof waits while a base model starts, and ends with the reason if it cannot be served", async () => {
  const { ctx, save } = await world();
  const { findingId } = await emptyAnswers(ctx, 3, () => SYSTEM);
  const variant = await save({ deploymentId: undefined, baseModel: BASE });
  const { evaluation } = await proveVariant(ctx, { variantId: variant.id, findingId, baselineModel: BASE.id });
  expect(await toEnd(ctx, evaluation.id)).toMatchObject({ finishedAt: null, staleSince: expect.any(Number) });
  trainer.deployments.script = ["failed"];
  for (let n = 0; n < 5; n += 1) await takeTurns(ctx);
  expect(await toEnd(ctx, evaluation.id)).toMatchObject({
    status: "failed",
    error: { message: expect.stringMatching(/could not be served/) },
  });
});

test("only who may serve models has a base model answer, and only a known one", async () => {
  const { ctx, save } = await world();
  const base = { deploymentId: undefined, baseModel: BASE };
  const editor: Ctx = { ...ctx, actor: { ...ctx.actor, role: "editor" } as Ctx["actor"] };
  await expect(createVariant(editor, { name: "Theirs", baseModel: BASE })).rejects.toMatchObject({ code: "forbidden" });
  const unknown = { ...BASE, id: "acme/unknown" };
  await expect(save({ ...base, baseModel: unknown })).rejects.toMatchObject({ code: "unprocessable" });
  await expect(save({ baseModel: BASE })).rejects.toThrow();
  const variant = await save(base);
  const other = await world();
  await expect(estimateProof(other.ctx, { variantId: variant.id, findingId: "fnd_1" })).rejects.toMatchObject({
    code: "not_found",
  });
  const { alias } = await createGatewayAlias(ctx, { name: "fast", targets: [{ deployment: "shop-agent" }] });
  await expect(
    startGatewayExperiment(ctx, { gatewayAliasId: alias.id, variantId: variant.id, share: 10 }),
  ).rejects.toThrow(/takes no traffic/);
});
