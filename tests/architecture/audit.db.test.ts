import { desc, eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { accountAuditLog, auditLog, compactions, trainingJobs } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { namesAThing } from "@/db/testing/things";
import type { AccountCtx, Ctx } from "@/server/platform/context";
import type { AccountVerb, InstallationVerb, Verb } from "@/server/platform/verb";
import { exampleOf } from "@/server/rest/openapi/example";
import { jsonSchemaOf } from "@/server/rest/openapi/json-schema";
import { OPERATIONS } from "@/server/rest/operations";
import { verbsOfServices } from "@/server/rest/testing/all-verbs";
import { issueApiKey } from "@/server/services/api-keys";
import { storedJob } from "@/server/services/background-jobs/testing";
import { createCollectionPass } from "@/server/services/collection";
import { createConnection } from "@/server/services/connections";
import { createRepricing, failRepricing } from "@/server/services/costs";
import {
  createDataset,
  createExample,
  createImport,
  createKnowledgeGoal,
  rejectCandidate,
} from "@/server/services/datasets";
import { smallPayload } from "@/server/services/datasets/chat-payload/testing";
import { chatLine, storedFile } from "@/server/services/datasets/imports/testing";
import { storedCandidate } from "@/server/services/datasets/review/testing";
import {
  addFindingNote,
  createBackfill,
  createFix,
  createHandoffRule,
  createRule,
  createRuleRuns,
  executeRuleRuns,
  failRuleRuns,
  handOff,
  listFindings,
  listOccurrences,
  pauseBackfill,
  updateFindings,
} from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { connectTracker, failWorkItem, storedTrackerDelivery } from "@/server/services/diagnostics/work-items/testing";
import { createGatewayAlias, createGatewayBudget, startGatewayExperiment } from "@/server/services/gateway";
import { createUser, startSession } from "@/server/services/identity";
import { acceptInvitation, inviteMember } from "@/server/services/members";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import {
  failedDelivery,
  pausedWebhook,
  storedAlert,
  storedNotificationRule,
  storedWebhook,
} from "@/server/services/notifications/testing";
import { changeRights } from "@/server/services/people";
import { createModelPrice } from "@/server/services/pricing";
import { createPrompt } from "@/server/services/prompts";
import { judgeEvaluation } from "@/server/services/proof";
import { judgeableEvaluation } from "@/server/services/proof/testing/judgeable-evaluation";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { storedModel, storedVariant } from "@/server/services/proof/testing/stored-variant";
import { createSavedView } from "@/server/services/saved-views";
import { driveNext } from "@/server/services/serving/deployments/testing/drive";
import { storedDeployment } from "@/server/services/serving/deployments/testing/stored-deployment";
import { createShareLink, updateShareLinkSettings } from "@/server/services/sharing";
import { createFeedback } from "@/server/services/telemetry";
import { addTrainer } from "@/server/services/trainers";
import { storedJob as storedTrainingJob } from "@/server/services/training/testing/stored-job";
import { trainingChoice, trainingWorld } from "@/server/services/training/testing/training-world";
import { appRouter } from "@/server/trpc/root";
import { startGithub } from "@/testbed/trackers/github-server";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";

/** In a separate file, because the environment is read only once. Allows calls to services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

const github = await startGithub();
afterAll(() => github.stop());
const trainer = await new ScriptedTrainer().start();
await attachScripted(trainer);
afterAll(() => trainer.stop());

const SAMPLE_PASSWORD = "a sample password";
let people = 0;

/** Creates an owner of a fresh project, with contexts inside and outside it. */
async function sampleOwner() {
  const { ctx, userId } = await testProject();
  const account: AccountCtx = { db: db(), userId };
  return { ctx, userId, account };
}

async function somebody() {
  const user = await createUser(db(), { email: `sample${++people}@example.test`, password: SAMPLE_PASSWORD });
  const sessionId = await startSession(db(), { userId: user.id });
  return { userId: user.id, email: user.email, sessionId, account: { db: db(), userId: user.id, sessionId } };
}

const CANCELLED = { status: "cancelled", finishedAt: 1 } as const;
const PAUSED = { status: "paused", dispatchedAt: 1, attempt: 1 } as const;

/** Returns the id of a job with these changes, as its trainer could have made them. */
async function jobThatIs(ctx: Ctx, changes: Partial<typeof trainingJobs.$inferInsert>) {
  const { jobId } = await trainingWorld(ctx, "a");
  await ctx.db.update(trainingJobs).set(changes).where(eq(trainingJobs.id, jobId));
  return jobId;
}

const judgeable = async (ctx: Ctx) => judgeableEvaluation(ctx, (await trainingWorld(ctx, "a")).checkpointId, "a");

async function memberOf(ctx: Ctx) {
  const one = await somebody();
  const { token } = await inviteMember(ctx, { role: "viewer" });
  await acceptInvitation(one.account, { token });
  return one;
}

async function findingOf(ctx: Ctx, tool = "get_order") {
  const conversation = await storedConversation(ctx, failingToolCall(tool, "Error: locked"));
  const { id: conversationId, lastActivityAt } = conversation;
  const { runs } = await createRuleRuns(ctx, { conversationId, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const [finding] = (await listFindings(ctx, { conversationId, signal: "tool_error" })).findings;
  return finding?.id as string;
}

async function sharableIn(ctx: Ctx) {
  await updateShareLinkSettings(ctx, { enabled: true });
  return { conversationId: (await storedConversation(ctx, [{ role: "user", text: "Hello" }])).id };
}

const trackerOf = async (ctx: Ctx) => (await connectTracker(ctx, "github", github)).id;

async function linkedFinding(ctx: Ctx) {
  await trackerOf(ctx);
  const findingId = await findingOf(ctx);
  const { workItem } = await handOff(ctx, { findingId, provider: "github" });
  return { findingId, workItemId: workItem.id };
}

async function handoffRuleOf(ctx: Ctx) {
  const { handoffRule } = await createHandoffRule(ctx, { name: "Severe", connectionId: await trackerOf(ctx) });
  return handoffRule.id;
}

async function fixOn(ctx: Ctx) {
  const { fix } = await createFix(ctx, { findingId: await findingOf(ctx), by: "label", value: "careful" });
  return { fixId: fix.id };
}

async function noteOn(ctx: Ctx) {
  const findingId = await findingOf(ctx);
  const { note } = await addFindingNote(ctx, { findingId, text: "Seen before." });
  return { findingId, noteId: note.id };
}

const PROMISES = { name: "Promises", problem: "Promises a day." };

const backfillOf = async (ctx: Ctx) =>
  (await createBackfill(ctx, { ruleId: "tool-failure", startMs: 0, endMs: 1, maxConversations: 1 })).backfill.id;

async function failedRunOf(ctx: Ctx) {
  const { id: conversationId, lastActivityAt } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  const [run] = (await createRuleRuns(ctx, { conversationId, lastActivityAt })).runs;
  await failRuleRuns(ctx, [run!.id], "An error.");
  return run!.id;
}

const goalOf = async (ctx: Ctx) => (await createKnowledgeGoal(ctx, { title: "Refunds" })).knowledgeGoal.id;
const candidateOf = async (ctx: Ctx) => storedCandidate(ctx, await datasetOf(ctx));
const collectingDatasetOf = async (ctx: Ctx) => {
  const collecting = { collectionObjective: "preserve_successful_behavior" as const, collectionEnabled: true };
  return (await createDataset(ctx, { name: "Answers", ...collecting })).dataset.id;
};
const viewOf = async (ctx: Ctx) =>
  (await createSavedView(ctx, { list: "findings", name: "A view", query: "" })).savedView.id;

const promptOf = async (ctx: Ctx) => ({
  promptName: (await createPrompt(ctx, { name: "refund", content: "Be kind." })).prompt.name,
});

const aliasOf = async (ctx: Ctx) => ({
  gatewayAliasId: (await createGatewayAlias(ctx, { name: "fast", targets: [{ deployment: "shop-agent" }] })).alias.id,
});

const gatewayBudgetOf = async (ctx: Ctx) => ({
  gatewayBudgetId: (await createGatewayBudget(ctx, { scope: "project", dailyUsd: 20 })).budget.id,
});

const experimentInput = async (ctx: Ctx) => ({
  ...(await aliasOf(ctx)),
  variantId: (await storedVariant(ctx, "a")).variantId,
  share: 10,
});
const experimentOf = async (ctx: Ctx) => ({
  gatewayExperimentId: (await startGatewayExperiment(ctx, await experimentInput(ctx))).experiment.id,
});

const datasetOf = async (ctx: Ctx) => (await createDataset(ctx, { name: "Answers" })).dataset.id;
const importOf = async (ctx: Ctx) => ({
  datasetId: await datasetOf(ctx),
  fileId: await storedFile(ctx, [chatLine("Where is my order?")]),
});

async function exampleIn(ctx: Ctx) {
  const datasetId = await datasetOf(ctx);
  const { example } = await createExample(ctx, { datasetId, payload: smallPayload() });
  return { datasetId, exampleId: example.id };
}

/** Creates an account that manages people. */
async function installationOwner(): Promise<AccountCtx> {
  const { account, userId } = await somebody();
  await changeRights({ db: db(), operator: true }, { userId, installationOwner: true });
  return account;
}

const onSomebody =
  (input: (userId: string, email: string) => object): Sample =>
  async () => {
    const { userId, email } = await somebody();
    return { input: input(userId, email), account: await installationOwner() };
  };

type Sample = (given: { ctx: Ctx; userId: string }) => Promise<{ input: object; account?: AccountCtx }>;
const only =
  (input: object): Sample =>
  async () => ({ input });

/** Without a secret, no outside service is called. */
const onConnection =
  (more: object = {}): Sample =>
  async ({ ctx }) => {
    const { connection } = await createConnection(ctx, { kind: "github", name: "GitHub" });
    return { input: { connectionId: connection.id, ...more } };
  };

const SAMPLE_PRICE = {
  provider: "external" as const,
  modelName: "acme-1",
  pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1e-6 } }],
};

/**
 * Inputs with which writes succeed in a fresh project, by the verb's name. Other writes succeed with the example that the
 * reference shows; a new write that does not, because it needs an existing thing, needs an entry here.
 */
const SAMPLES: Record<string, Sample> = {
  "account.changePassword": async () => ({
    input: { currentPassword: SAMPLE_PASSWORD, newPassword: "another password" },
    account: (await somebody()).account,
  }),
  "account.endSession": async () => {
    const { account, sessionId } = await somebody();
    return { input: { sessionId }, account };
  },
  "apiKeys.revoke": async ({ ctx }) => {
    const given = { projectId: ctx.projectId, name: "key", capabilities: [], expiresAt: null, createdBy: null };
    return { input: { keyId: (await issueApiKey(db(), given)).apiKey.id } };
  },
  "backgroundJobs.cancel": async ({ ctx }) => ({ input: { backgroundJobId: await storedJob(ctx) } }),
  "backgroundJobs.replay": async ({ ctx }) => ({
    input: { backgroundJobId: await storedJob(ctx, { state: "failed" }) },
  }),
  "conversations.delete": async ({ ctx }) => ({
    input: { conversationId: (await storedConversation(ctx, [{ role: "user", text: "Hello" }])).id },
  }),
  "conversations.changeLabels": async ({ ctx }) => ({
    input: { conversationId: (await storedConversation(ctx, [{ role: "user", text: "Hello" }])).id, add: ["vip"] },
  }),
  "conversations.join": async ({ ctx }) => {
    const conversationOf = async (text: string) => (await storedConversation(ctx, [{ role: "user", text }])).id;
    return { input: { conversationId: await conversationOf("Hello"), into: await conversationOf("Hello again") } };
  },
  "connections.create": only({ kind: "github", name: "GitHub", secret: "a secret" }),
  "connections.createWebhook": async ({ ctx }) => ({ input: { connectionId: await trackerOf(ctx) } }),
  "connections.delete": onConnection(),
  "connections.test": onConnection(),
  "connections.update": onConnection({ name: "Renamed", secret: "another secret" }),
  "connections.updateTicketFields": onConnection({ destination: "FORM", values: { customfield_10042: null } }),
  "examples.batch": async ({ ctx }) => ({
    input: { datasetId: await datasetOf(ctx), items: [{ action: "create", payload: smallPayload() }] },
  }),
  "examples.create": async ({ ctx }) => ({ input: { datasetId: await datasetOf(ctx), payload: smallPayload() } }),
  "examples.delete": async ({ ctx }) => ({ input: await exampleIn(ctx) }),
  "examples.update": async ({ ctx }) => ({ input: { ...(await exampleIn(ctx)), tags: ["reviewed"] } }),
  "datasetVersions.restore": async ({ ctx }) => ({
    input: { datasetId: (await exampleIn(ctx)).datasetId, version: 1 },
  }),
  "datasets.cleanSplit": async ({ ctx }) => ({ input: { datasetId: await datasetOf(ctx) } }),
  "datasets.delete": async ({ ctx }) => ({ input: { datasetId: await datasetOf(ctx) } }),
  "datasets.update": async ({ ctx }) => ({ input: { datasetId: await datasetOf(ctx), name: "Renamed" } }),
  "deletions.create": only({ userId: "customer-1" }),
  "evaluators.update": async ({ ctx }) => {
    const judged = {
      conversationId: "chat-4711",
      kind: "score",
      value: 0.1,
      name: "relevance",
      evaluatorKind: "model",
    } as const;
    await createFeedback(ctx, judged);
    return { input: { name: judged.name, failsWhen: { below: 0.5 } } };
  },
  "feedback.create": only({ conversationId: "chat-4711", kind: "thumb", value: "down" }),
  "files.beginUpload": only({ name: "conversations.jsonl", bytes: 1 }),
  "rules.update": only({ ruleId: "tool-failure", enabled: false }),
  "ruleRuns.retry": async ({ ctx }) => ({ input: { runId: await failedRunOf(ctx) } }),
  "rules.try": only({ ruleId: "tool-failure", messages: [{ role: "user", content: "Hello" }] }),
  "rules.create": only(PROMISES),
  "rules.createVersion": async ({ ctx }) => ({
    input: { ...PROMISES, ruleId: (await createRule(ctx, PROMISES)).rule.id, asks: 1 },
  }),
  "rules.tryDescription": only(PROMISES),
  "rules.preview": only({ ruleId: "tool-failure", configuration: { minSignalScore: 0.4 } }),
  "findings.update": async ({ ctx }) => ({
    input: { findingId: await findingOf(ctx), reviewStatus: "confirmed" },
  }),
  "findings.updateMany": async ({ ctx }) => ({
    input: { findingIds: [await findingOf(ctx)], set: { reviewStatus: "confirmed" } },
  }),
  "compaction.update": async ({ ctx }) => {
    await ctx.db.insert(compactions).values({ projectId: ctx.projectId });
    return { input: { paused: true } };
  },
  "findings.undo": async ({ ctx }) => ({
    input: {
      changeId: (await updateFindings(ctx, { findingIds: [await findingOf(ctx)], set: { reviewStatus: "confirmed" } }))
        .change.id,
    },
  }),
  "findings.merge": async ({ ctx }) => ({
    input: { findingId: await findingOf(ctx), findingIds: [await findingOf(ctx, "get_refund")] },
  }),
  "findings.split": async ({ ctx }) => {
    const findingId = await findingOf(ctx);
    await findingOf(ctx);
    const { occurrences } = await listOccurrences(ctx, { findingId });
    return { input: { findingId, occurrences: [occurrences[0]!.id] } };
  },
  "fixes.create": async ({ ctx }) => ({ input: { findingId: await findingOf(ctx), by: "version", value: "shop 2" } }),
  "fixes.update": async ({ ctx }) => ({ input: { ...(await fixOn(ctx)), kind: "code" } }),
  "fixes.stop": async ({ ctx }) => ({ input: await fixOn(ctx) }),
  "findingNotes.add": async ({ ctx }) => ({ input: { findingId: await findingOf(ctx), text: "Seen before." } }),
  "findingNotes.update": async ({ ctx }) => ({ input: { ...(await noteOn(ctx)), text: "Seen twice." } }),
  "findingNotes.delete": async ({ ctx }) => ({ input: await noteOn(ctx) }),
  "invitations.accept": async ({ ctx }) => ({
    input: { token: (await inviteMember(ctx, {})).token },
    account: (await somebody()).account,
  }),
  "members.changeRole": async ({ ctx }) => ({ input: { userId: (await memberOf(ctx)).userId, role: "editor" } }),
  "members.createPasswordReset": async ({ ctx }) => ({ input: { userId: (await memberOf(ctx)).userId } }),
  "members.remove": async ({ ctx }) => ({ input: { userId: (await memberOf(ctx)).userId } }),
  "members.revokeInvitation": async ({ ctx }) => ({
    input: { invitationId: (await inviteMember(ctx, {})).invitation.id },
  }),
  "members.transferOwnership": async ({ ctx }) => ({ input: { userId: (await memberOf(ctx)).userId } }),
  "modelPrices.delete": async ({ ctx }) => ({
    input: { modelPriceId: (await createModelPrice(ctx, SAMPLE_PRICE)).model.id },
  }),
  "modelPrices.reset": async ({ ctx }) => {
    const { model } = await createModelPrice(ctx, {
      ...SAMPLE_PRICE,
      provider: "openai",
      modelName: "gpt-4o",
      baseModelPriceId: "openai:gpt-4o",
    });
    return { input: { modelPriceId: model.id } };
  },
  "modelPrices.update": async ({ ctx }) => ({
    input: { modelPriceId: (await createModelPrice(ctx, SAMPLE_PRICE)).model.id, ...SAMPLE_PRICE },
  }),
  "webhooks.resume": async ({ ctx }) => ({ input: { connectionId: await pausedWebhook(ctx) } }),
  "deliveries.replay": async ({ ctx }) => ({ input: { deliveryId: await failedDelivery(ctx) } }),
  "handoffRules.create": async ({ ctx }) => ({ input: { name: "Severe", connectionId: await trackerOf(ctx) } }),
  "handoffRules.delete": async ({ ctx }) => ({ input: { handoffRuleId: await handoffRuleOf(ctx) } }),
  "handoffRules.update": async ({ ctx }) => ({ input: { handoffRuleId: await handoffRuleOf(ctx), enabled: false } }),
  "trackerDeliveries.replay": async ({ ctx }) => ({
    input: { trackerDeliveryId: await storedTrackerDelivery(ctx, await trackerOf(ctx)) },
  }),
  "findings.repairHandoff": async ({ ctx }) => {
    await trackerOf(ctx);
    return { input: { findingId: await findingOf(ctx) } };
  },
  "workItems.create": async ({ ctx }) => {
    await trackerOf(ctx);
    return { input: { findingId: await findingOf(ctx), provider: "github" } };
  },
  "workItems.createMany": async ({ ctx }) => {
    await trackerOf(ctx);
    return { input: { findingIds: [await findingOf(ctx)], provider: "github" } };
  },
  "workItems.abandon": async ({ ctx }) => ({ input: await linkedFinding(ctx) }),
  "workItems.replace": async ({ ctx }) => ({ input: { ...(await linkedFinding(ctx)), provider: "github" } }),
  "workItems.sync": async ({ ctx }) => ({ input: await linkedFinding(ctx) }),
  "workItems.retry": async ({ ctx }) => {
    const input = await linkedFinding(ctx);
    await failWorkItem(ctx, input.workItemId, "The tracker was down.");
    return { input };
  },
  "alerts.create": async () => ({ input: { name: "Calls fail", measure: "error_rate", limit: 0.05 } }),
  "alerts.delete": async ({ ctx }) => ({ input: { alertId: await storedAlert(ctx) } }),
  "alerts.update": async ({ ctx }) => ({ input: { alertId: await storedAlert(ctx), limit: 0.1 } }),
  "notificationRules.create": async ({ ctx }) => ({ input: { name: "All", connectionId: await storedWebhook(ctx) } }),
  "notificationRules.delete": async ({ ctx }) => ({ input: { notificationRuleId: await storedNotificationRule(ctx) } }),
  "notificationRules.update": async ({ ctx }) => ({
    input: { notificationRuleId: await storedNotificationRule(ctx), enabled: false },
  }),
  "knowledgeGoals.delete": async ({ ctx }) => ({ input: { knowledgeGoalId: await goalOf(ctx) } }),
  "knowledgeGoals.update": async ({ ctx }) => ({ input: { knowledgeGoalId: await goalOf(ctx), title: "Returns" } }),
  "collectionPasses.create": async ({ ctx }) => ({
    input: { datasetId: await collectingDatasetOf(ctx), startMs: 0, endMs: 1, maxConversations: 1 },
  }),
  "collectionPasses.cancel": async ({ ctx }) => {
    const datasetId = await collectingDatasetOf(ctx);
    const { collectionPass } = await createCollectionPass(ctx, {
      datasetId,
      startMs: 0,
      endMs: 1,
      maxConversations: 1,
    });
    return { input: { datasetId, collectionPassId: collectionPass.id } };
  },
  "examples.addConversations": async ({ ctx }) => {
    const { id } = await storedConversation(ctx, failingToolCall("get_order", "Error: order not found"));
    return { input: { conversationIds: [id], datasetIds: [await datasetOf(ctx)] } };
  },
  "examples.correctAnswer": async ({ ctx }) => {
    const { id } = await storedConversation(ctx, failingToolCall("get_order", "Error: order not found"));
    return { input: { datasetId: await datasetOf(ctx), conversationId: id, turn: 3, answer: "It arrives tomorrow." } };
  },
  "reviewQueue.approve": async ({ ctx }) => ({ input: { candidateId: await candidateOf(ctx) } }),
  "reviewQueue.claim": async ({ ctx }) => ({ input: { candidateId: await candidateOf(ctx) } }),
  "reviewQueue.next": async ({ ctx }) => {
    await candidateOf(ctx);
    return { input: {} };
  },
  "reviewQueue.reject": async ({ ctx }) => ({ input: { candidateId: await candidateOf(ctx), reason: "Too vague" } }),
  "reviewQueue.release": async ({ ctx }) => ({ input: { candidateId: await candidateOf(ctx) } }),
  "reviewQueue.skip": async ({ ctx }) => ({ input: { candidateId: await candidateOf(ctx) } }),
  "reviewQueue.undo": async ({ ctx }) => {
    await rejectCandidate(ctx, { candidateId: await candidateOf(ctx), reason: "Too vague" });
    return { input: {} };
  },
  "datasetImports.create": async ({ ctx }) => ({ input: await importOf(ctx) }),
  "datasetImports.cancel": async ({ ctx }) => {
    const input = await importOf(ctx);
    return { input: { datasetId: input.datasetId, importId: (await createImport(ctx, input)).import.id } };
  },
  "trainingJobs.create": async ({ ctx }) => ({ input: await trainingChoice(ctx, "a") }),
  "trainingJobs.validate": async ({ ctx }) => ({ input: await trainingChoice(ctx, "a") }),
  "trainingJobs.cancel": async ({ ctx }) => ({ input: { jobId: (await trainingWorld(ctx, "a")).jobId } }),
  "trainingJobs.delete": async ({ ctx }) => ({ input: { jobId: await storedTrainingJob(ctx, CANCELLED) } }),
  "checkpoints.delete": async ({ ctx }) => ({
    input: { checkpointId: await storedCheckpoint(ctx, await storedTrainingJob(ctx, CANCELLED)) },
  }),
  "trainingJobs.pause": async ({ ctx }) => ({ input: { jobId: await jobThatIs(ctx, { status: "running" }) } }),
  "trainingJobs.resume": async ({ ctx }) => ({ input: { jobId: await jobThatIs(ctx, PAUSED) } }),
  "deployments.deploy": async ({ ctx }) => {
    const { checkpointId } = await trainingWorld(ctx, "a");
    await driveNext(ctx);
    return { input: { checkpointId } };
  },
  "deployments.rollBack": async ({ ctx }) => {
    const { checkpointId } = await trainingWorld(ctx, "a");
    await storedDeployment(ctx, checkpointId, { status: "stopped", endedAt: 1, startedAt: 1 });
    const deploymentId = await storedDeployment(ctx, checkpointId, { status: "stopped", endedAt: 2, startedAt: 2 });
    await driveNext(ctx);
    return { input: { deploymentId } };
  },
  "deployments.stop": async ({ ctx }) => ({
    input: { deploymentId: await storedDeployment(ctx, (await trainingWorld(ctx, "a")).checkpointId) },
  }),
  "deployments.startPlayground": async ({ ctx }) => ({
    input: { checkpointId: (await trainingWorld(ctx, "a")).checkpointId },
  }),
  "evaluations.create": async ({ ctx }) => ({
    input: { checkpointId: (await trainingWorld(ctx, "a")).checkpointId, kind: "examples" },
  }),
  "gatewayAliases.create": async ({ ctx }) => ({
    input: { name: "fast", targets: [{ connectionId: await storedModel(ctx), model: "gpt-5" }] },
  }),
  "gatewayAliases.delete": async ({ ctx }) => ({ input: await aliasOf(ctx) }),
  "gatewayAliases.update": async ({ ctx }) => ({ input: { ...(await aliasOf(ctx)), retries: 1 } }),
  "gatewayBudgets.create": async () => ({ input: { scope: "project", dailyUsd: 20 } }),
  "gatewayBudgets.delete": async ({ ctx }) => ({ input: await gatewayBudgetOf(ctx) }),
  "gatewayExperiments.end": async ({ ctx }) => ({ input: await experimentOf(ctx) }),
  "gatewayExperiments.start": async ({ ctx }) => ({ input: await experimentInput(ctx) }),
  "gatewayRecording.update": async () => ({ input: { content: false } }),
  "gatewayExperiments.update": async ({ ctx }) => ({ input: { ...(await experimentOf(ctx)), share: 20 } }),
  "gatewayBudgets.update": async ({ ctx }) => ({ input: { ...(await gatewayBudgetOf(ctx)), dailyUsd: 5 } }),
  "variants.create": async ({ ctx }) => ({
    input: { name: "Brief", connectionId: await storedModel(ctx), model: "gpt-5" },
  }),
  "variants.delete": async ({ ctx }) => ({ input: { variantId: (await storedVariant(ctx, "a")).variantId } }),
  "variants.handOffAsTicket": async ({ ctx }) => {
    const { findingId } = await linkedFinding(ctx);
    return { input: { variantId: (await storedVariant(ctx, "a", findingId)).variantId } };
  },
  "variants.prove": async ({ ctx }) => ({
    input: {
      variantId: (await storedVariant(ctx, "a")).variantId,
      datasetId: (await trainingWorld(ctx, "a")).choice.datasetId,
    },
  }),
  "variants.try": async ({ ctx }) => ({
    input: {
      conversationId: (
        await storedConversation(ctx, [
          { role: "user", text: "Hello?" },
          { role: "assistant", text: "Hello." },
        ])
      ).id,
      messageIndex: 1,
      connectionId: await storedModel(ctx),
      model: "gpt-5",
    },
  }),
  "evaluations.cancel": async ({ ctx }) => ({
    input: { evaluationId: (await trainingWorld(ctx, "a")).evaluationId },
  }),
  "evaluations.judge": async ({ ctx }) => ({ input: { evaluationId: await judgeable(ctx) } }),
  "evaluations.cancelJudging": async ({ ctx }) => {
    const evaluationId = await judgeable(ctx);
    await judgeEvaluation(ctx, { evaluationId });
    return { input: { evaluationId } };
  },
  "evaluations.review": async ({ ctx }) => {
    const answer = { content: "Yes", finishReason: "stop" };
    const { checkpointId } = await trainingWorld(ctx, "a");
    const evaluationId = await storedEvaluation(
      ctx,
      checkpointId,
      {},
      { before: answer, after: answer, reason: "both_match" },
    );
    return { input: { evaluationId, n: "0", choice: "both" } };
  },
  "certificates.create": async ({ ctx }) => ({
    input: { checkpointId: (await trainingWorld(ctx, "a")).checkpointId },
  }),
  "modelExports.create": async ({ ctx }) => ({ input: (await trainingWorld(ctx, "a")).publication }),
  "modelExports.cancel": async ({ ctx }) => ({ input: { exportId: (await trainingWorld(ctx, "a")).exportId } }),
  "baseModels.add": only({ id: "acme/support", source: "hub" }),
  "baseModels.remove": async ({ ctx }) => ({
    input: { baseModelId: (await trainingWorld(ctx, "a")).baseModelId },
  }),
  "tuningConfigs.create": async ({ ctx }) => ({
    input: { ...(await trainingChoice(ctx, "a")), name: "Weekly" },
  }),
  "tuningConfigs.update": async ({ ctx }) => ({
    input: { configId: (await trainingWorld(ctx, "a")).configId, name: "Daily" },
  }),
  "tuningConfigs.delete": async ({ ctx }) => ({
    input: { configId: (await trainingWorld(ctx, "a")).configId },
  }),
  "prompts.create": async () => ({
    input: { name: "refund", content: "Be kind to {{user}}.", labels: ["production"] },
  }),
  "prompts.createVersion": async ({ ctx }) => ({ input: { ...(await promptOf(ctx)), content: "Be brief." } }),
  "prompts.delete": async ({ ctx }) => ({ input: await promptOf(ctx) }),
  "prompts.moveLabel": async ({ ctx }) => ({ input: { ...(await promptOf(ctx)), label: "production", version: 1 } }),
  "savedViews.delete": async ({ ctx }) => ({ input: { savedViewId: await viewOf(ctx) } }),
  "savedViews.update": async ({ ctx }) => ({ input: { savedViewId: await viewOf(ctx), name: "Renamed" } }),
  "shareLinks.create": async ({ ctx }) => ({ input: await sharableIn(ctx) }),
  "shareLinks.revoke": async ({ ctx }) => {
    const { shareLink } = await createShareLink(ctx, await sharableIn(ctx));
    return { input: { shareLinkId: shareLink.id } };
  },
  "people.changeRights": onSomebody((userId) => ({ userId, mayCreateProjects: true })),
  "people.disable": onSomebody((userId) => ({ userId })),
  "people.enable": onSomebody((userId) => ({ userId })),
  "people.erase": onSomebody((userId, email) => ({ userId, email })),
  "trainers.add": async () => ({ input: { name: "GPU box" }, account: await installationOwner() }),
  "trainers.remove": async () => {
    const account = await installationOwner();
    const { trainer: added } = await addTrainer(account, { name: "GPU box" });
    return { input: { trainerId: added.id }, account };
  },
  "people.handOver": async ({ ctx, userId }) => ({
    input: { userId, projectId: ctx.projectId, toUserId: (await somebody()).userId },
    account: await installationOwner(),
  }),
  "backfills.create": only({ ruleId: "tool-failure", startMs: 0, endMs: 1, maxConversations: 1 }),
  "backfills.pause": async ({ ctx }) => ({ input: { backfillId: await backfillOf(ctx) } }),
  "backfills.cancel": async ({ ctx }) => ({ input: { backfillId: await backfillOf(ctx) } }),
  "backfills.resume": async ({ ctx }) => {
    const backfillId = await backfillOf(ctx);
    await pauseBackfill(ctx, { backfillId });
    return { input: { backfillId } };
  },
  "repricings.undo": async ({ ctx }) => {
    const { repricing } = await createRepricing(ctx, { from: 0, to: 1 });
    await failRepricing(ctx, repricing.id, "stopped");
    return { input: { repricingId: repricing.id } };
  },
  "projects.delete": only({ name: "Test project" }),
  "projects.leave": async ({ ctx }) => ({
    input: { projectId: ctx.projectId },
    account: (await memberOf(ctx)).account,
  }),
  "ruleRuns.createMany": only({ filter: {} }),
  "ruleRuns.create": async ({ ctx }) => {
    const { id, lastActivityAt } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
    return { input: { conversationId: id, lastActivityAt } };
  },
};

/** Uses the reference's example, for a write that needs no existing thing. */
const exampleOfVerb =
  ({ spec }: Verb | AccountVerb | InstallationVerb): Sample =>
  async () => {
    const schema = jsonSchemaOf(spec.input, "input");
    const required = (schema.required ?? []) as string[];
    if (required.some(namesAThing)) throw new Error(`${spec.name} is about a thing: say in SAMPLES how one is made.`);
    return { input: exampleOf(schema) as object };
  };

/** Mutations without a verb: what they write is covered by their own tests. */
const LINKS = ["links.forgotPassword", "links.join", "links.resetPassword", "setup.complete"];
/** Look-ups that are mutations only to keep their token out of URLs. */
const LOOK_UPS = ["links.invitation", "links.passwordReset"];
/** A batch is recorded by its receipt, and a model call by the call itself. */
const BATCHES = [
  "deployments.completeChat",
  "files.continueUpload",
  "gateway.completeChat",
  "gateway.createEmbeddings",
  "gateway.createResponse",
  "otlp.logs",
  "otlp.metrics",
  "otlp.traces",
];

const verbs = (await verbsOfServices()).map(({ exported, verb }) => ({
  exported,
  name: verb.spec.name,
  verb: verb as unknown as Verb | AccountVerb | InstallationVerb,
}));
const writes = verbs.filter(({ verb }) => verb.spec.effect === "write");
const reads = verbs.filter(({ verb }) => verb.spec.effect === "read");

const newestOf = async (action: string) =>
  [
    ...(await db().select().from(auditLog).where(eq(auditLog.action, action)).orderBy(desc(auditLog.id)).limit(1)),
    ...(await db()
      .select()
      .from(accountAuditLog)
      .where(eq(accountAuditLog.action, action))
      .orderBy(desc(accountAuditLog.id))
      .limit(1)),
  ][0];

test.each(writes)("$name writes a row in the audit log", async ({ name, verb }) => {
  const sample = SAMPLES[name] ?? exampleOfVerb(verb);
  const owner = await sampleOwner();
  const { input, account } = await sample(owner);
  if (verb.spec.scope === "project") {
    await (verb as Verb)(owner.ctx, input);
    const rows = await db().select().from(auditLog).where(eq(auditLog.projectId, owner.ctx.projectId));
    expect(rows.filter((row) => row.action === name)).toMatchObject([
      { actorKind: "user", actorId: owner.userId, targetId: expect.anything() },
    ]);
  } else {
    await (verb as AccountVerb)(account ?? owner.account, input);
    expect(await newestOf(name)).toMatchObject({ actorKind: "user", actorId: (account ?? owner.account).userId });
  }
});

test.each(reads.filter(({ verb }) => verb.spec.input.safeParse({}).success))(
  "$name is declared as a read and writes nothing",
  async ({ verb }) => {
    const { ctx, ...owner } = await sampleOwner();
    const account = verb.spec.scope === "installation" ? await installationOwner() : owner.account;
    // Postgres refuses any write here.
    await db().transaction(
      (tx) =>
        verb.spec.scope === "project"
          ? (verb as Verb)({ ...ctx, db: tx }, {})
          : (verb as AccountVerb)({ ...account, db: tx }, {}),
      { accessMode: "read only" },
    );
  },
);

test("only the listed tRPC mutations and streams change anything without an audited operation", () => {
  const procedures = appRouter._def.procedures as unknown as Record<
    string,
    { _def: { type: string; meta?: { verb?: string } } }
  >;
  const others = Object.entries(procedures).filter(([, { _def }]) => _def.type === "mutation" && !_def.meta?.verb);
  expect(others.map(([path]) => path).sort()).toEqual([...LINKS, ...LOOK_UPS].sort());
  const unaudited = OPERATIONS.flatMap((one) =>
    "stream" in one && one.stream.spec.unaudited ? [one.stream.spec.name] : [],
  );
  expect([...new Set(unaudited)].sort()).toEqual(BATCHES);
});
