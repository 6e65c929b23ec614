import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { unfinishedWork } from "@/server/platform/event-loop/unfinished-work";
import { publishDirectRoutes } from "@/server/platform/http/direct-routes";
import { directRoutesOf } from "@/server/rest/direct-routes";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import "@/server/rest/trainer-endpoint";
import { createConnection } from "@/server/services/connections";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";
import { withDirectRoutes } from "./direct-routes";

const next: string[] = [];
const handle = withDirectRoutes((request, response) => {
  next.push(`${request.method} ${request.url}`);
  response.end();
});
const server = createServer((request, response) => void handle(request, response));
let upstream: OpenAiServer;
let origin: string;
beforeAll(async () => {
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  upstream = await new OpenAiServer().start();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  publishDirectRoutes("v1", directRoutesOf(OPERATIONS, createDispatcher(OPERATIONS)));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await upstream.stop();
});
beforeEach(() => {
  upstream.reset();
  next.length = 0;
});

const ASKED = { model: "Shop models/gpt-4o", messages: [{ role: "user" as const, content: "Say hello" }] };

async function world() {
  const { ctx } = await testProject();
  await createConnection(ctx, { kind: "model", name: "Shop models", baseUrl: upstream.url, secret: OPENAI_KEY });
  const key = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
  const recorded = () =>
    ctx.db.select({ attributes: spans.attributes }).from(spans).where(eq(spans.projectId, ctx.projectId));
  return { key, client, recorded };
}

test("a stream's first piece arrives before the endpoint sends its second, and without Next", async () => {
  const { client, recorded } = await world();
  upstream.isHeld = true;
  const stream = await client.chat.completions.create({ ...ASKED, stream: true });
  const pieces: (string | null | undefined)[] = [];
  for await (const chunk of stream) {
    const piece = chunk.choices[0]?.delta.content;
    if (piece) pieces.push(piece);
    // The endpoint says nothing more before this.
    if (pieces.length === 1) upstream.release();
  }
  expect(pieces).toEqual(["Sunny ", "hello ", "world"]);
  expect(next).toEqual([]);
  await unfinishedWork();
  expect(await recorded()).toHaveLength(1);
});

test("a client that goes away ends the call at the endpoint, before and after its first byte, and what came is recorded", async () => {
  const { client, recorded } = await world();
  upstream.isHeld = true;
  const stream = await client.chat.completions.create({ ...ASKED, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  stream.controller.abort();
  await expect.poll(() => upstream.cancelled).toBe(1);
  await expect
    .poll(recorded)
    .toMatchObject([
      { attributes: { "gen_ai.output.messages": expect.stringContaining("Sunny"), "error.type": expect.any(String) } },
    ]);
  upstream.reset();
  upstream.isSilent = true;
  const leaving = new AbortController();
  const asked = client.chat.completions.create(ASKED, { signal: leaving.signal });
  await expect.poll(() => upstream.received.length).toBe(1);
  leaving.abort();
  await expect(asked).rejects.toThrow("aborted");
  await expect.poll(() => upstream.cancelled).toBe(1);
});

test("a whole answer says its length, errors are problems with the request's id, and a long body arrives", async () => {
  const { key, client } = await world();
  const reply = await client.chat.completions.create(ASKED).asResponse();
  expect(Number(reply.headers.get("content-length"))).toBe((await reply.arrayBuffer()).byteLength);
  const content = "é".repeat(300_000);
  await client.chat.completions.create({ ...ASKED, messages: [{ role: "user", content }] });
  expect(JSON.parse(upstream.received.at(-1)!.text).messages[0].content).toBe(content);
  const refused = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-request-id": "mine-1" },
    body: "{",
  });
  expect([refused.status, refused.headers.get("x-request-id"), refused.headers.get("content-type")]).toEqual([
    400,
    "mine-1",
    "application/problem+json",
  ]);
  expect((await refused.json()).error.message).toBe("The body is not valid JSON.");
  expect(next).toEqual([]);
});

test("what answers of deployments wait for is served without Next, and a trainer's other calls with it", async () => {
  const called = async (path: string) => (await fetch(`${origin}/api/trainer/v1/${path}`, { method: "POST" })).status;
  expect(await Promise.all(["lease", "commands/cmd_1", "commands/cmd_1/parts"].map(called))).toEqual([404, 404, 404]);
  // No trainer is attached, which only their handler knows.
  expect(next).toEqual([]);
  await called("jobs/job_1/events");
  expect(next).toEqual(["POST /api/trainer/v1/jobs/job_1/events"]);
});

test("all other requests are left to Next", async () => {
  await fetch(`${origin}/v1/healthz`);
  await fetch(`${origin}/v1/chat/completions`, { method: "OPTIONS" });
  await fetch(`${origin}/v1/chat/completions/x`, { method: "POST" });
  expect(next).toEqual(["GET /v1/healthz", "OPTIONS /v1/chat/completions", "POST /v1/chat/completions/x"]);
});
