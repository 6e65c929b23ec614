import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import type { z } from "zod";
import { db } from "@/db/pool";
import { rolloutDecisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { namesAThing, placeOf } from "@/db/testing/things";
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
  createHandoffRule,
  createRuleRuns,
  executeRuleRuns,
  handOffMany,
  listFindings,
} from "@/server/services/diagnostics";
import { storedTrackerDelivery } from "@/server/services/diagnostics/work-items/testing";
import { storedDeployment } from "@/server/services/fine-tuning/deployments/testing/stored-deployment";
import { ScriptedTrainer } from "@/server/services/fine-tuning/testing/scripted-trainer";
import { trainingWorld } from "@/server/services/fine-tuning/testing/training-world";
import { inviteMember } from "@/server/services/members";
import { failedDelivery, storedNotificationRule } from "@/server/services/notifications/testing";
import { createModelPrice } from "@/server/services/pricing";
import { createSavedView } from "@/server/services/saved-views";
import { createFeedback, projectPending } from "@/server/services/telemetry";
import { chatSpan, otlpJson } from "@/server/services/telemetry/testing";
import { handleTrpc } from "@/server/trpc/handler";
import { appRouter } from "@/server/trpc/root";
import { createDispatcher } from "../dispatcher";
import { exampleOf } from "../openapi/example";
import { jsonSchemaOf } from "../openapi/json-schema";
import { type Operation, parametersOf } from "../operation";
import { OPERATIONS } from "../operations";
import { cookieFor, keyFor, requestTo } from "../testing";
import { verbsOfServices } from "../testing/all-verbs";

const dispatch = createDispatcher(OPERATIONS);
const trainer = await new ScriptedTrainer().start();
Object.assign(process.env, trainer.env);
afterAll(() => trainer.stop());
const hex = (length: number) => crypto.randomUUID().replaceAll("-", "").slice(0, length);

/** Creates a project with something of every kind in it, all marked with a word that no other project contains. */
async function tenant(mark: string) {
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
  await createSavedView(ctx, { list: "conversations", name: `View ${mark}`, query: `q=${mark}`, shared: true });
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
type Tenant = Awaited<ReturnType<typeof tenant>>;

/** Returns every row that belongs to a project, by table. */
async function rowsOf({ projectId }: Ctx): Promise<Record<string, Record<string, unknown>[]>> {
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

const ID = /\b(?:[a-z]{2,4}_[0-9a-f]{32}|[0-9a-f]{32}|[0-9a-f]{16})\b/g;
/** Returns whatever could reveal a project: its ids, both ours and the client's, and its mark. */
const traitsOf = (rows: object, { mark, ctx, userId }: Tenant) =>
  new Set([mark, ctx.projectId, userId, ...(JSON.stringify(rows).match(ID) ?? [])]);

/** Tables that change even when a request is refused: usage of a key, remaining quota. */
const NOT_CONTENT = new Set(["rate_buckets", "api_keys"]);
const contentOf = (rows: Awaited<ReturnType<typeof rowsOf>>) =>
  Object.fromEntries(Object.entries(rows).filter(([name]) => !NOT_CONTENT.has(name)));

type Input = Record<string, unknown>;
const exampleInput = (input: z.ZodType): Input => {
  const example = exampleOf(jsonSchemaOf(input, "input")) as Input;
  delete example.cursor;
  return example;
};

/** Returns the input schema of an operation; operations that read a stream have their own tests. */
function inputOf(operation: Operation) {
  if ("verb" in operation) return operation.verb.spec.input;
  return "stream" in operation && !operation.stream.spec.consumes ? operation.stream.spec.input : undefined;
}

test("another tenant's ids reveal and change nothing of theirs, in any field of any interface", async () => {
  const theirs = await tenant(`zulu${hex(8)}`);
  const ours = await tenant(`alfa${hex(8)}`);
  const rows = await rowsOf(theirs.ctx);
  // A digest of content that both tenants have belongs to neither.
  const shared = traitsOf(await rowsOf(ours.ctx), ours);
  const traits = [...traitsOf(rows, theirs)].filter((trait) => !shared.has(trait));
  const idOf = (parameter: string): string => {
    const place = placeOf(parameter);
    return place ? String(rows[place.table]?.[0]?.[place.id] ?? "none_1") : "tool-failure";
  };
  for (const name of [
    "findings",
    "occurrences",
    "rule_runs",
    "ingest_receipts",
    "invitations",
    "tool_calls",
    "model_price_definitions",
    "job_runs",
    "connections",
    "notification_rules",
    "saved_views",
    "deliveries",
    "work_items",
    "tracker_deliveries",
    "handoff_rules",
    "backfills",
    "training_jobs",
    "checkpoints",
    "tuning_configs",
    "base_models",
    "deployments",
    "rollout_decisions",
    "parity_certificates",
    "model_exports",
  ]) {
    expect(rows[name]?.length, `${name} has rows`).toBeGreaterThan(0);
  }

  const told: string[] = [];
  let tried = 0;
  async function look(what: string, asked: string, reply: Response) {
    tried++;
    const text = `${await reply.text()} ${[...reply.headers].join(" ")}`;
    for (const trait of traits) if (text.includes(trait) && !asked.includes(trait)) told.push(`${what} tells ${trait}`);
    if (reply.status >= 500) told.push(`${what} is ${reply.status}`);
  }

  const callers = [
    { as: "a key", sent: { key: ours.key } },
    { as: "a member", sent: { cookie: ours.cookie, headers: { "sec-fetch-site": "same-origin" } } },
  ];
  const last = (one: Operation) => Number(one.method === "DELETE" && one.path === "/projects/:projectId");
  const operations = [...OPERATIONS].sort((a, b) => last(a) - last(b)).filter((one) => inputOf(one));
  for (const { as, sent } of callers) {
    for (const operation of operations) {
      const schema = inputOf(operation);
      if (!schema || (last(operation) && as === "a key")) continue;
      const { method, path } = operation;
      const input = exampleInput(schema);
      const own = Object.fromEntries(
        parametersOf(path)
          .filter((name) => name !== "projectId")
          .map((name) => [name, idOf(name)]),
      );
      // The other tenant's ids in the body and the query as well, wherever a name indicates an id.
      const rest = Object.fromEntries(
        Object.entries(input)
          .filter(([name]) => !(name in own))
          .map(([name, value]) => [name, namesAThing(name) ? idOf(name) : value]),
      );
      for (const projectId of last(operation) ? [theirs.ctx.projectId] : [ours.ctx.projectId, theirs.ctx.projectId]) {
        let address = `/v1${path.replace(":projectId", projectId)}`;
        for (const [name, id] of Object.entries(own)) address = address.replace(`:${name}`, id);
        const takesBody = method !== "GET" && method !== "DELETE";
        const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]));
        for (const search of takesBody ? [""] : ["", `?${query}`]) {
          const reply = await dispatch(
            requestTo(method, address + search, { ...sent, ...(takesBody ? { body: rest } : {}) }),
          );
          if (method !== "GET" && Object.keys(own).some(namesAThing) && reply.status < 400) {
            told.push(`${as}: ${method} ${path} did something to a thing of theirs`);
          }
          await look(
            `${as}: ${method} ${path} of ${projectId === ours.ctx.projectId ? "ours" : "theirs"}`,
            `${address}${search}${JSON.stringify(rest)}`,
            reply,
          );
        }
      }
    }
  }

  const specs = new Map((await verbsOfServices()).map(({ verb }) => [verb.spec.name, verb.spec]));
  const procedures = appRouter._def.procedures as unknown as Record<
    string,
    { _def: { type: string; meta?: { verb?: string } } }
  >;
  for (const [path, { _def }] of Object.entries(procedures)) {
    const spec = _def.meta?.verb ? specs.get(_def.meta.verb) : undefined;
    // Ending our own session or account would end the test.
    if (!spec || spec.name === "projects.delete" || spec.name.startsWith("account.")) continue;
    for (const projectId of spec.scope === "project"
      ? [ours.ctx.projectId, theirs.ctx.projectId]
      : [theirs.ctx.projectId]) {
      const input: Input = {
        ...Object.fromEntries(
          Object.entries(exampleInput(spec.input)).map(([name, value]) => [
            name,
            namesAThing(name) ? idOf(name) : value,
          ]),
        ),
        ...(spec.scope === "project" ? { projectId } : {}),
      };
      if ("projectId" in input) input.projectId = projectId;
      const text = JSON.stringify(input);
      const sent = {
        cookie: ours.cookie,
        headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" },
      };
      const reply = await handleTrpc(
        _def.type === "query"
          ? requestTo("GET", `/api/trpc/${path}?input=${encodeURIComponent(text)}`, sent)
          : requestTo("POST", `/api/trpc/${path}`, { ...sent, body: text }),
      );
      await look(`tRPC ${path}`, text, reply);
    }
  }

  expect(told.slice(0, 20)).toEqual([]);
  expect(tried).toBeGreaterThan(operations.length * 4);
  expect(contentOf(await rowsOf(theirs.ctx))).toEqual(contentOf(rows));
  expect((await rowsOf(theirs.ctx)).api_keys?.map(({ revoked_at }) => revoked_at)).toEqual(
    rows.api_keys?.map(({ revoked_at }) => revoked_at),
  );
});
