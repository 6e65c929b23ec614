import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { and, eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { db } from "@/db/pool";
import { deployments, jobEvents, spans, trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { clientsPythonPath } from "@/scripts/lib/testing/clients.mjs";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor, requestTo } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { createModelPrice } from "@/server/services/pricing";
import { deployCheckpoint, runDeployment, startPlayground, stopDeployment } from "@/server/services/serving";
import { driving, takeTurns } from "@/server/services/serving/deployments/testing/drive";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { listServedModels } from "..";

let trainer: ScriptedTrainer;
let origin: string;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.isReachable = true;
  Object.assign(trainer.deployments, {
    breaksAfter: null,
    delayMs: 0,
    cancelled: 0,
    words: ["Sunny ", "hello ", "world"],
  });
  trainer.deployments.script = ["running"];
  trainer.answers.clear();
});

const QUESTION = [{ role: "user" as const, content: "Say hello" }];

async function world() {
  const { ctx } = await testProject();
  const [row] = await attachedTrainers(ctx.db);
  const jobId = await storedJob(ctx, { trainerId: row!.id, name: "Shop agent" });
  const add = async () => {
    const checkpointId = await storedCheckpoint(ctx, jobId);
    return driving(ctx, async () => (await deployCheckpoint(ctx, { checkpointId })).deployment);
  };
  const deployment = await add();
  const key = await keyFor(ctx, "telemetry:write", "workspace:read");
  const base = (address: string) => `${origin}/v1/projects/${ctx.projectId}/deployments/${address}/v1`;
  const client = (address = deployment.id, apiKey = key) =>
    new OpenAI({ apiKey, baseURL: base(address), maxRetries: 0 });
  return { ctx, deployment, key, client, add, base };
}

const spansOf = async (ctx: Ctx) =>
  (await ctx.db.select().from(spans).where(eq(spans.projectId, ctx.projectId))).length;

/** A call is recorded after its answer has been sent. */
async function conversationsOf(ctx: Ctx, calls = 0) {
  await expect.poll(() => spansOf(ctx)).toBeGreaterThanOrEqual(calls);
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  return Promise.all(
    conversations.map(async ({ id }) => (await getConversation(ctx, { conversationId: id })).conversation),
  );
}

test("OpenAI's client needs only a base URL, and its call is recorded as a priced conversation", async () => {
  const { ctx, client } = await world();
  await createModelPrice(ctx, {
    provider: "external",
    modelName: "shop-agent",
    pricingTiers: [
      { name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1e-6, output_tokens: 2e-6 } },
    ],
  });
  const completion = await client().chat.completions.create({
    model: "gpt-4o",
    messages: [{ role: "system", content: "Be brief." }, ...QUESTION],
    temperature: 0.5,
    user: "ann",
    metadata: { conversation_id: "chat-1" },
  });
  expect(completion.choices[0]!.message.content).toBe("Sunny hello world");
  expect(completion.model).toBe("shop-agent");
  expect(trainer.deployments.lastRequest).toMatchObject({ model: "shop-agent", temperature: 0.5, stream: false });
  const [conversation, ...others] = await conversationsOf(ctx, 1);
  expect(others).toEqual([]);
  expect(conversation).toMatchObject({
    externalId: "chat-1",
    userId: "ann",
    models: ["shop-agent"],
    usage: { input_tokens: 12, output_tokens: 3 },
  });
  expect(conversation!.messages.map(({ role, parts }) => [role, parts[0]?.text])).toEqual([
    ["system", "Be brief."],
    ["user", "Say hello"],
    ["assistant", "Sunny hello world"],
  ]);
  expect(conversation!.cost).toBe(0.000018);
  expect(conversation!.costComplete).toBe(true);
});

test("tools and arguments reach the model as they were sent", async () => {
  const { deployment, key, base } = await world();
  const tools =
    '[{"type":"function","function":{"name":"pay","parameters":{"type":"object","properties":{"z":{"minimum":1.0},"a":{"default":1e2}}}}}]';
  const calls = String.raw`[{"id":"c1","type":"function","function":{"name":"pay","arguments":"{\"z\": 1.0, \"a\": 5}"}}]`;
  const reply = await fetch(`${base(deployment.id)}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: `{"messages":[{"role":"user","content":"Pay"},{"role":"assistant","tool_calls":${calls}},{"role":"tool","tool_call_id":"c1","content":"ok"}],"tools":${tools}}`,
  });
  expect(reply.status).toBe(200);
  expect(trainer.deployments.lastBody).toContain(`"tools":${tools}`);
  expect(trainer.deployments.lastBody).toContain(`"tool_calls":${calls}`);
});

test("a streamed answer arrives in pieces, and is recorded when it ends", async () => {
  const { ctx, client } = await world();
  const stream = await client().chat.completions.create(
    { model: "shop-agent", messages: QUESTION, stream: true },
    { headers: { "x-session-id": "session-7" } },
  );
  const pieces: string[] = [];
  for await (const chunk of stream) {
    expect(chunk.choices).toHaveLength(1);
    pieces.push(chunk.choices[0]!.delta.content ?? "");
  }
  expect(pieces.join("|")).toBe("Sunny |hello |world|");
  expect(await conversationsOf(ctx, 1)).toMatchObject([
    { externalId: "session-7", usage: { input_tokens: 12, output_tokens: 3 }, preview: "Say hello" },
  ]);
});

test("a streamed answer has token counts for a client that asks for them", async () => {
  const { client } = await world();
  const stream = await client().chat.completions.create({
    model: "shop-agent",
    messages: QUESTION,
    stream: true,
    stream_options: { include_usage: true },
  });
  const counts = [];
  for await (const chunk of stream) if (chunk.usage) counts.push(chunk.usage);
  expect(counts).toEqual([trainer.deployments.usage]);
});

test.runIf(existsSync(clientsPythonPath()))(
  "OpenAI's Python client needs only a base URL, for whole and streamed answers",
  async () => {
    const { ctx, deployment, key, base } = await world();
    const script = "server/services/serving/deployments/testing/openai_client.py";
    const env = { ...process.env, BASE_URL: base(deployment.id), API_KEY: key };
    const { stdout } = await promisify(execFile)(clientsPythonPath(), [script], { env });
    expect(JSON.parse(stdout)).toEqual({
      models: ["shop-agent"],
      whole: "Sunny hello world",
      whole_tokens: 15,
      pieces: ["Sunny ", "hello ", "world"],
      streamed_tokens: 15,
    });
    expect(await conversationsOf(ctx, 2)).toHaveLength(2);
  },
);

test("a deployment's name is an address that always leads to the newest version", async () => {
  const { ctx, deployment, client, add } = await world();
  const named = client("shop-agent");
  const ask = () => named.chat.completions.create({ model: "shop-agent", messages: QUESTION });
  await ask();
  expect(trainer.deployments.get(deployment.id).calls).toBe(1);
  const young = await add();
  await ask();
  expect([trainer.deployments.get(deployment.id).calls, trainer.deployments.get(young.id).calls]).toEqual([1, 1]);
  const models = await named.models.list();
  const listed = (await listServedModels(ctx, { deploymentId: young.id })) as { body: string };
  expect(JSON.parse(listed.body)).toMatchObject({ object: "list", data: [{ id: "shop-agent" }] });
  expect(models.data).toMatchObject([{ id: "shop-agent", object: "model", owned_by: "whetstone" }]);
});

test("a call that reaches the old version during the switch is answered by the new one", async () => {
  const { deployment, client, add } = await world();
  const complete = trainer.deployments.complete.bind(trainer.deployments);
  const switched = vi.spyOn(trainer.deployments, "complete").mockImplementationOnce(async (id, ...given) => {
    await add();
    return complete(id, ...given);
  });
  const { choices } = await client("shop-agent").chat.completions.create({ model: "x", messages: QUESTION });
  expect(choices[0]!.message.content).toBe("Sunny hello world");
  const asked = switched.mock.calls.map(([id]) => id);
  switched.mockRestore();
  expect(asked).toEqual([deployment.id, expect.not.stringMatching(deployment.id)]);
  expect(asked.map((id) => trainer.deployments.get(id).calls)).toEqual([0, 1]);
});

test("a call to a deployment whose trainer was removed is a 503", async () => {
  const { ctx, deployment, client } = await world();
  const removed = { id: "trn_removed", kind: "agent" as const, name: "Box", keyHash: "x", keyHint: "abcd" };
  await db()
    .insert(trainers)
    .values({ ...removed, disabledAt: Date.now(), updatedAt: Date.now() });
  await ctx.db.update(deployments).set({ trainerId: removed.id }).where(eq(deployments.id, deployment.id));
  await expect(client().chat.completions.create({ model: "x", messages: QUESTION })).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining("no longer attached"),
  });
  expect(trainer.deployments.get(deployment.id).calls).toBe(0);
});

test("errors have the kinds that OpenAI's client knows", async () => {
  const { ctx, deployment, client, base, key } = await world();
  const ask = (one: OpenAI, more: object = {}) =>
    one.chat.completions.create({ model: "x", messages: QUESTION, ...more });
  await expect(ask(client("no-such-model"))).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  await expect(ask(client(deployment.id, "whet_wrong"))).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  const poor = await keyFor(ctx, "telemetry:write");
  await expect(ask(client(deployment.id, poor))).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
  await expect(ask(client(), { messages: [] })).rejects.toMatchObject({
    status: 400,
    type: "invalid_request_error",
    param: "messages",
  });
  await expect(ask(client(), { n: 2 })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  await expect(ask(client(), { temperature: 3 })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("temperature is at most 2."),
  });
  const reply = await fetch(`${base(deployment.id)}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "{",
  });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
  expect(await reply.json()).toMatchObject({
    code: "invalid",
    error: { type: "invalid_request_error", code: "invalid" },
  });
  expect(await conversationsOf(ctx)).toEqual([]);
});

test("a stopped deployment refuses calls, and a restarting one replies with Retry-After", async () => {
  const { ctx, deployment, client } = await world();
  trainer.deployments.crash(deployment.id, ["starting", "starting"]);
  await runDeployment(ctx, deployment.id);
  const ask = (address: string) => client(address).chat.completions.create({ model: "x", messages: QUESTION });
  const failure = await ask("shop-agent").catch((error) => error);
  expect([failure.status, failure.headers.get("retry-after")]).toEqual([503, "2"]);
  await stopDeployment(ctx, { deploymentId: deployment.id });
  await takeTurns(ctx);
  await expect(ask(deployment.id)).rejects.toMatchObject({ status: 400 });
  await expect(ask("shop-agent")).rejects.toMatchObject({ status: 404 });
});

test("a failed call has its deployment checked immediately, and a successful one does not", async () => {
  const { ctx, deployment, client } = await world();
  const ask = () => client("shop-agent").chat.completions.create({ model: "x", messages: QUESTION });
  const read = async () => (await ctx.db.select().from(deployments).where(eq(deployments.id, deployment.id)))[0]!;
  await ctx.db.update(deployments).set({ updatedAt: Date.now() - 5_000 });
  await ask();
  const { dueAt, updatedAt } = await read();
  expect(dueAt! - updatedAt).toBeGreaterThan(5_000);
  trainer.deployments.crash(deployment.id, ["starting", "starting"]);
  await expect(ask()).rejects.toMatchObject({ status: 503 });
  const doubted = await read();
  expect(doubted).toMatchObject({ status: "running", dueAt: doubted.updatedAt });
  // Many calls that fail at the same time trigger only one check.
  await expect(ask()).rejects.toMatchObject({ status: 503 });
  expect(await read()).toEqual(doubted);
  const queued = await ctx.db
    .select()
    .from(jobEvents)
    .where(and(eq(jobEvents.projectId, ctx.projectId), eq(jobEvents.name, "fine-tuning/deployment.due")));
  expect(queued).toHaveLength(2);
  await takeTurns(ctx);
  expect((await read()).status).toBe("starting");
});

test("an unreachable trainer is a 503", async () => {
  const { client } = await world();
  trainer.isReachable = false;
  await expect(client().chat.completions.create({ model: "x", messages: QUESTION })).rejects.toMatchObject({
    status: 503,
    type: "server_error",
  });
});

test("an answer that breaks off is an error for the client, and its received part is recorded as failed", async () => {
  const { ctx, client } = await world();
  Object.assign(trainer.deployments, { breaksAfter: 2, delayMs: 200 });
  const stream = await client().chat.completions.create({ model: "x", messages: QUESTION, stream: true });
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const chunk of stream) pieces.push(chunk.choices[0]!.delta.content ?? "");
  })();
  await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError);
  expect(pieces).toEqual(["Sunny ", "hello "]);
  const [conversation] = await conversationsOf(ctx, 1);
  expect(conversation!.messages.at(-1)!.parts[0]!.text).toBe("Sunny hello ");
  expect(conversation!.modelCalls[0]).toMatchObject({ error: expect.anything() });
});

test("a client that disconnects stops the model, and the part that it read is recorded", async () => {
  const { ctx, client } = await world();
  Object.assign(trainer.deployments, { delayMs: 30, words: Array.from({ length: 200 }, (_, n) => `${n} `) });
  const stream = await client().chat.completions.create({ model: "x", messages: QUESTION, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]!.delta.content === "2 ") break;
  stream.controller.abort();
  await expect.poll(() => trainer.deployments.cancelled, { timeout: 10_000 }).toBe(1);
  await expect
    .poll(async () => (await conversationsOf(ctx)).map(({ messages }) => messages.at(-1)?.parts[0]?.text), {
      timeout: 10_000,
    })
    .toEqual([expect.stringMatching(/^0 1 2 /)]);
});

test("calls to a playground are answered but not recorded", async () => {
  const { ctx, deployment, client } = await world();
  const { deployment: playground } = await startPlayground(ctx, { checkpointId: deployment.checkpointId! });
  for (let n = 0; n < 4; n += 1) await takeTurns(ctx);
  const { choices } = await client(playground.id).chat.completions.create({ model: "x", messages: QUESTION });
  expect(choices[0]!.message.content).toBe("Sunny hello world");
  expect(await conversationsOf(ctx)).toEqual([]);
});

test("another project's deployment is not found by id or by name", async () => {
  const [ours, theirs] = [await world(), await world()];
  await stopDeployment(ours.ctx, { deploymentId: ours.deployment.id });
  await takeTurns(ours.ctx);
  for (const address of [theirs.deployment.id, "shop-agent"]) {
    const path = `/v1/projects/${ours.ctx.projectId}/deployments/${address}/v1`;
    const dispatch = createDispatcher(OPERATIONS);
    const asked = { key: ours.key, body: { messages: QUESTION } };
    expect((await dispatch(requestTo("POST", `${path}/chat/completions`, asked))).status).toBe(404);
    expect((await dispatch(requestTo("GET", `${path}/models`, { key: ours.key }))).status).toBe(404);
  }
  const elsewhere = `/v1/projects/${theirs.ctx.projectId}/deployments/${theirs.deployment.id}/v1/models`;
  expect((await createDispatcher(OPERATIONS)(requestTo("GET", elsewhere, { key: ours.key }))).status).toBe(404);
  expect(trainer.deployments.get(theirs.deployment.id).calls).toBe(0);
  expect(await conversationsOf(theirs.ctx)).toEqual([]);
});

test("a deployment is called by its name at the address of all models, for chat only", async () => {
  const { ctx, deployment } = await world();
  const apiKey = await keyFor(ctx, "gateway:use", "telemetry:write");
  const openai = new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
  expect((await openai.models.list()).data).toMatchObject([{ id: "shop-agent", owned_by: "whetstone" }]);
  const { choices } = await openai.chat.completions.create({ model: "shop-agent", messages: QUESTION });
  expect(choices[0]!.message.content).toBe("Sunny hello world");
  const stream = await openai.chat.completions.create({ model: deployment.id, messages: QUESTION, stream: true });
  const pieces: string[] = [];
  for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? "");
  expect(pieces.join("")).toBe("Sunny hello world");
  expect(await conversationsOf(ctx, 2)).toMatchObject([{ models: ["shop-agent"] }, { models: ["shop-agent"] }]);
  await expect(openai.embeddings.create({ model: "shop-agent", input: "x" })).rejects.toMatchObject({ status: 400 });
  await stopDeployment(ctx, { deploymentId: deployment.id });
  await takeTurns(ctx);
  await expect(openai.chat.completions.create({ model: "shop-agent", messages: QUESTION })).rejects.toMatchObject({
    status: 404,
    code: "model_not_found",
  });
  await expect(openai.chat.completions.create({ model: deployment.id, messages: QUESTION })).rejects.toMatchObject({
    status: 400,
  });
});
