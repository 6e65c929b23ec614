import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { db } from "@/db/pool";
import { rolloutDecisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { CAPABILITIES } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { createApiKey } from "@/server/services/api-keys";
import { storedJob } from "@/server/services/background-jobs/testing";
import { createConnection } from "@/server/services/connections";
import { createRepricing } from "@/server/services/costs";
import { createImport, createKnowledgeGoal } from "@/server/services/datasets";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { chatLine, storedFile } from "@/server/services/datasets/imports/testing";
import { storedCandidate } from "@/server/services/datasets/review/testing";
import {
  createBackfill,
  createFix,
  createHandoffRule,
  createRule,
  createRuleRuns,
  executeRuleRuns,
  handOffMany,
  listFindings,
} from "@/server/services/diagnostics";
import { storedTrackerDelivery } from "@/server/services/diagnostics/work-items/testing";
import { createGatewayAlias, createGatewayBudget, startGatewayExperiment } from "@/server/services/gateway";
import { inviteMember } from "@/server/services/members";
import { failedDelivery, storedAlert, storedNotificationRule } from "@/server/services/notifications/testing";
import { createModelPrice } from "@/server/services/pricing";
import { createPrompt } from "@/server/services/prompts";
import { storedVariant } from "@/server/services/proof/testing/stored-variant";
import { createSavedView } from "@/server/services/saved-views";
import { storedDeployment } from "@/server/services/serving/deployments/testing/stored-deployment";
import { createShareLink, updateShareLinkSettings } from "@/server/services/sharing";
import { createFeedback, projectPending } from "@/server/services/telemetry";
import { chatSpan, otlpJson } from "@/server/services/telemetry/testing";
import { trainingWorld } from "@/server/services/training/testing/training-world";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { cookieFor, keyFor, requestTo } from ".";

const dispatch = createDispatcher(OPERATIONS);
export const hex = (length: number) => crypto.randomUUID().replaceAll("-", "").slice(0, length);

/** Creates a project with something of every kind in it, all marked with a word that no other project contains. */
export async function tenant(mark: string) {
  const { ctx, userId } = await testProject();
  const [traceId, root] = [hex(32), hex(16)];
  const attributes = { "gen_ai.conversation.id": `${mark}-session`, "user.id": `${mark}-user` };
  const call = (spanId: string, more: Record<string, unknown> = {}) =>
    chatSpan(
      { traceId, spanId, parentSpanId: root, attributes: { ...attributes, ...more } },
      { input: [["user", `Where is ${mark}?`]], output: `${mark} is away.` },
    );
  const spans = [
    { traceId, spanId: root, name: `agent ${mark}`, attributes },
    call(hex(16)),
    {
      traceId,
      spanId: hex(16),
      parentSpanId: root,
      name: "execute_tool find",
      error: `${mark} not found`,
      attributes: {
        ...attributes,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find",
        "gen_ai.tool.call.id": `call-${mark}`,
        "gen_ai.tool.call.result": `Error: ${mark} not found`,
      },
    },
    call(hex(16)),
  ];
  await createModelPrice(ctx, {
    provider: "external",
    modelName: `${mark}-model`,
    pricingTiers: [{ name: mark, isDefault: true, priority: 0, prices: { input_tokens: 1 } }],
  });
  const key = await keyFor(ctx, ...CAPABILITIES);
  const sent = await dispatch(requestTo("POST", "/v1/otlp/v1/traces", { key, body: otlpJson(spans) }));
  expect(sent.status).toBe(200);
  while ((await projectPending(db())) > 0);
  const [conversation] = await db().execute<{ id: string; last: string }>(
    sql`select id, last_activity_at as last from conversations where project_id = ${ctx.projectId}`,
  );
  const { runs } = await createRuleRuns(ctx, {
    conversationId: conversation?.id as string,
    lastActivityAt: Number(conversation?.last),
  });
  await executeRuleRuns(
    ctx,
    runs.map(({ id }) => id),
  );
  await createFeedback(ctx, { conversationId: `${mark}-session`, kind: "comment", value: `${mark} is wrong` });
  await createRepricing(ctx, { from: 0, to: 1, model: `${mark}-model` });
  await createBackfill(ctx, { ruleId: "tool-failure", startMs: 0, endMs: 1, maxConversations: 1 });
  await createRule(ctx, { name: `Rule ${mark}`, problem: `${mark} is promised.` });
  await createApiKey(ctx, { name: `key ${mark}` });
  const { connection } = await createConnection(ctx, {
    kind: "github",
    name: `GitHub ${mark}`,
    secret: `secret-${mark}`,
    settings: { defaultDestination: `${mark}/app` },
  });
  const { findings } = await listFindings(ctx, {});
  await handOffMany(ctx, { findingIds: [findings[0]!.id], provider: "github" });
  await createHandoffRule(ctx, { name: `Rule ${mark}`, connectionId: connection.id });
  await storedTrackerDelivery(ctx, connection.id);
  await storedNotificationRule(ctx, `Rule ${mark}`);
  await storedAlert(ctx, `Alert ${mark}`);
  await createSavedView(ctx, { list: "conversations", name: `View ${mark}`, query: `q=${mark}`, shared: true });
  await createPrompt(ctx, { name: `prompt-${mark}`, content: `${mark} {{question}}`, labels: ["production"] });
  const { alias } = await createGatewayAlias(ctx, { name: `alias-${mark}`, targets: [{ deployment: mark }] });
  await createGatewayBudget(ctx, { scope: "user", dailyUsd: 1 });
  await updateShareLinkSettings(ctx, { enabled: true });
  await createShareLink(ctx, { findingId: findings[0]!.id });
  await createFix(ctx, { findingId: findings[0]!.id, by: "label", value: mark });
  const datasetId = await storedDataset(ctx, `Dataset ${mark}`);
  await storedCandidate(ctx, datasetId, {
    question: `Where is ${mark}?`,
    userId: mark,
  });
  const fileId = await storedFile(ctx, [chatLine(mark)], `${mark}.jsonl`);
  await createImport(ctx, { datasetId, fileId });
  await createKnowledgeGoal(ctx, { title: `Goal ${mark}`, keyPhrases: [mark] });
  const training = await trainingWorld(ctx, mark);
  await storedDeployment(ctx, training.checkpointId, { name: mark });
  const { variantId } = await storedVariant(ctx, mark);
  await startGatewayExperiment(ctx, { gatewayAliasId: alias.id, variantId, share: 10 });
  await ctx.db.insert(rolloutDecisions).values({
    projectId: ctx.projectId,
    id: `rod_${hex(32)}`,
    configId: training.configId,
    jobId: training.jobId,
    gates: [],
    updatedAt: Date.now(),
  });
  await failedDelivery(ctx, mark);
  await inviteMember(ctx, { role: "viewer", email: `${mark}@example.test` });
  await storedJob(ctx, { state: "failed", error: { name: "Error", message: mark }, data: { markId: mark } });
  return { ctx, userId, key, mark, cookie: (await cookieFor(userId)).cookie };
}
export type Tenant = Awaited<ReturnType<typeof tenant>>;

/** Returns every row that belongs to a project, by table. */
export async function rowsOf({ projectId }: Ctx): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await db().execute<{ name: string }>(
    sql`select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'project_id' order by 1`,
  );
  const all: [string, Record<string, unknown>[]][] = [];
  for (const { name } of tables) {
    const rows = await db().execute<{ row: Record<string, unknown> }>(
      sql`select to_jsonb(t) as row from ${sql.identifier(name)} t where project_id = ${projectId} order by to_jsonb(t)::text`,
    );
    all.push([name, rows.map(({ row }) => row)]);
  }
  return Object.fromEntries(all);
}
