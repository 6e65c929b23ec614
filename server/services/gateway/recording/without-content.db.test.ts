import { eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { db } from "@/db/pool";
import { gatewayCalls, spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { rowsOf } from "@/server/rest/testing/tenant";
import { createConnection } from "@/server/services/connections";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";
import { createGatewayAlias } from "../aliases";
import { getGatewayRecording, updateGatewayRecording } from "./content-setting";
import { recordInterruptedCalls } from "./record-interrupted-calls";

let upstream: OpenAiServer;
let origin: string;
let logged = "";
// Read once, by the first who logs.
process.env.LOG_LEVEL = "debug";
beforeAll(async () => {
  upstream = await new OpenAiServer().start();
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => upstream.stop());
beforeEach(() => {
  upstream.reset();
  upstream.words = ["violet ", "answer ", "ends"];
  logged = "";
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((text) => {
      logged += String(text);
      return true;
    });
  }
});
afterEach(() => vi.restoreAllMocks());

/** What is said, by whom: the fake server calls a tool with a city. */
const SAID = {
  system: "violet system",
  question: "violet question",
  argument: "violet argument",
  result: "violet result",
  description: "violet description",
};
const WORDS = /violet|Ulm/;
const TOOL = { name: "get_weather", description: SAID.description, parameters: { type: "object" } };
const tools = [{ type: "function" as const, function: TOOL }];
const called = { name: TOOL.name, arguments: JSON.stringify({ city: SAID.argument }) };
const HISTORY = [
  { role: "system" as const, content: SAID.system },
  { role: "user" as const, content: SAID.question },
  { role: "assistant" as const, tool_calls: [{ id: "c", type: "function" as const, function: called }] },
  { role: "tool" as const, tool_call_id: "c", content: SAID.result },
];
const input = [
  { role: "user" as const, content: SAID.question },
  { type: "function_call" as const, call_id: "c", ...called },
  { type: "function_call_output" as const, call_id: "c", output: SAID.result },
];

async function world(content: boolean) {
  const { ctx } = await testProject();
  expect(await getGatewayRecording(ctx, {})).toEqual({ recording: { content: true } });
  await updateGatewayRecording(ctx, { content });
  const made = { kind: "model", name: "Shop", baseUrl: upstream.url, secret: OPENAI_KEY } as const;
  const { connection } = await createConnection(ctx, made);
  await createGatewayAlias(ctx, { name: "fast", targets: [{ connectionId: connection.id, model: "gpt-4o" }] });
  const client = new OpenAI({
    apiKey: await keyFor(ctx, "gateway:use", "telemetry:write"),
    baseURL: `${origin}/v1`,
    maxRetries: 0,
    defaultHeaders: { "idempotency-key": "once" },
  });
  return { ctx, client };
}

const drained = async (stream: Promise<AsyncIterable<unknown>>) => {
  for await (const _ of await stream);
};

/** Calls in all ways: whole, streamed, with tools, refused, failed before and in the middle of the answer, and left. */
async function callAll({ ctx, client }: Awaited<ReturnType<typeof world>>): Promise<number> {
  let calls = 0;
  for (const model of ["Shop/gpt-4o", "fast"]) {
    const chat = { model, messages: HISTORY, tools };
    const ask = () => client.chat.completions.create(chat);
    const stream = () => drained(client.chat.completions.create({ ...chat, stream: true }));
    const question = { ...chat, messages: HISTORY.slice(0, 2) };
    await ask();
    await stream();
    await client.chat.completions.create(question);
    await drained(client.chat.completions.create({ ...question, stream: true }));
    const response = {
      model,
      instructions: SAID.system,
      input,
      tools: [{ type: "function" as const, ...TOOL, strict: false }],
    };
    await client.responses.create(response);
    await drained(client.responses.create({ ...response, stream: true }));
    await client.embeddings.create({ model, input: SAID.question });
    for (const status of [400, 500]) {
      upstream.refusal = { status, message: "Cannot read violet question." };
      await expect(ask()).rejects.toThrow(/violet/);
      await expect(stream()).rejects.toThrow();
    }
    upstream.refusal = null;
    upstream.breaksAfter = 1;
    await expect(stream()).rejects.toThrow();
    upstream.breaksAfter = null;
    upstream.failsAtOnce = true;
    await expect(stream()).rejects.toThrow();
    upstream.failsAtOnce = false;
    calls += 13;
  }
  const ended = () => ctx.db.$count(spans, eq(spans.projectId, ctx.projectId));
  // A call of an alias has a span around its attempts.
  await expect.poll(ended).toBe(calls + 13);
  upstream.isHeld = true;
  const left = new AbortController();
  const streams = ["Shop/gpt-4o", "fast"].map((model) =>
    drained(client.chat.completions.create({ model, messages: HISTORY, stream: true }, { signal: left.signal })),
  );
  const held = () => ctx.db.select().from(gatewayCalls).where(eq(gatewayCalls.projectId, ctx.projectId));
  await expect.poll(async () => (await held()).length, { timeout: 5_000 }).toBe(2);
  await expect
    .poll(async () => JSON.stringify(await held()).includes("gen_ai.response.id"), { timeout: 5_000 })
    .toBe(true);
  const inProgress = JSON.stringify(await rowsOf(ctx));
  // As if the process had died: a job records them.
  await db().update(gatewayCalls).set({ leasedUntil: 0 }).where(eq(gatewayCalls.projectId, ctx.projectId));
  await recordInterruptedCalls(db());
  left.abort();
  upstream.release();
  await Promise.allSettled(streams);
  while ((await projectPending(ctx.db)) > 0);
  said.push(inProgress, JSON.stringify(await rowsOf(ctx)), logged);
  return calls + 2;
}
const said: string[] = [];

const conversationsOf = async (ctx: Ctx) => {
  const { conversations } = await listConversations(ctx, { limit: 100 });
  const all = await Promise.all(conversations.map(({ id }) => getConversation(ctx, { conversationId: id })));
  return all.map(({ conversation }) => conversation);
};

test("with the setting off, nothing that is said in a call is stored or logged, however the call ends", async () => {
  const one = await world(false);
  const calls = await callAll(one);
  const [inProgress, stored, logs] = said.splice(0);
  expect(logs).toMatch(/gateway|status 500/);
  for (const text of [inProgress, stored, logs]) expect(text).not.toMatch(WORDS);
  const conversations = await conversationsOf(one.ctx);
  expect(conversations).toHaveLength(calls);
  const modelCalls = conversations.flatMap((conversation) => conversation.modelCalls);
  expect(modelCalls).toHaveLength(calls);
  for (const call of modelCalls) expect(call.requestedModel).toBe("gpt-4o");
  expect(modelCalls.filter(({ status, cost }) => status === "ok" && cost !== null).length).toBeGreaterThanOrEqual(12);
  expect(conversations.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name))).toContain("get_weather");
  expect(stored).toContain("replied with the status 500.");
});

test("with the setting on, as it is at first, what is said is stored, also of calls in progress", async () => {
  const one = await world(true);
  await callAll(one);
  const [inProgress, stored] = said.splice(0);
  expect(inProgress).toMatch(WORDS);
  for (const word of [...Object.values(SAID), "Ulm", "violet answer ends"]) expect(stored).toContain(word);
});

test("the setting is a project's own, and those who do not administer it cannot change it", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  await updateGatewayRecording(ours, { content: false });
  expect(await getGatewayRecording(theirs, {})).toEqual({ recording: { content: true } });
  const { ctx: manager } = await testProject("manager");
  await expect(updateGatewayRecording(manager, { content: false })).rejects.toMatchObject({ code: "forbidden" });
});
