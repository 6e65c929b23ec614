import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { createPrompt, moveLabel } from "@/server/services/prompts";
import { curlSnippet, fetchSnippet } from "./snippet";

const run = promisify(execFile);
const statuses: number[] = [];
const dispatch = createDispatcher(OPERATIONS);
const origin = await serve(async (request) => {
  const reply = await dispatch(request);
  statuses.push(reply.status);
  return reply;
});

test("the snippets read a prompt, and the program caches it, revalidates it, fills it in and names it on its span", async () => {
  const { ctx } = await testProject();
  await createPrompt(ctx, {
    name: "refund",
    content: [{ role: "system", content: "Answer {{ question }}. {{note}}" }],
    labels: ["production"],
  });
  const url = `${origin}/v1/projects/${ctx.projectId}/prompts/refund`;
  const env = { ...process.env, WHETSTONE_KEY: await keyFor(ctx, "workspace:read") };
  const shell = await run("sh", ["-c", curlSnippet(url, "production")], { env });
  expect(JSON.parse(shell.stdout).prompt).toMatchObject({ name: "refund", version: 1, label: "production" });

  const folder = await mkdtemp(path.join(tmpdir(), "whetstone-snippet-"));
  try {
    await symlink(path.resolve("node_modules"), path.join(folder, "node_modules"));
    await writeFile(path.join(folder, "prompt.mjs"), fetchSnippet(url, "production"));
    await writeFile(path.join(folder, "main.mjs"), MAIN);
    statuses.length = 0;
    const first = await run(process.execPath, ["main.mjs"], { cwd: folder, env });
    expect(JSON.parse(first.stdout)).toEqual({
      messages: [{ role: "system", content: "Answer why $& {{note}}?. Be kind." }],
      attributes: { "gen_ai.prompt.name": "refund", "gen_ai.prompt.version": "1" },
      missing: "No value for question",
    });
    // Twice within a minute, and once more after it.
    expect(statuses).toEqual([200, 304]);
    await moveLabel(ctx, { promptName: "refund", label: "production", version: null });
    await expect(run(process.execPath, ["main.mjs"], { cwd: folder, env })).rejects.toMatchObject({
      stderr: expect.stringContaining("The prompt cannot be read: 404"),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Calls the snippet as an application would, with a tracer that says what it was given. */
const MAIN = `
import { trace } from "@opentelemetry/api";
import { ask } from "./prompt.mjs";

const attributes = {};
const span = { setAttributes: (given) => Object.assign(attributes, given), end() {} };
trace.setGlobalTracerProvider({ getTracer: () => ({ startActiveSpan: (_name, run) => run(span) }) });
const messages = await ask({ question: "why $& {{note}}?", note: "Be kind." }, async (given) => given);
const later = Date.now() + 61_000;
const missing = await ask({}, async () => "").catch((error) => error.message);
Date.now = () => later;
await ask({ question: "", note: "" }, async (given) => given);
console.log(JSON.stringify({ messages, attributes, missing }));
`;
