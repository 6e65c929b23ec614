import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { clientsPythonPath, nodeClientsPath } from "@/scripts/lib/testing/clients.mjs";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { type SnippetName, snippet } from "./snippets";

/** The snippets, run as they are shown, with a model server that the clients are pointed to by their own variables. */

const USAGE = { prompt_tokens: 24, completion_tokens: 12, total_tokens: 36 };
const ANSWER = "It arrives tomorrow.";
const REPLIES: Record<string, object> = {
  "/v1/chat/completions": {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o-mini-2024-07-18",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: ANSWER } }],
    usage: USAGE,
  },
  "/v1/responses": {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "gpt-4o-mini-2024-07-18",
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: ANSWER, annotations: [] }],
      },
    ],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: {
      input_tokens: 24,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 12,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 36,
    },
  },
  "/v1/messages": {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-haiku-4-5",
    content: [{ type: "text", text: ANSWER }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 24, output_tokens: 12 },
  },
};

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const reply = REPLIES[request.url ?? ""];
    response.writeHead(reply ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(reply ?? {}));
  });
});
let folder: string;
let origin: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "whetstone-snippets-"));
  await mkdir(path.join(folder, "js"));
  await symlink(path.join(nodeClientsPath(), "node_modules"), path.join(folder, "js", "node_modules"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const models = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  env = {
    NODE_ENV: "test",
    PATH: process.env.PATH,
    HOME: folder,
    OPENAI_BASE_URL: `${models}/v1`,
    OPENAI_API_KEY: "none",
    ANTHROPIC_BASE_URL: models,
    ANTHROPIC_API_KEY: "none",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
  };
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const run = promisify(execFile);
const LIMIT_MS = 60_000;

/** Runs a snippet. Returns the only conversation that it sent, and what it printed. */
async function conversationOf(name: SnippetName, start: (text: string) => Promise<{ stdout: string }>) {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "telemetry:write");
  const { stdout } = await start(snippet(name, { endpoint: `${origin}/v1/otlp`, key }));
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  expect(conversations).toHaveLength(1);
  const { conversation } = await getConversation(ctx, { conversationId: conversations[0]!.id });
  return { stdout, conversation };
}
const said = ({ messages }: Awaited<ReturnType<typeof conversationOf>>["conversation"]) =>
  messages.map(({ role, parts }) => `${role}: ${parts.map((part) => ("text" in part ? part.text : part.type)).join()}`);
const TOLD = ["user: Where is my order 1042?", `assistant: ${ANSWER}`];

async function programOf(name: string, text: string) {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}
const python = async (text: string) => run(clientsPythonPath(), [await programOf("first_trace.py", text)], { env });
const javascript = async (text: string) =>
  run(process.execPath, [await programOf("js/first-trace.mjs", text)], { env, timeout: LIMIT_MS });
const shell = async (text: string) => run("bash", ["-euo", "pipefail", "-c", text], { env, timeout: LIMIT_MS });

const CLIENTS = [
  ["openai-python", python, clientsPythonPath],
  ["openai-js", javascript, nodeClientsPath],
  ["ai-sdk", javascript, nodeClientsPath],
  ["langchain", python, clientsPythonPath],
  ["anthropic", python, clientsPythonPath],
  ["litellm", python, clientsPythonPath],
] as const;

for (const [name, start, needs] of CLIENTS)
  test.runIf(existsSync(needs()))(
    `the snippet of ${name} sends a conversation with its user, tokens and cost`,
    async () => {
      const { stdout, conversation } = await conversationOf(name, start);
      expect(stdout.trim()).toBe(ANSWER);
      expect(said(conversation)).toEqual(TOLD);
      expect(conversation).toMatchObject({
        externalId: "first-conversation",
        userId: "ann",
        modelCallCount: 1,
        usage: { input_tokens: 24, output_tokens: 12 },
        costComplete: true,
      });
      expect(conversation.cost).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

const BY_HAND = [
  ["typescript", javascript, nodeClientsPath],
  ["python", python, clientsPythonPath],
  ["curl", shell, () => "/"],
] as const;

for (const [name, start, needs] of BY_HAND)
  test.runIf(existsSync(needs()))(
    `the snippet of ${name} sends a conversation without a model`,
    async () => {
      const { conversation } = await conversationOf(name, start);
      expect(said(conversation)).toEqual(TOLD);
      expect(conversation).toMatchObject({ externalId: "first-conversation", modelCallCount: 1, costComplete: true });
    },
    LIMIT_MS,
  );

test("the variables of OpenTelemetry point an instrumented program here", async () => {
  const program = path.resolve("e2e/clients/openinference-openai.mjs");
  const { conversation } = await conversationOf("env", (text) => shell(`${text}\nnode ${program}`));
  expect(said(conversation)).toEqual(["system: Be brief.", "user: Hello", "assistant: Hello there."]);
}, 60_000);
