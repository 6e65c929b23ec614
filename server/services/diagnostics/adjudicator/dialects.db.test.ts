import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { adjudications } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection, testConnection, updateConnection } from "@/server/services/connections";
import { ANTHROPIC_KEY, AnthropicServer } from "@/testbed/servers/anthropic-server";
import { createRuleRuns, executeRuleRuns, getRuleRun, updateRule } from "..";
import { storedConversation } from "../testing";
import { DIALECTS, type Dialect, type Said, speak } from "./dialects";

/** A separate file because the environment is read only once. These tests may call services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

const UNSURE = "Speed test failed: No Connection.";
const MATCH = JSON.stringify({ verdict: "match", quotes: [UNSURE], reason: "The tool failed.", confidence: 0.9 });

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of this dialect without a key, and a project that is connected to it. */
async function connected(dialect: Dialect, says: () => Said) {
  const server = {
    says,
    busyFor: 0,
    requests: [] as { authorization: string | undefined; body: Record<string, unknown> }[],
  };
  const http = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === "/v1/models")
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ object: "list", data: dialect.models }));
    server.requests.push({ authorization: request.headers.authorization, body: JSON.parse(body) });
    if (server.busyFor-- > 0) {
      const { status, message, type } = dialect.busy;
      return response.writeHead(status).end(JSON.stringify(dialect.error(status, message, type)));
    }
    return speak(dialect, response, body, server.says);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  stops.push(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const { ctx } = await testProject();
  const { connection } = await createConnection(ctx, {
    kind: "model",
    name: dialect.name,
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    settings: { defaultModel: dialect.model },
  });
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { adjudicationMode: "auto" } });
  return { ctx, server, connection };
}

async function run(ctx: Ctx, more: { text: string; role: string }[] = []) {
  const { id: conversationId, lastActivityAt } = await storedConversation(ctx, [
    { role: "user", text: "How fast is my line?" },
    { role: "assistant", text: "", toolCalls: [{ id: "call_1", name: "run_speed_test", arguments: "{}" }] },
    { role: "tool", text: UNSURE, toolCallId: "call_1" },
    ...more,
  ]);
  const { runs } = await createRuleRuns(ctx, { conversationId, lastActivityAt });
  const mine = runs.find((one) => one.ruleId === "tool-failure")!;
  await executeRuleRuns(ctx, [mine.id]);
  return (await getRuleRun(ctx, { runId: mine.id })).run;
}

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("%s", (_, dialect) => {
  test("works without a key and accepts the model's name as users enter it", async () => {
    const { ctx, server, connection } = await connected(dialect, () => ({ content: MATCH }));
    expect((await testConnection(ctx, { connectionId: connection.id })).test).toMatchObject({ ok: true, problems: [] });
    expect(await run(ctx)).toMatchObject({ resultCount: 1, notes: [`${dialect.model} on “tool_error”: match.`] });
    expect(server.requests[0]!.authorization).toBeUndefined();
    expect(server.requests[0]!.body).toMatchObject({
      model: dialect.model,
      response_format: { type: "json_schema", json_schema: { name: "answer", strict: true } },
    });
    expect(server.requests).toHaveLength(1);
    const [answer] = await ctx.db.select().from(adjudications).where(eq(adjudications.projectId, ctx.projectId));
    expect(answer).toMatchObject({ model: dialect.model, inputTokens: 300, outputTokens: 50 });
  });

  test("may leave out the usage", async () => {
    const { ctx } = await connected(dialect, () => ({ content: MATCH, usage: null }));
    expect(await run(ctx)).toMatchObject({ resultCount: 1 });
    const [answer] = await ctx.db.select().from(adjudications).where(eq(adjudications.projectId, ctx.projectId));
    expect(answer).toMatchObject({ inputTokens: null, outputTokens: null });
  });

  test("may return the reasoning, or by mistake the answer, in a separate field", async () => {
    const thought = 'They quote {"verdict":"no_match","quotes":[],"reason":"x"}. Still, it failed.';
    const { ctx, server } = await connected(dialect, () => ({ content: MATCH, reasoning: thought }));
    expect(await run(ctx)).toMatchObject({ resultCount: 1 });
    server.says = () => ({ content: "", reasoning: MATCH });
    expect(await run(ctx, [{ role: "assistant", text: "Hm." }])).toMatchObject({ resultCount: 1 });
  });

  test("leaves only the current question unanswered if it is cut off while reasoning", async () => {
    const { ctx, server } = await connected(dialect, () => ({ content: "", reasoning: "Let me see…", isCutOff: true }));
    expect((await run(ctx)).notes.join()).toMatch(/its reply was cut off after 2,000 tokens/);
    expect(server.requests).toHaveLength(1);
    server.says = () => ({ content: MATCH });
    expect(await run(ctx, [{ role: "assistant", text: "Hm." }])).toMatchObject({ resultCount: 1 });
  });

  test("is asked again when it is busy or still loading its model", async () => {
    const { ctx, server } = await connected(dialect, () => ({ content: MATCH }));
    server.busyFor = 1;
    expect(await run(ctx)).toMatchObject({ resultCount: 1 });
    expect(server.requests).toHaveLength(2);
  });

  test("is sent less of a conversation that does not fit its context", async () => {
    const { ctx, server } = await connected(dialect, () => ({ content: MATCH }));
    const long = Array.from({ length: 20 }, (__, n) => ({
      role: n % 2 ? "user" : "assistant",
      text: `${n} ${"word ".repeat(300)}`,
    }));
    expect(await run(ctx, long)).toMatchObject({ resultCount: 1 });
    const asked = server.requests.length;
    expect(asked).toBe(dialect.context === null ? 1 : 3);
    // A second question starts with the length that fit.
    expect(await run(ctx, [...long, { role: "user", text: "And?" }])).toMatchObject({ resultCount: 1 });
    expect(server.requests).toHaveLength(asked + 1);
    for (const { body } of server.requests) expect(body).toMatchObject({ max_tokens: 2_000, temperature: 0 });
  });

  test("reports an unknown model if it checks the name", async () => {
    const { ctx, connection } = await connected(dialect, () => ({ content: MATCH }));
    const settings = { defaultModel: "no-such-model" };
    await updateConnection(ctx, { connectionId: connection.id, settings });
    const isStrict = !dialect.knows("no-such-model");
    const { test: tested } = await testConnection(ctx, { connectionId: connection.id });
    expect(tested.ok).toBe(!isStrict);
    expect(await run(ctx)).toMatchObject({
      status: "completed",
      resultCount: isStrict ? 0 : 1,
      notes: [expect.stringMatching(isStrict ? /does not know the model no-such-model/ : /match/)],
    });
  });
});

test("a model that is called through Anthropic's API answers by the same schema", async () => {
  const server = await new AnthropicServer().start();
  stops.push(() => server.stop());
  server.words = [MATCH];
  const { ctx } = await testProject();
  await createConnection(ctx, {
    kind: "model",
    name: "Claude",
    baseUrl: server.url,
    secret: ANTHROPIC_KEY,
    settings: { dialect: "anthropic", defaultModel: "claude-sonnet-4-5" },
  });
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { adjudicationMode: "auto" } });
  expect(await run(ctx)).toMatchObject({ resultCount: 1, notes: ["claude-sonnet-4-5 on “tool_error”: match."] });
  expect(server.received[0]!.body).toMatchObject({
    max_tokens: 2_000,
    temperature: 0,
    output_config: { format: { type: "json_schema" } },
  });
});
