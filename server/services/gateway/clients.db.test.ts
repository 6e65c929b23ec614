import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import { eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { clientsPythonPath, nodeClientsPath } from "@/scripts/lib/testing/clients.mjs";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { createConnection } from "@/server/services/connections";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";

/** Official clients, in which nothing changes but the base URL, the key and the model's name. */

const run = promisify(execFile);
const NAMES = { MODEL: "Shop/gpt-4o", EMBEDDING_MODEL: "Shop/text-embedding-3-small" };
const SAID = { whole: "Sunny hello world", streamed: "Sunny hello world" };
const EMBEDDING = [0.25, -0.5];

let upstream: OpenAiServer;
let ctx: Ctx;
let baseURL: string;
let apiKey: string;
beforeAll(async () => {
  upstream = await new OpenAiServer().start();
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  baseURL = `${await serve(createDispatcher(OPERATIONS))}/v1`;
});
afterAll(() => upstream.stop());
beforeEach(async () => {
  ({ ctx } = await testProject());
  await createConnection(ctx, { kind: "model", name: "Shop", baseUrl: upstream.url, secret: OPENAI_KEY });
  apiKey = await keyFor(ctx, "gateway:use", "telemetry:write");
});
const environment = () => ({ ...process.env, ...NAMES, BASE_URL: baseURL, API_KEY: apiKey });

const models = async () => {
  const rows = await ctx.db.select().from(spans).where(eq(spans.projectId, ctx.projectId));
  return rows.map(({ name }) => name).sort();
};

test.runIf(existsSync(clientsPythonPath()))("OpenAI's, LangChain's and LiteLLM's Python clients", async () => {
  const { stdout } = await run(clientsPythonPath(), ["server/services/gateway/testing/clients.py"], {
    env: environment(),
  });
  expect(JSON.parse(stdout.slice(stdout.lastIndexOf('{"openai"')))).toEqual({
    openai: { ...SAID, response: SAID.whole, embedding: EMBEDDING },
    langchain: { ...SAID, response: SAID.whole, embedding: EMBEDDING, call: { city: "Ulm" } },
    litellm: { ...SAID, embedding: EMBEDDING },
  });
  await expect
    .poll(models)
    .toEqual([
      ...Array(7).fill("chat gpt-4o"),
      ...Array(3).fill("embeddings text-embedding-3-small"),
      ...Array(2).fill("responses gpt-4o"),
    ]);
});

test.runIf(existsSync(nodeClientsPath()))("the newest OpenAI client and AI SDK in JavaScript", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "whetstone-clients-"));
  try {
    await symlink(path.join(nodeClientsPath(), "node_modules"), path.join(folder, "node_modules"));
    await copyFile("e2e/clients/model-clients.mjs", path.join(folder, "clients.mjs"));
    const { stdout } = await run(process.execPath, ["clients.mjs"], { cwd: folder, env: environment() });
    expect(JSON.parse(stdout)).toEqual({
      openai: { ...SAID, response: SAID.whole, embedding: EMBEDDING },
      aiSdk: { ...SAID, response: SAID.whole, steps: ["tool-calls", "stop"], embedding: EMBEDDING },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the OpenAI client and the AI SDK's provider for compatible servers that this repository has", async () => {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const asked = { model: NAMES.MODEL, messages: [{ role: "user" as const, content: "Say hello" }] };
  const { message } = (await openai.chat.completions.stream(asked).finalChatCompletion()).choices[0]!;
  expect(message.content).toBe(SAID.whole);
  const provider = createOpenAICompatible({ name: "whetstone", baseURL, apiKey });
  const given = { model: provider(NAMES.MODEL), prompt: "Say hello", maxRetries: 0 };
  expect((await generateText(given)).text).toBe(SAID.whole);
  expect(await streamText(given).text).toBe(SAID.whole);
});
