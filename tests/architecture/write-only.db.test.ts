import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { apiKeys, conversations, deployments, ruleRuns } from "@/db/schema";
import { savedDatabase } from "@/db/testing/saved-database";
import { testProject } from "@/db/testing/test-project";
import type { Capability } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor, requestTo } from "@/server/rest/testing";
import { verbsOfServices } from "@/server/rest/testing/all-verbs";
import { storedJob } from "@/server/services/background-jobs/testing";
import { createRepricing, failRepricing } from "@/server/services/costs";
import { createDataset, createExample, createImport, rejectCandidate } from "@/server/services/datasets";
import { smallPayload } from "@/server/services/datasets/chat-payload/testing";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { chatLine, storedFile } from "@/server/services/datasets/imports/testing";
import { storedCandidate } from "@/server/services/datasets/review/testing";
import {
  createBackfill,
  createFix,
  createRule,
  createRuleRuns,
  executeRuleRuns,
  failBackfill,
  handOff,
  listFindings,
  listOccurrences,
  runBackfill,
  updateFindings,
  updateRule,
} from "@/server/services/diagnostics";
import { RULES } from "@/server/services/diagnostics/rules";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { connectTracker, failWorkItem, storedTrackerDelivery } from "@/server/services/diagnostics/work-items/testing";
import { failedDelivery } from "@/server/services/notifications/testing";
import { judgeableEvaluation } from "@/server/services/proof/testing/judgeable-evaluation";
import { storedVariant } from "@/server/services/proof/testing/stored-variant";
import { driveNext } from "@/server/services/serving/deployments/testing/drive";
import { storedDeployment } from "@/server/services/serving/deployments/testing/stored-deployment";
import { storedJob as storedTrainingJob } from "@/server/services/training/testing/stored-job";
import { trainingWorld } from "@/server/services/training/testing/training-world";
import { startGithub } from "@/testbed/trackers/github-server";
import { attachScripted, resumeScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";

/** In a separate file, because the environment is read only once. Allows calls to services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

const github = await startGithub();
afterAll(() => github.stop());
const trainer = await new ScriptedTrainer().start();
const trainerId = await attachScripted(trainer);
afterAll(() => trainer.stop());

/** Content that only readers may see, placed wherever a reply could include it. */
const SECRET = "zulu4821";

type Method = "POST" | "PATCH";
type Call = { method: Method; path: string; body?: object };

async function storedWorld() {
  const { ctx } = await testProject();
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { keywords: [SECRET] } });
  const { rule } = await createRule(ctx, { name: SECRET, problem: SECRET });
  await updateRule(ctx, { ruleId: rule.id, enabled: false });
  const { id, lastActivityAt } = await storedConversation(ctx, [
    { role: "user", text: `Where is ${SECRET}?` },
    ...failingToolCall(SECRET, `Error: ${SECRET} not found`),
  ]);
  await ctx.db.update(conversations).set({ preview: SECRET }).where(eq(conversations.id, id));
  const asked = { conversationId: id, lastActivityAt };
  const { runs } = await createRuleRuns(ctx, asked);
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const other = await storedConversation(ctx, failingToolCall(SECRET, `Error: ${SECRET} not found`));
  const more = await createRuleRuns(ctx, { conversationId: other.id, lastActivityAt: other.lastActivityAt });
  await executeRuleRuns(
    ctx,
    more.runs.map((run) => run.id),
  );
  const { findings } = await listFindings(ctx, { ruleId: "tool-failure", sort: "conversations" });
  const { occurrences } = await listOccurrences(ctx, { findingId: findings[0]!.id });
  const { change } = await updateFindings(ctx, { findingIds: [findings[1]!.id], set: { reviewStatus: "confirmed" } });
  const backgroundJobId = await storedJob(ctx, { state: "failed", error: { name: "Error", message: SECRET } });
  const { repricing } = await createRepricing(ctx, { from: 0, to: 1 });
  const { backfill } = await createBackfill(ctx, {
    ruleId: "tool-failure",
    startMs: 0,
    endMs: Date.now() * 2,
    maxConversations: 10,
  });
  await runBackfill(ctx, backfill.id, { forMs: 0 });
  const deliveryId = await failedDelivery(ctx, SECRET);
  const { dataset } = await createDataset(ctx, { name: "Answers" });
  const { example } = await createExample(ctx, { datasetId: dataset.id, payload: smallPayload(SECRET) });
  const datasetId = dataset.id;
  const tracker = await connectTracker(ctx, "github", github);
  const { workItem } = await handOff(ctx, { findingId: findings[0]!.id, provider: "github" });
  const training = await trainingWorld(ctx, SECRET);
  const judgedId = await judgeableEvaluation(ctx, training.checkpointId, SECRET);
  const variant = await storedVariant(ctx, SECRET, findings[0]!.id);
  const answered = await storedConversation(ctx, [
    { role: "user", text: SECRET },
    { role: "assistant", text: SECRET },
  ]);
  const fileId = await storedFile(ctx, [chatLine(SECRET)], `${SECRET}.jsonl`);
  return {
    ctx,
    datasetId,
    exampleId: example.id,
    fileId,
    importId: (await createImport(ctx, { datasetId, fileId })).import.id,
    deliveryId,
    workItemId: workItem.id,
    trackerDeliveryId: await storedTrackerDelivery(ctx, tracker.id),
    ownRuleId: rule.id,
    runId: runs.find((run) => run.ruleId === "agent-loop")!.id,
    backfillId: backfill.id,
    asked,
    findingId: findings[0]!.id,
    otherId: findings[1]!.id,
    fixId: (await createFix(ctx, { findingId: findings[1]!.id, by: "label", value: "calm", note: SECRET })).fix.id,
    occurrenceId: occurrences[0]!.id,
    changeId: change.id,
    backgroundJobId,
    candidateId: await storedCandidate(ctx, await storedDataset(ctx), { question: SECRET, reason: SECRET }),
    repricing,
    training,
    jobId: training.jobId,
    judgedId,
    variant,
    answered: answered.id,
    deploymentIds: [
      await storedDeployment(ctx, training.checkpointId, { name: SECRET, status: "stopped", endedAt: 1, startedAt: 1 }),
      await storedDeployment(ctx, training.checkpointId, { name: SECRET, startedAt: 2 }),
    ],
    runningJobId: await storedTrainingJob(ctx, { name: SECRET, status: "running" }),
    pausedJobId: await storedTrainingJob(ctx, { name: SECRET, status: "paused", dispatchedAt: 1, attempt: 1 }),
  };
}
type World = Awaited<ReturnType<typeof storedWorld>>;

let stored: World;
let restore: () => Promise<void>;
beforeAll(async () => {
  stored = await storedWorld();
  trainer.detach();
  restore = await savedDatabase();
});

/** The same for each test, however the one before has changed it. */
async function world(): Promise<World> {
  // Its calls would open connections to the database that is about to be replaced.
  trainer.detach();
  await restore();
  resumeScripted(trainer, trainerId);
  return { ...stored, ctx: { ...stored.ctx, db: db() } };
}

const itemPath = ({ findingId, workItemId }: World) => `/diagnostics/findings/${findingId}/work-items/${workItemId}`;

/** Writes whose full reply requires read access, with what a caller without it gets. */
const CALLS: Record<string, { capability: Capability; call: (of: World) => Call; gets: object }> = {
  "trainingJobs.create": {
    capability: "models:manage",
    call: ({ training }) => ({ method: "POST", path: "/fine-tuning/jobs", body: { ...training.choice, name: "Mine" } }),
    gets: { job: { status: "queued" } },
  },
  "trainingJobs.validate": {
    capability: "models:manage",
    call: ({ training }) => ({ method: "POST", path: "/fine-tuning/validate", body: training.choice }),
    gets: { validation: { ok: expect.any(Boolean) } },
  },
  "trainingJobs.cancel": {
    capability: "models:manage",
    call: ({ jobId }) => ({ method: "POST", path: `/fine-tuning/jobs/${jobId}/cancel`, body: {} }),
    gets: { job: { status: "cancelled" } },
  },
  "trainingJobs.pause": {
    capability: "models:manage",
    call: ({ runningJobId }) => ({ method: "POST", path: `/fine-tuning/jobs/${runningJobId}/pause`, body: {} }),
    gets: { job: { status: "pausing" } },
  },
  "trainingJobs.resume": {
    capability: "models:manage",
    call: ({ pausedJobId }) => ({ method: "POST", path: `/fine-tuning/jobs/${pausedJobId}/resume`, body: {} }),
    gets: { job: { status: "queued" } },
  },
  "deployments.deploy": {
    capability: "project:models:manage",
    call: ({ training }) => ({
      method: "POST",
      path: `/fine-tuning/checkpoints/${training.checkpointId}/deploy`,
      body: {},
    }),
    gets: { deployment: { status: "running", endpoint: expect.any(String), error: null } },
  },
  "deployments.rollBack": {
    capability: "project:models:manage",
    call: ({ deploymentIds }) => ({
      method: "POST",
      path: `/fine-tuning/deployments/${deploymentIds[1]}/roll-back`,
      body: {},
    }),
    gets: { deployment: { status: "running" } },
  },
  "deployments.stop": {
    capability: "project:models:manage",
    call: ({ deploymentIds }) => ({
      method: "POST",
      path: `/fine-tuning/deployments/${deploymentIds[1]}/stop`,
      body: {},
    }),
    gets: { deployment: { id: expect.any(String), status: "stopping" } },
  },
  "deployments.startPlayground": {
    capability: "project:models:manage",
    call: ({ training }) => ({
      method: "POST",
      path: "/fine-tuning/playgrounds",
      body: { checkpointId: training.checkpointId },
    }),
    gets: { deployment: { status: "pending" } },
  },
  "evaluations.create": {
    capability: "models:manage",
    call: ({ training }) => ({
      method: "POST",
      path: "/fine-tuning/evaluations",
      body: { checkpointId: training.checkpointId, kind: "examples" },
    }),
    gets: { evaluation: { status: "queued" } },
  },
  "variants.create": {
    capability: "models:manage",
    call: ({ variant }) => ({
      method: "POST",
      path: "/variants",
      body: { name: "Again", connectionId: variant.connectionId, model: "gpt-5", note: SECRET },
    }),
    gets: { variant: { version: 1 } },
  },
  "variants.handOffAsTicket": {
    capability: "diagnostics:write",
    call: ({ variant }) => ({
      method: "POST",
      path: `/variants/${variant.variantId}/ticket`,
      body: { provider: "github" },
    }),
    gets: { isAdded: true, workItem: { state: "open" } },
  },
  "variants.prove": {
    capability: "models:manage",
    call: ({ variant, training }) => ({
      method: "POST",
      path: `/variants/${variant.variantId}/proofs`,
      body: { datasetId: training.choice.datasetId },
    }),
    gets: { evaluation: { status: "queued" } },
  },
  "variants.try": {
    capability: "models:manage",
    call: ({ variant, answered }) => ({
      method: "POST",
      path: "/variant-answers",
      body: { conversationId: answered, messageIndex: 1, connectionId: variant.connectionId, model: "gpt-5" },
    }),
    gets: { problem: expect.stringMatching(/There is no answer/) },
  },
  "evaluations.cancel": {
    capability: "models:manage",
    call: ({ training }) => ({
      method: "POST",
      path: `/fine-tuning/evaluations/${training.evaluationId}/cancel`,
      body: {},
    }),
    gets: { evaluation: { status: "cancelled" } },
  },
  "evaluations.judge": {
    capability: "models:manage",
    call: ({ judgedId }) => ({ method: "POST", path: `/fine-tuning/evaluations/${judgedId}/judge`, body: {} }),
    gets: { evaluation: { id: expect.any(String) } },
  },
  "evaluations.cancelJudging": {
    capability: "models:manage",
    call: ({ judgedId }) => ({ method: "POST", path: `/fine-tuning/evaluations/${judgedId}/judge/cancel`, body: {} }),
    gets: { evaluation: { id: expect.any(String) } },
  },
  "certificates.create": {
    capability: "models:manage",
    call: ({ training }) => ({
      method: "POST",
      path: `/fine-tuning/checkpoints/${training.checkpointId}/certificates`,
      body: {},
    }),
    gets: { certificate: { status: "queued" } },
  },
  "modelExports.create": {
    capability: "project:models:manage",
    call: ({ training }) => ({ method: "POST", path: "/fine-tuning/export", body: training.publication }),
    gets: { export: { status: "queued" } },
  },
  "modelExports.cancel": {
    capability: "project:models:manage",
    call: ({ training }) => ({ method: "POST", path: `/fine-tuning/exports/${training.exportId}/cancel`, body: {} }),
    gets: { export: { status: "cancelled" } },
  },
  "baseModels.add": {
    capability: "models:manage",
    call: () => ({ method: "POST", path: "/fine-tuning/base-models", body: { id: "acme/new", source: "hub" } }),
    gets: { baseModel: { id: "acme/new" } },
  },
  "tuningConfigs.create": {
    capability: "project:data:write",
    call: ({ training }) => ({
      method: "POST",
      path: "/fine-tuning/tuning-configs",
      body: { ...training.choice, name: "Mine" },
    }),
    gets: { tuningConfig: { id: expect.any(String) } },
  },
  "tuningConfigs.update": {
    capability: "project:data:write",
    call: ({ training }) => ({
      method: "PATCH",
      path: `/fine-tuning/tuning-configs/${training.configId}`,
      body: { trigger: { dailyCap: 2 } },
    }),
    gets: { tuningConfig: { id: expect.any(String) } },
  },
  "findings.update": {
    capability: "diagnostics:write",
    call: ({ findingId }) => ({
      method: "PATCH",
      path: `/diagnostics/findings/${findingId}`,
      body: { reviewStatus: "confirmed", resolutionStatus: "resolved" },
    }),
    gets: { finding: { reviewStatus: "confirmed", resolutionStatus: "resolved" } },
  },
  "findings.updateMany": {
    capability: "diagnostics:write",
    call: ({ findingId }) => ({
      method: "POST",
      path: "/diagnostics/findings/bulk",
      body: { findingIds: [findingId], set: { reviewStatus: "confirmed" } },
    }),
    gets: { change: { id: expect.any(String) } },
  },
  "fixes.create": {
    capability: "diagnostics:write",
    call: ({ findingId }) => ({
      method: "POST",
      path: `/diagnostics/findings/${findingId}/fixes`,
      body: { by: "label", value: "careful", note: SECRET },
    }),
    gets: { fix: { id: expect.any(String) } },
  },
  "fixes.update": {
    capability: "diagnostics:write",
    call: ({ fixId }) => ({ method: "PATCH", path: `/diagnostics/fixes/${fixId}`, body: { kind: "code" } }),
    gets: { fix: { id: expect.any(String) } },
  },
  "fixes.stop": {
    capability: "diagnostics:write",
    call: ({ fixId }) => ({ method: "POST", path: `/diagnostics/fixes/${fixId}/stop` }),
    gets: { fix: { id: expect.any(String) } },
  },
  "findings.undo": {
    capability: "diagnostics:write",
    call: ({ changeId }) => ({ method: "POST", path: "/diagnostics/findings/undo", body: { changeId } }),
    gets: { restored: 1 },
  },
  "findings.merge": {
    capability: "diagnostics:write",
    call: ({ findingId, otherId }) => ({
      method: "POST",
      path: `/diagnostics/findings/${findingId}/merge`,
      body: { findingIds: [otherId] },
    }),
    gets: { finding: { reviewStatus: "confirmed" }, change: { id: expect.any(String) } },
  },
  "findings.split": {
    capability: "diagnostics:write",
    call: ({ findingId, occurrenceId }) => ({
      method: "POST",
      path: `/diagnostics/findings/${findingId}/split`,
      body: { occurrences: [occurrenceId] },
    }),
    gets: { finding: { reviewStatus: "unreviewed" }, change: { id: expect.any(String) } },
  },
  "ruleRuns.create": {
    capability: "diagnostics:write",
    call: ({ asked }) => ({ method: "POST", path: "/diagnostics/rule-runs", body: asked }),
    gets: { runs: RULES.map(() => ({ status: "completed" })) },
  },
  "ruleRuns.createMany": {
    capability: "diagnostics:write",
    call: () => ({ method: "POST", path: "/diagnostics/rule-runs/bulk", body: { filter: { q: SECRET } } }),
    gets: { diagnosis: { rules: RULES.length } },
  },
  "findings.repairHandoff": {
    capability: "diagnostics:write",
    call: ({ findingId }) => ({ method: "POST", path: `/diagnostics/findings/${findingId}/repair-handoff` }),
    gets: { finding: { reviewStatus: "confirmed" } },
  },
  "workItems.create": {
    capability: "diagnostics:write",
    call: ({ otherId }) => ({
      method: "POST",
      path: `/diagnostics/findings/${otherId}/work-items`,
      body: { provider: "github" },
    }),
    gets: { workItem: { state: "open" } },
  },
  "workItems.replace": {
    capability: "diagnostics:write",
    call: (of) => ({ method: "POST", path: `${itemPath(of)}/replacements`, body: { provider: "github" } }),
    gets: { workItem: { state: "open" } },
  },
  "workItems.sync": {
    capability: "diagnostics:write",
    call: (of) => ({ method: "POST", path: `${itemPath(of)}/sync` }),
    gets: { workItem: { state: "open" } },
  },
  "workItems.retry": {
    capability: "diagnostics:write",
    call: (of) => ({ method: "POST", path: `${itemPath(of)}/retry` }),
    gets: { workItem: { state: "open" } },
  },
  "workItems.abandon": {
    capability: "diagnostics:write",
    call: (of) => ({ method: "POST", path: `${itemPath(of)}/abandon` }),
    gets: { workItem: { state: "abandoned" } },
  },
  "trackerDeliveries.replay": {
    capability: "diagnostics:write",
    call: ({ trackerDeliveryId }) => ({ method: "POST", path: `/tracker-deliveries/${trackerDeliveryId}/replay` }),
    gets: { trackerDelivery: { state: "ignored" } },
  },
  "deliveries.replay": {
    capability: "diagnostics:write",
    call: ({ deliveryId }) => ({ method: "POST", path: `/deliveries/${deliveryId}/replay` }),
    gets: { delivery: { state: "queued" } },
  },
  "rules.update": {
    capability: "diagnostics:write",
    call: () => ({
      method: "PATCH",
      path: "/diagnostics/rules/tool-failure",
      body: { configuration: { minSignalScore: 0.4 } },
    }),
    gets: { rule: { id: "tool-failure", configurationRevision: 3 } },
  },
  "rules.create": {
    capability: "diagnostics:write",
    call: () => ({ method: "POST", path: "/diagnostics/rules", body: { name: "Promises", problem: "Promises." } }),
    gets: { rule: { version: 1, enabled: true } },
  },
  "rules.createVersion": {
    capability: "diagnostics:write",
    call: ({ ownRuleId }) => ({
      method: "POST",
      path: `/diagnostics/rules/${ownRuleId}/versions`,
      body: { name: "Promises", problem: "Promises." },
    }),
    gets: { rule: { version: 2, enabled: false } },
  },
  "rules.tryDescription": {
    capability: "diagnostics:write",
    call: () => ({
      method: "POST",
      path: "/diagnostics/rule-trials",
      body: { name: "Promises", problem: "Promises." },
    }),
    gets: { trial: { conversations: 4, judged: 0 } },
  },
  "ruleRuns.retry": {
    capability: "diagnostics:write",
    call: ({ runId }) => ({ method: "POST", path: `/diagnostics/rule-runs/${runId}/retry`, body: {} }),
    gets: { run: { status: "queued" } },
  },
  "rules.try": {
    capability: "diagnostics:write",
    call: ({ asked }) => ({
      method: "POST",
      path: "/diagnostics/rules/tool-failure/try",
      body: { conversationId: asked.conversationId },
    }),
    gets: { ruleId: "tool-failure", signals: expect.arrayContaining([expect.objectContaining({ outcome: "found" })]) },
  },
  "rules.preview": {
    capability: "diagnostics:write",
    call: () => ({
      method: "POST",
      path: "/diagnostics/rules/tool-failure/preview",
      body: { configuration: { minSignalScore: 1 } },
    }),
    gets: { preview: { conversations: 3, complete: true } },
  },
  "conversations.changeLabels": {
    capability: "diagnostics:write",
    call: ({ asked }) => ({
      method: "PATCH",
      path: `/conversations/${asked.conversationId}/labels`,
      body: { add: ["vip"] },
    }),
    gets: { added: ["vip"], removed: [] },
  },
  "examples.update": {
    capability: "models:manage",
    call: ({ datasetId, exampleId }) => ({
      method: "PATCH",
      path: `/datasets/${datasetId}/examples/${exampleId}`,
      body: { tags: ["seen"] },
    }),
    gets: { example: { id: expect.stringMatching(/^ex_/) } },
  },
  "feedback.create": {
    capability: "telemetry:write",
    call: ({ asked }) => ({
      method: "POST",
      path: "/feedback",
      body: { conversationId: asked.conversationId, kind: "thumb", value: "down" },
    }),
    gets: { feedback: { kind: "thumb", value: "down" } },
  },
  "backfills.create": {
    capability: "diagnostics:write",
    call: () => ({
      method: "POST",
      path: "/diagnostics/rules/tool-failure/backfills",
      body: { startMs: 0, endMs: Date.now() * 2, maxConversations: 5 },
    }),
    gets: { backfill: { scanStatus: "queued", maxConversations: 5 } },
  },
  "backfills.pause": {
    capability: "diagnostics:write",
    call: ({ backfillId }) => ({ method: "POST", path: `/diagnostics/backfills/${backfillId}/pause`, body: {} }),
    gets: { backfill: { scanStatus: "processing", pausedAt: expect.any(Number) } },
  },
  "backfills.resume": {
    capability: "diagnostics:write",
    call: ({ backfillId }) => ({ method: "POST", path: `/diagnostics/backfills/${backfillId}/resume`, body: {} }),
    gets: { backfill: { scanStatus: "scanning", pausedAt: null } },
  },
  "backfills.cancel": {
    capability: "diagnostics:write",
    call: ({ backfillId }) => ({ method: "POST", path: `/diagnostics/backfills/${backfillId}/cancel`, body: {} }),
    gets: { backfill: { scanStatus: "failed", cancelledAt: expect.any(Number) } },
  },
  "datasetImports.create": {
    capability: "models:manage",
    call: ({ datasetId, fileId }) => ({ method: "POST", path: `/datasets/${datasetId}/imports`, body: { fileId } }),
    gets: { import: { status: "queued", onError: "all_or_nothing" } },
  },
  "datasetImports.cancel": {
    capability: "models:manage",
    call: ({ datasetId, importId }) => ({
      method: "POST",
      path: `/datasets/${datasetId}/imports/${importId}/cancel`,
      body: {},
    }),
    gets: { import: { status: "cancelled", cancelledAt: expect.any(Number) } },
  },
  "repricings.create": {
    capability: "model-pricing:write",
    call: () => ({ method: "POST", path: "/repricings", body: { from: 0, to: 1 } }),
    gets: { repricing: { state: "queued" } },
  },
  "repricings.undo": {
    capability: "model-pricing:write",
    call: ({ repricing }) => ({ method: "POST", path: `/repricings/${repricing.id}/undo`, body: {} }),
    gets: { repricing: { state: "undoing" } },
  },
  "reviewQueue.next": {
    capability: "models:manage",
    call: () => ({ method: "POST", path: "/review-queue/next", body: {} }),
    gets: { candidate: { id: expect.any(String) } },
  },
  "reviewQueue.undo": {
    capability: "models:manage",
    call: () => ({ method: "POST", path: "/review-queue/undo", body: {} }),
    gets: { candidate: { status: "waiting" } },
  },
  ...Object.fromEntries(
    Object.entries({
      approve: "approved",
      claim: "waiting",
      reject: "rejected",
      release: "waiting",
      skip: "waiting",
    }).map(([action, status]) => [
      `reviewQueue.${action}`,
      {
        capability: "models:manage" as const,
        call: ({ candidateId }: World) => ({
          method: "POST" as const,
          path: `/review-queue/${candidateId}/${action}`,
          body: action === "reject" ? { reason: "Too vague" } : {},
        }),
        gets: { candidate: { status } },
      },
    ]),
  ),
  "backgroundJobs.replay": {
    capability: "project:admin",
    call: ({ backgroundJobId }) => ({ method: "POST", path: `/background-jobs/${backgroundJobId}/replay`, body: {} }),
    gets: { backgroundJob: { state: "queued" } },
  },
  "backgroundJobs.cancel": {
    capability: "project:admin",
    call: ({ backgroundJobId }) => ({ method: "POST", path: `/background-jobs/${backgroundJobId}/cancel`, body: {} }),
    gets: { backgroundJob: { state: "cancelled" } },
  },
};
/** Preparation for calls that need a different state. */
const BEFORE: Record<string, (of: World) => Promise<unknown>> = {
  "deployments.deploy": ({ ctx }) => driveNext(ctx),
  // The running deployment must differ from the previous one.
  "deployments.rollBack": async ({ ctx, deploymentIds: [before = ""] }) => {
    await ctx.db
      .update(deployments)
      .set({ quantization: "q8_0", backend: "llama.cpp", isForced: true })
      .where(eq(deployments.id, before));
    await driveNext(ctx);
  },
  "backfills.resume": ({ ctx, backfillId }) => failBackfill(ctx, backfillId, SECRET),
  "repricings.create": ({ ctx, repricing }) => endRepricing(ctx, repricing.id),
  "repricings.undo": ({ ctx, repricing }) => endRepricing(ctx, repricing.id),
  "ruleRuns.retry": async ({ ctx, runId }) => {
    await ctx.db.update(ruleRuns).set({ status: "failed", errorMessage: SECRET }).where(eq(ruleRuns.id, runId));
  },
  // A decision by the same key that undoes it.
  "reviewQueue.undo": async ({ ctx, candidateId }) => {
    const [key] = await ctx.db.select().from(apiKeys).where(eq(apiKeys.projectId, ctx.projectId));
    const actor = { kind: "apiKey" as const, keyId: key!.id, capabilities: ["models:manage" as const] };
    await rejectCandidate({ ...ctx, actor }, { candidateId, reason: SECRET });
  },
  "workItems.retry": ({ ctx, workItemId }) => failWorkItem(ctx, workItemId, SECRET),
  "backgroundJobs.cancel": async (of) => {
    of.backgroundJobId = await storedJob(of.ctx, { state: "queued", data: { markId: SECRET } });
  },
};
const endRepricing = async (ctx: Ctx, id: string) => failRepricing(ctx, id, SECRET);

/** Writes whose reply only repeats their input or confirms that they were done. */
const ECHOES = [
  "alerts.create",
  "alerts.update",
  "collectionPasses.cancel",
  "collectionPasses.create",
  "connections.create",
  "connections.createWebhook",
  "connections.test",
  "connections.update",
  "connections.updateTicketFields",
  "conversations.join",
  "datasetVersions.restore",
  "datasets.cleanSplit",
  "datasets.create",
  "datasets.update",
  "diagnosticSettings.update",
  "evaluators.update",
  "examples.addConversations",
  "examples.batch",
  "examples.correctAnswer",
  "examples.create",
  "files.beginUpload",
  "findingNotes.add",
  "findingNotes.update",
  "gatewayAliases.create",
  "gatewayAliases.update",
  "gatewayBudgets.create",
  "gatewayBudgets.update",
  "gatewayExperiments.end",
  "gatewayExperiments.start",
  "gatewayExperiments.update",
  "handoffRules.create",
  "handoffRules.update",
  "knowledgeGoals.create",
  "knowledgeGoals.update",
  "modelPrices.create",
  "modelPrices.update",
  "notificationRules.create",
  "notificationRules.update",
  "pinnedCharts.update",
  "prompts.create",
  "prompts.createVersion",
  "prompts.moveLabel",
  "savedViews.create",
  "savedViews.update",
  // Refused without the right to read what is shared.
  "shareLinks.create",
  "storage.measure",
  "webhooks.resume",
  "workItems.createMany",
];

const dispatch = createDispatcher(OPERATIONS);
const send = async ({ ctx }: World, { method, path, body }: Call, key: string) => {
  const reply = await dispatch(requestTo(method, `/v1/projects/${ctx.projectId}${path}`, { key, body }));
  return { status: reply.status, text: await reply.text() };
};

test.each(Object.entries(CALLS))("%s shows a write-only key what it did, and nothing else", async (name, one) => {
  const of = await world();
  const key = await keyFor(of.ctx, one.capability);
  await BEFORE[name]?.(of);
  const { status, text } = await send(of, one.call(of), key);
  expect([status, JSON.parse(text)]).toMatchObject([expect.any(Number), one.gets]);
  expect(status).toBeLessThan(300);
  expect(text).not.toContain(SECRET);
  for (const field of [
    "evidence",
    "latestOccurrence",
    "resultCount",
    "notes",
    'configuration"',
    "cost",
    'preview":"',
  ]) {
    expect(text).not.toContain(field);
  }
});

test("a caller who may read gets the whole reply", async () => {
  const of = await world();
  const key = await keyFor(of.ctx, "diagnostics:write", "diagnostics:read");
  const { text } = await send(of, CALLS["findings.update"]!.call(of), key);
  expect(JSON.parse(text).finding.latestOccurrence.evidence.length).toBeGreaterThan(0);
  expect((await send(of, CALLS["rules.update"]!.call(of), key)).text).toContain(SECRET);
  expect((await send(of, CALLS["conversations.changeLabels"]!.call(of), key)).text).toContain(SECRET);
});

test("every write that needs only a right to write is covered here", async () => {
  const partial = (await verbsOfServices()).flatMap(({ verb: { spec } }) =>
    spec.scope === "project" && spec.effect === "write" && spec.writeOnlyReply !== undefined ? [spec.name] : [],
  );
  expect(partial.sort()).toEqual(Object.keys(CALLS).sort());
  const others = (await verbsOfServices()).flatMap(({ verb: { spec } }) =>
    spec.scope === "project" &&
    spec.effect === "write" &&
    spec.writeOnlyReply === undefined &&
    !spec.capability.includes("project:admin") &&
    !spec.reply.safeParse({ ok: true }).success
      ? [spec.name]
      : [],
  );
  expect(others.sort()).toEqual(ECHOES);
});
