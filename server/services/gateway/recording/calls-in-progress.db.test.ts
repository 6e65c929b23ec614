import { eq, sql } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { gatewayCalls, spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { unfinishedWork } from "@/server/platform/event-loop/unfinished-work";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { createConnection } from "@/server/services/connections";
import { deleteProject, deleteUserData, runDeletion } from "@/server/services/deletion";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";
import { createGatewayAlias } from "../aliases";
import { createGatewayBudget, listGatewayBudgets } from "../budgets";
import { recordInterruptedCalls } from "./record-interrupted-calls";

let upstream: OpenAiServer;
let origin: string;
beforeAll(async () => {
  upstream = await new OpenAiServer().start();
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => upstream.stop());
beforeEach(() => upstream.reset());

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
const ASKED = {
  model: "Shop models/gpt-4o",
  messages: [{ role: "user" as const, content: "Say hello" }],
  user: "ann",
  max_completion_tokens: 1_000,
};

async function world() {
  const { ctx } = await testProject();
  const settings = { kind: "model" as const, name: "Shop models", baseUrl: upstream.url, secret: OPENAI_KEY };
  const { connection } = await createConnection(ctx, settings);
  const key = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
  const ask = (more: object = {}) => client.chat.completions.create({ ...ASKED, ...more, stream: true });
  return { ctx, connection, ask };
}

const rowsOf = ({ projectId }: Ctx) => db().select().from(gatewayCalls).where(eq(gatewayCalls.projectId, projectId));
const spansOf = ({ projectId }: Ctx) => db().select().from(spans).where(eq(spans.projectId, projectId));

/** A call whose answer has arrived in part, as its row says, too. */
async function begun({ ctx, ask }: Awaited<ReturnType<typeof world>>, more: object = {}) {
  upstream.isHeld = true;
  const stream = await ask(more);
  await expect.poll(async () => JSON.stringify(await rowsOf(ctx))).toContain("Sunny ");
  upstream.isHeld = false;
  const { release } = upstream;
  return {
    async finish() {
      release();
      let said = "";
      for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? "";
      await unfinishedWork();
      return said;
    },
  };
}

/** Lets the leases of a project's calls end, as if their process had died. */
async function interrupt({ projectId }: Ctx) {
  await db().update(gatewayCalls).set({ leasedUntil: 0 }).where(eq(gatewayCalls.projectId, projectId));
  return recordInterruptedCalls(db());
}

async function conversationsOf(ctx: Ctx) {
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  return Promise.all(
    conversations.map(async ({ id }) => (await getConversation(ctx, { conversationId: id })).conversation),
  );
}

test("a call in progress is written without secrets, and its row is gone once it is recorded", async () => {
  const one = await world();
  const call = await begun(one, { user: SECRET });
  const [row] = await rowsOf(one.ctx);
  expect(JSON.stringify(row)).not.toContain(SECRET);
  expect(row!.request).toMatchObject({
    "user.id": expect.stringMatching(/^masked-/),
    "gen_ai.input.messages": expect.stringContaining("hello"),
  });
  expect(await call.finish()).toBe("Sunny hello world");
  expect(await rowsOf(one.ctx)).toEqual([]);
  expect(await recordInterruptedCalls(db())).toEqual({ recorded: 0 });
  const [conversation, ...others] = await conversationsOf(one.ctx);
  expect(others).toEqual([]);
  expect(conversation!.modelCalls).toMatchObject([{ status: "ok" }]);
});

test("a call whose process died is recorded once as failed, with what had arrived and no usage or cost", async () => {
  const [ours, theirs] = [await world(), await world()];
  await createGatewayBudget(ours.ctx, { scope: "project", dailyUsd: 1 });
  await begun(ours);
  const other = await begun(theirs);
  expect(await interrupt(ours.ctx)).toEqual({ recorded: 1 });
  expect(await interrupt(ours.ctx)).toEqual({ recorded: 0 });
  const [conversation] = await conversationsOf(ours.ctx);
  expect(conversation).toMatchObject({
    userId: "ann",
    cost: null,
    messages: [{ parts: [{ text: "Say hello" }] }, { parts: [{ text: "Sunny " }] }],
    modelCalls: [{ status: "error", usage: null, cost: null, error: { message: expect.stringContaining("process") } }],
  });
  expect((await listGatewayBudgets(ours.ctx, {})).budgets[0]!.spentUsd).toBeGreaterThan(0);
  expect(await rowsOf(theirs.ctx)).toHaveLength(1);
  expect(await spansOf(theirs.ctx)).toEqual([]);
  await other.finish();
  expect(await spansOf(theirs.ctx)).toHaveLength(1);
});

test("a process that lives although its lease was over does not record its call again", async () => {
  const one = await world();
  const call = await begun(one);
  expect(await interrupt(one.ctx)).toEqual({ recorded: 1 });
  expect(await call.finish()).toBe("Sunny hello world");
  expect(await rowsOf(one.ctx)).toEqual([]);
  const [conversation, ...others] = await conversationsOf(one.ctx);
  expect(others).toEqual([]);
  expect(conversation!.modelCalls).toMatchObject([{ status: "error" }]);
});

test("a stream that says nothing for long is not taken as interrupted while its process lives", async () => {
  const one = await world();
  const call = await begun(one);
  const soon = sql`${NOW} + 1000`;
  await db().update(gatewayCalls).set({ leasedUntil: soon }).where(eq(gatewayCalls.projectId, one.ctx.projectId));
  // More than half of its lease has passed.
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 31_000);
  onTestFinished(() => clock.mockRestore());
  const left = async () => (await rowsOf(one.ctx))[0]!.leasedUntil - Date.now();
  await expect.poll(left).toBeGreaterThan(50_000);
  expect(await recordInterruptedCalls(db())).toEqual({ recorded: 0 });
  expect(await call.finish()).toBe("Sunny hello world");
  const [conversation, ...others] = await conversationsOf(one.ctx);
  expect(others).toEqual([]);
  expect(conversation!.modelCalls).toMatchObject([{ status: "ok" }]);
});

test("an interrupted call of an alias is recorded with its attempts", async () => {
  const one = await world();
  const gone = await createConnection(one.ctx, { kind: "model", name: "Gone", baseUrl: "http://127.0.0.1:9/v1" });
  const targets = [gone.connection.id, one.connection.id].map((connectionId) => ({ connectionId, model: "gpt-4o" }));
  await createGatewayAlias(one.ctx, { name: "fast", targets });
  await begun(one, { model: "fast" });
  expect(await rowsOf(one.ctx)).toHaveLength(1);
  expect(await interrupt(one.ctx)).toEqual({ recorded: 1 });
  const recorded = await spansOf(one.ctx);
  expect(recorded.map(({ name }) => name).sort()).toEqual(["alias fast", "chat gpt-4o", "chat gpt-4o"]);
  expect(recorded.map(({ statusCode }) => statusCode)).toEqual([2, 2, 2]);
  const [conversation] = await conversationsOf(one.ctx);
  expect(conversation!.messages.at(-1)).toMatchObject({ role: "assistant", parts: [{ text: "Sunny " }] });
});

test("a call that fails at once, or is refused by a budget, leaves no row", async () => {
  const one = await world();
  upstream.refusal = { status: 400, message: "Bad." };
  await expect(one.ask()).rejects.toMatchObject({ status: 400 });
  await createGatewayBudget(one.ctx, { scope: "project", dailyUsd: 0.000001 });
  await expect.poll(() => one.ask().catch(({ status }) => status)).toBe(402);
  await unfinishedWork();
  expect(await rowsOf(one.ctx)).toEqual([]);
});

test("what is deleted while a call is in progress is not recorded later", async () => {
  const [user, project, neighbour] = [await world(), await world(), await world()];
  for (const one of [user, project, neighbour]) await begun(one);
  const deletions = [
    await deleteUserData(user.ctx, { userId: "ann" }),
    await deleteProject(project.ctx, { name: "Test project" }),
  ];
  for (const { deletion } of deletions)
    while (!(await runDeletion(db(), deletion.id, { forMs: 10_000, jobName: "test" })).done);
  for (const { ctx } of [user, project]) {
    expect(await rowsOf(ctx)).toEqual([]);
    expect(await interrupt(ctx)).toEqual({ recorded: 0 });
    expect(await spansOf(ctx)).toEqual([]);
  }
  expect(await rowsOf(neighbour.ctx)).toHaveLength(1);
});
