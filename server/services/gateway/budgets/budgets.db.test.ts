import { eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { gatewaySpending } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { createApiKey } from "@/server/services/api-keys";
import { createConnection } from "@/server/services/connections";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";
import { createGatewayAlias } from "../aliases";
import {
  createGatewayBudget,
  deleteGatewayBudget,
  deleteOldSpending,
  getGatewayBudget,
  listGatewayBudgets,
  updateGatewayBudget,
} from "../budgets";

let upstream: OpenAiServer;
let origin: string;
beforeAll(async () => {
  upstream = await new OpenAiServer().start();
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => upstream.stop());
beforeEach(() => {
  upstream.reset();
  upstream.usage = USAGE;
});

/** As little as the request reserves, and all of the answer. */
const USAGE = { prompt_tokens: 20, completion_tokens: 1_000, total_tokens: 1_020 };
const ASKED = {
  model: "Shop models/gpt-4o",
  messages: [{ role: "user" as const, content: "Say hello" }],
  max_completion_tokens: 1_000,
};
/** Of `gpt-4o`, for 1,000 tokens of an answer; that of the request is a hundredth. */
const ANSWER_USD = 0.01;

async function world() {
  const { ctx } = await testProject();
  await createConnection(ctx, { kind: "model", name: "Shop models", baseUrl: upstream.url, secret: OPENAI_KEY });
  const key = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = (apiKey = key) => new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
  const ask = (more: object = {}, apiKey = key) => client(apiKey).chat.completions.create({ ...ASKED, ...more });
  return { ctx, client, ask };
}

const spentOf = async (ctx: Ctx) => (await listGatewayBudgets(ctx, {})).budgets[0]!.spentUsd;

/** What the recorded conversations cost. */
async function recordedCost(ctx: Ctx) {
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, { limit: 100 });
  const all = await Promise.all(conversations.map(({ id }) => getConversation(ctx, { conversationId: id })));
  return all.reduce((sum, { conversation }) => sum + (conversation.cost ?? 0), 0);
}

test("fifty calls at once stay within a budget, which then counts exactly what they cost", async () => {
  const { ctx, ask } = await world();
  await createGatewayBudget(ctx, { scope: "project", dailyUsd: 10.5 * ANSWER_USD });
  upstream.delayMs = 200;
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, async () => {
      try {
        const stream = await ask({ stream: true });
        for await (const _ of stream as unknown as AsyncIterable<unknown>);
        return "answered";
      } catch (error) {
        return error as InstanceType<typeof OpenAI.APIError>;
      }
    }),
  );
  const refused = outcomes.filter((one) => one !== "answered");
  expect(outcomes.length - refused.length).toBe(10);
  expect(upstream.received).toHaveLength(10);
  for (const error of refused) {
    expect(error).toMatchObject({ status: 402, code: "budget_exceeded", type: "insufficient_quota" });
    expect((error as Error).message).toMatch(
      /budget of the project is used up: \$0\.1\d* of \$0\.105 are spent or reserved, and this call may cost \$0\.0\d+\. It resets at \d{4}-\d\d-\d\dT00:00:00\.000Z\./,
    );
  }
  const cost = 10 * (ANSWER_USD + (20 * 2.5) / 1e6);
  await expect.poll(() => spentOf(ctx)).toBeCloseTo(cost, 12);
  expect(await recordedCost(ctx)).toBeCloseTo(cost, 12);
  // What was not sent is no call.
  expect((await listConversations(ctx, { limit: 100 })).conversations).toHaveLength(10);
});

test("what a call did not use is free again, and what was refused costs nothing", async () => {
  const { ctx, ask } = await world();
  await createGatewayBudget(ctx, { scope: "project", dailyUsd: 1.2 * ANSWER_USD });
  upstream.usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  for (let n = 0; n < 3; n++) await ask();
  const cost = 3 * ((20 * 2.5 + 10 * 10) / 1e6);
  await expect.poll(() => spentOf(ctx)).toBeCloseTo(cost, 12);
  upstream.refusal = { status: 500, message: "Broken." };
  await expect(ask()).rejects.toMatchObject({ status: 503 });
  await expect.poll(() => spentOf(ctx)).toBeCloseTo(cost, 12);
});

test("an answer that breaks off is settled at what has arrived", async () => {
  const { ctx, ask } = await world();
  await createGatewayBudget(ctx, { scope: "project", dailyUsd: 1 });
  Object.assign(upstream, { breaksAfter: 2, delayMs: 50 });
  const stream = await ask({ stream: true });
  await expect(
    (async () => {
      for await (const _ of stream as unknown as AsyncIterable<unknown>);
    })(),
  ).rejects.toThrow();
  await expect.poll(() => spentOf(ctx)).toBeLessThan(0.001);
  expect(await spentOf(ctx)).toBeGreaterThan(0);
});

test("a key's budget limits that key, and a user's each user, whatever the project has left", async () => {
  const { ctx, ask } = await world();
  const made = await createApiKey(ctx, { name: "Web", capabilities: ["gateway:use", "telemetry:write"] });
  await createGatewayBudget(ctx, { scope: "project", dailyUsd: 1 });
  await createGatewayBudget(ctx, { scope: "key", keyId: made.apiKey.id, dailyUsd: 2.5 * ANSWER_USD });
  await createGatewayBudget(ctx, { scope: "user", dailyUsd: 1.5 * ANSWER_USD });
  const web = (user: string) => ask({ user }, made.secret);
  await web("ann");
  await expect(web("ann")).rejects.toMatchObject({ status: 402, message: expect.stringContaining("this user") });
  await web("bob");
  await expect(web("cy")).rejects.toMatchObject({ status: 402, message: expect.stringContaining("the key “Web”") });
  await ask({ user: "cy" });
  await ask();
  await expect(ask()).rejects.toMatchObject({ status: 402 });
  const { budgets } = await listGatewayBudgets(ctx, {});
  expect(budgets).toMatchObject([
    { scope: "user", users: 4, spentUsd: expect.closeTo(ANSWER_USD, 3) },
    { scope: "key", keyName: "Web", users: null, spentUsd: expect.closeTo(2 * ANSWER_USD, 3) },
    { scope: "project", spentUsd: expect.closeTo(4 * ANSWER_USD, 3) },
  ]);
  const stored = await ctx.db.select().from(gatewaySpending).where(eq(gatewaySpending.projectId, ctx.projectId));
  expect(JSON.stringify(stored)).not.toMatch(/ann|bob/);
});

test("without a limit on its answer, or without a price, a call under a budget is refused before it is sent", async () => {
  const { ctx, ask, client } = await world();
  await createGatewayBudget(ctx, { scope: "project", dailyUsd: 1 });
  await expect(ask({ max_completion_tokens: undefined })).rejects.toMatchObject({
    status: 400,
    param: "max_completion_tokens",
  });
  await expect(ask({ model: "Shop models/nobody-knows-it" })).rejects.toMatchObject({
    status: 422,
    code: "model_without_price",
  });
  expect(upstream.received).toEqual([]);
  const { data } = await client().embeddings.create({ model: "Shop models/text-embedding-3-small", input: "Hi" });
  expect(data).toHaveLength(1);
});

test("an alias's limit on answers is what its calls reserve, and a failed attempt is given back", async () => {
  const { ctx, ask } = await world();
  const gone = await new OpenAiServer().start();
  await gone.stop();
  const connect = async (name: string, baseUrl: string) =>
    (await createConnection(ctx, { kind: "model", name, baseUrl, secret: OPENAI_KEY })).connection.id;
  const targets = [
    { connectionId: await connect("Gone", gone.url), model: "gpt-4o" },
    { connectionId: await connect("There", upstream.url), model: "gpt-4o" },
  ];
  await createGatewayAlias(ctx, { name: "fast", targets, maxOutputTokens: 1_000 });
  await createGatewayBudget(ctx, { scope: "project", dailyUsd: 1.5 * ANSWER_USD });
  const asked = { model: "fast", max_completion_tokens: undefined };
  await expect.poll(() => ask(asked).then(() => "answered", String), { interval: 500 }).toBe("answered");
  await expect.poll(() => spentOf(ctx)).toBeCloseTo(ANSWER_USD + (20 * 2.5) / 1e6, 12);
  await expect(ask(asked)).rejects.toMatchObject({ status: 402 });
});

test("a changed amount holds from the next call on, and a deleted budget for none", async () => {
  const { ctx, ask } = await world();
  const { budget } = await createGatewayBudget(ctx, { scope: "project", dailyUsd: 0.001 });
  const gatewayBudgetId = budget.id;
  await expect(ask()).rejects.toMatchObject({ status: 402 });
  await updateGatewayBudget(ctx, { gatewayBudgetId, dailyUsd: 1 });
  await ask();
  await updateGatewayBudget(ctx, { gatewayBudgetId, dailyUsd: 0.001 });
  await expect(ask()).rejects.toMatchObject({ status: 402 });
  await deleteGatewayBudget(ctx, { gatewayBudgetId });
  await ask();
});

test("there is one budget of the project, of users and of each key of the project", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  const { apiKey } = await createApiKey(theirs, { name: "Web" });
  await createGatewayBudget(ours, { scope: "project", dailyUsd: 1 });
  await expect(createGatewayBudget(ours, { scope: "project", dailyUsd: 2 })).rejects.toMatchObject({
    code: "conflict",
  });
  const ofTheirs = { scope: "key" as const, keyId: apiKey.id, dailyUsd: 1 };
  await expect(createGatewayBudget(ours, ofTheirs)).rejects.toMatchObject({ code: "unprocessable" });
  const { budget } = await createGatewayBudget(theirs, ofTheirs);
  await expect(getGatewayBudget(ours, { gatewayBudgetId: budget.id })).rejects.toMatchObject({ code: "not_found" });
  await expect(deleteGatewayBudget(ours, { gatewayBudgetId: budget.id })).rejects.toMatchObject({
    code: "not_found",
  });
  expect((await listGatewayBudgets(ours, {})).budgets).toHaveLength(1);
});

test("what was spent is forgotten after a month", async () => {
  const { ctx } = await testProject();
  const { budget } = await createGatewayBudget(ctx, { scope: "project", dailyUsd: 1 });
  const today = Math.floor(Date.now() / 86_400_000);
  const rows = [today, today - 31, today - 32].map((day) => ({
    projectId: ctx.projectId,
    budgetId: budget.id,
    day,
    subject: "",
    usd: "0.5",
  }));
  await ctx.db.insert(gatewaySpending).values(rows);
  expect(await deleteOldSpending(ctx, Date.now())).toBe(1);
  expect(await spentOf(ctx)).toBe(0.5);
});
