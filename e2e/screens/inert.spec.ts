import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { ELSEWHERE, PAYLOADS } from "../../testbed/data/payloads";
import { newProject, type TestProject } from "../../testbed/data/project";
import { storeJob } from "../../testbed/product/jobs";
import { runningDatabase } from "../../testbed/product/running-database";
import { storeTraining } from "../support/data/training-rows";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Conversation content is shown as plain text in every field, on every page. */

const hex = (bytes: number) => randomBytes(bytes).toString("hex");
const value = (text: string) => ({ stringValue: text });
const attributes = (fields: Record<string, string>) =>
  Object.entries(fields).map(([key, text]) => ({ key, value: value(text) }));

/** The number of payloads per conversation, one trace each: one page shows them all, so there are fewer pages to open. */
const PER_CONVERSATION = 8;
const GROUPS = Math.ceil(PAYLOADS.length / PER_CONVERSATION);
const groupOf = (n: number) => PAYLOADS[n - (n % PER_CONVERSATION)] as string;

/** The pages of a project without an id in their path: names of models, people, tools and errors come up on most of them. */
const PAGES = [
  ...[
    "",
    "findings?tab=all",
    "review",
    "rules",
    "rules/evaluators",
    "rule-runs",
    "backfills",
    "conversations",
    "costs",
    "prices",
    "prices/catalogue",
  ],
  ...[
    "prices/edit",
    "prices/repricings",
    "datasets",
    "training",
    "checkpoints",
    "evaluations",
    "deployments",
    "exports",
  ],
  ...["lineage", "playground", "trainers", "integrations", "integrations/deliveries", "integrations/handoff-rules"],
  ...["integrations/notifications", "integrations/tracker-deliveries", "knowledge-goals", "jobs", "audit", "data"],
  ...["members", "people", "account", "api-keys", "settings", "send-a-trace"],
];

/** A trace with the payload in every field that a client can fill. */
function spansOf(payload: string, n: number, group: string) {
  const traceId = hex(16);
  const root = hex(8);
  const start = Date.now() - (PAYLOADS.length - n) * 60_000;
  const at = (ms: number) => `${start + ms}000000`;
  const common = { "gen_ai.conversation.id": group, "user.id": group };
  const message = (role: string, parts: object[]) =>
    JSON.stringify([{ role, name: payload, parts, finish_reason: payload }]);
  const text = { type: "text", content: payload };
  const asked = { type: "tool_call", id: payload, name: payload, arguments: { [payload]: payload } };
  const parts = [
    text,
    { type: "reasoning", content: payload },
    { type: "image", uri: payload, url: payload, mime_type: payload },
    { type: "uri", modality: "image", uri: `https://${ELSEWHERE}/part-${n}.png`, mime_type: "image/svg+xml" },
    { type: "blob", modality: "image", mime_type: "image/svg+xml", content: Buffer.from(payload).toString("base64") },
    { type: payload, content: payload },
  ];
  const span = (name: string, fields: Record<string, string>, more: object = {}) => ({
    traceId,
    spanId: hex(8),
    parentSpanId: root,
    name,
    kind: 3,
    startTimeUnixNano: at(10),
    endTimeUnixNano: at(500),
    attributes: attributes({ ...common, ...fields }),
    events: [
      {
        name: payload,
        timeUnixNano: at(20),
        attributes: attributes({ "exception.message": payload, [payload]: payload }),
      },
    ],
    status: { code: 2, message: payload },
    ...more,
  });
  const model = { "gen_ai.provider.name": payload, "gen_ai.request.model": payload, "gen_ai.response.model": payload };
  return [
    span(
      payload,
      { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": payload },
      { spanId: root, parentSpanId: "" },
    ),
    span(payload, {
      "gen_ai.operation.name": "chat",
      ...model,
      "gen_ai.input.messages": message("user", parts),
      "gen_ai.output.messages": message("assistant", [...parts, asked]),
      [payload]: payload,
    }),
    span(payload, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": payload,
      "gen_ai.tool.call.id": payload,
      "gen_ai.tool.call.arguments": payload,
      "gen_ai.tool.call.result": `Error: ${payload}`,
    }),
  ];
}

async function send(project: TestProject) {
  for (const [n, payload] of PAYLOADS.entries()) {
    const body = {
      resourceSpans: [
        {
          resource: { attributes: attributes({ "service.name": payload, [payload]: payload }) },
          scopeSpans: [{ scope: { name: payload, version: payload }, spans: spansOf(payload, n, groupOf(n)) }],
        },
      ],
    };
    const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, {
      method: "POST",
      headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(reply.status, payload).toBe(200);
  }
}

/** Records everything that must not happen, from before the first page is opened. */
async function watch(page: Page, origin: string) {
  const trouble: string[] = [];
  page.on("dialog", (dialog) => {
    trouble.push(`a dialog said ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) trouble.push(`${page.url()} asked ${url}`);
  });
  page.on("popup", (popup) => trouble.push(`a window opened at ${popup.url()}`));
  page.on("console", (message) => {
    if (/Content Security Policy|violates/i.test(message.text())) trouble.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => trouble.push(`${page.url()}: ${error.message}`));
  return trouble;
}

async function expectInert(page: Page, trouble: string[], what: string) {
  await page.waitForLoadState("networkidle");
  const seen = await page.evaluate((elsewhere) => {
    const all = [...document.querySelectorAll("*")];
    const pointing = all.filter((one) =>
      [...one.attributes].some(
        ({ name, value }) =>
          (/^on/.test(name) && value !== "") ||
          (/^(href|src|srcset|action|formaction|data|poster|xlink:href|srcdoc)$/.test(name) &&
            (/^\s*(javascript|vbscript|data:text)/i.test(value) ||
              new URL(value, location.href).hostname === elsewhere)),
      ),
    );
    return {
      ran: (window as { __ran?: number[] }).__ran ?? [],
      polluted: ({} as { polluted?: unknown }).polluted,
      pointing: pointing.map((one) => one.outerHTML.slice(0, 200)),
      foreign: document.querySelectorAll("iframe, object, embed, base, meta[http-equiv=refresh]").length,
      title: document.title,
    };
  }, ELSEWHERE);
  expect(seen, what).toMatchObject({ ran: [], pointing: [], foreign: 0 });
  expect(seen.polluted, what).toBeUndefined();
  expect(trouble, what).toEqual([]);
}

test("scripts, pictures, links, Markdown and terminal codes in any field are shown as plain text", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const project = await newProject(baseURL!);
  await send(project);
  const list = async <T>(path: string, name: string) => (await project.read(path))[name] as unknown as T[];
  await expect
    .poll(async () => (await list("conversations?limit=500", "conversations")).length, { timeout: 60_000 })
    .toBe(GROUPS);
  await expect
    .poll(async () => (await list("diagnostics/findings?limit=500", "findings")).length, { timeout: 60_000 })
    .toBeGreaterThan(0);

  const trouble = await watch(page, project.url);
  await signIn(page, project);
  const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
  await expectInert(page, trouble, "the list of conversations");

  const conversations = await list<{ id: string; userId: string | null }>("conversations?limit=500", "conversations");
  for (const { id } of conversations) {
    await page.goto(at(`conversations/${id}`));
    await expect(page.locator("main")).toBeVisible();
    await expectInert(page, trouble, `conversation ${id}`);
    await page.goto(at(`conversations/${id}?tab=spans`));
    await expectInert(page, trouble, `spans of ${id}`);
  }
  expect(conversations.map(({ userId }) => userId).sort()).toEqual(
    PAYLOADS.filter((payload, n) => groupOf(n) === payload).sort(),
  );

  for (const { id } of (await list<{ id: string }>("diagnostics/findings?limit=500", "findings")).slice(0, 5)) {
    await page.goto(at(`findings/${id}`));
    await expectInert(page, trouble, `finding ${id}`);
  }
  for (const path of PAGES) {
    await page.goto(at(path));
    await expect(page.locator("main")).toBeVisible();
    await expectInert(page, trouble, path);
  }
  // Also what people paste into a URL.
  for (const payload of PAYLOADS.slice(0, 6)) {
    await page.goto(at(`conversations?q=${encodeURIComponent(payload)}&user=${encodeURIComponent(payload)}`));
    await expectInert(page, trouble, `a search for ${payload}`);
  }
});

test("a word of a million characters is shown without stretching a page or stopping it", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  const word = `\u202E${"w".repeat(1_000_000)}`;
  const [, chat] = spansOf("short", 0, "long");
  const texts = (role: string) => JSON.stringify([{ role, parts: [{ type: "text", content: word }] }]);
  const given = attributes({
    "gen_ai.conversation.id": "long",
    "user.id": "w".repeat(5_000),
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "w".repeat(5_000),
    "gen_ai.input.messages": texts("user"),
    "gen_ai.output.messages": texts("assistant"),
  });
  const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [{ ...chat, parentSpanId: "", attributes: given }] }] }],
    }),
  });
  expect(reply.status).toBe(200);
  const ids = async () =>
    ((await project.read("conversations")).conversations as unknown as { id: string }[]).map(({ id }) => id);
  await expect.poll(async () => (await ids()).length, { timeout: 60_000 }).toBe(1);
  await signIn(page, project);
  for (const path of [
    "conversations",
    `conversations/${(await ids())[0]}`,
    `conversations/${(await ids())[0]}?tab=spans`,
  ]) {
    await page.goto(`${project.url}/p/${project.projectId}/${path}`);
    await expect(page.locator("main")).toContainText("www");
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    await expect.poll(isWide).toBe(false);
  }
});

test("what files, trainers and models say is shown as plain text on the pages of Datasets, Examples and training", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  const word = `\u202E${"w".repeat(20_000)}`;
  const text = [...PAYLOADS, word].join("\n");
  const trouble = await watch(page, project.url);
  await signIn(page, project);
  const send = async (path: string, data: object) => {
    const address = `${project.url}/v1/projects/${project.projectId}/${path}`;
    const reply = await page.request.post(address, { headers: { origin: project.url }, data });
    expect(reply.status(), path).toBe(201);
    return reply.json();
  };
  const [first = "", second = ""] = PAYLOADS;
  const { dataset } = await send("datasets", { name: first, description: text.slice(0, 10_000) });
  const call = { id: "call_1", type: "function", function: { name: "find", arguments: JSON.stringify({ text }) } };
  const payload = {
    input: {
      type: "chat",
      messages: [
        { role: "system", content: text },
        { role: "user", content: text },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: text },
      ],
      tools: [{ type: "function", function: { name: "find", description: text, parameters: { description: text } } }],
    },
    expectedOutput: { type: "chat_message", message: { role: "assistant", content: text } },
    rejectedOutput: { type: "chat_message", message: { role: "assistant", content: `No. ${text}` } },
  };
  const tags = PAYLOADS.slice(0, 10).map((one) => one.slice(0, 100));
  const { example } = await send(`datasets/${dataset.id}/examples`, { payload, tags, source: { externalRef: second } });
  const sql = runningDatabase();
  const ids = await storeTraining(sql, project.projectId, text, PAYLOADS);
  await sql.end();

  const pages = [
    `datasets/${dataset.id}`,
    `datasets/${dataset.id}?peek=${example.id}`,
    `datasets/${dataset.id}/examples/${example.id}`,
    "training",
    `training/${ids.jobId}`,
    `checkpoints/${ids.checkpointId}`,
    "deployments",
    `deployments/${ids.deploymentId}`,
  ];
  for (const path of pages) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${project.url}/p/${project.projectId}/${path}`);
    await expect(page.locator("main")).toContainText(first);
    await expectInert(page, trouble, path);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      await expect.poll(isWide, `${path}, ${width} wide`).toBe(false);
    }
  }
});

test("the input and error of a background job are shown as plain text, too", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  const sql = runningDatabase();
  const [first = "", ...others] = PAYLOADS;
  const error = (message: string) => ({ name: message, message });
  const jobId = await storeJob(sql, project.projectId, {
    state: "failed",
    error: error(first),
    data: { conversationId: first, runIds: PAYLOADS, [`${first}Id`]: first },
    steps: others.map((payload) => ({ name: payload, state: "failed", error: error(payload) })),
  });
  await sql.end();
  const trouble = await watch(page, project.url);
  await signIn(page, project);
  await page.goto(`${project.url}/p/${project.projectId}/jobs?peek=${jobId}`);
  await expect(page.getByLabel("What went wrong").filter({ visible: true })).toHaveText(first);
  await expectInert(page, trouble, "a job");
});

test("an API response is never rendered as a page, whatever it contains", async ({ page, baseURL, request }) => {
  const project = await newProject(baseURL!);
  const payload = PAYLOADS[0] as string;
  const reply = await request.get(`${baseURL}/v1/projects/${encodeURIComponent(payload)}/conversations`);
  expect(reply.headers()["content-type"]).toContain("json");
  expect(reply.headers()).toMatchObject({ "x-content-type-options": "nosniff", "x-frame-options": "DENY" });
  expect(reply.headers()["content-security-policy"]).toContain("default-src 'none'");
  const trouble = await watch(page, project.url);
  await page.goto(`${baseURL}/v1/projects/${encodeURIComponent(payload)}/conversations`);
  expect(await page.evaluate(() => (window as { __ran?: number[] }).__ran ?? [])).toEqual([]);
  expect(trouble.filter((line) => !/favicon/.test(line))).toEqual([]);
});

test("every page has its own Content-Security-Policy nonce, and scripts and styles without it are blocked", async ({
  page,
  baseURL,
  request,
}) => {
  const nonces = new Set<string>();
  for (const path of ["/sign-in", "/sign-in", "/docs", "/no-such-page"]) {
    const reply = await request.get(`${baseURL}${path}`, {
      headers: { "x-nonce": "mine", "content-security-policy": "script-src 'nonce-mine'" },
    });
    const policy = reply.headers()["content-security-policy"] ?? "";
    const nonce = /script-src 'self' 'nonce-([^']+)' 'strict-dynamic'/.exec(policy)?.[1] ?? "";
    expect(nonce.length, path).toBeGreaterThan(20);
    nonces.add(nonce);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(reply.headers()).toMatchObject({ "referrer-policy": "same-origin", "x-content-type-options": "nosniff" });
    expect(reply.headers()["permissions-policy"]).toContain("camera=()");
    const html = await reply.text();
    expect(html).not.toContain('nonce="mine"');
    for (const [tag] of html.matchAll(/<(?:script|style)\b[^>]*>/g)) expect(tag, path).toContain(`nonce="${nonce}"`);
  }
  expect(nonces.size).toBe(4);

  const trouble = await watch(page, baseURL!);
  // As if content of a conversation had been injected into the page after all.
  await page.route("**/sign-in", async (route) => {
    const response = await route.fetch();
    const planted = `<script>window.__ran=[1]</script><img src=x onerror="window.__ran=[2]"><style>main{display:none}</style>`;
    await route.fulfill({ response, body: (await response.text()).replace("</body>", `${planted}</body>`) });
  });
  await page.goto("/sign-in");
  await expect(page.getByLabel("E-mail")).toBeVisible();
  await expect.poll(() => trouble.some((line) => /Content Security Policy|violates/i.test(line))).toBe(true);
  expect(await page.evaluate(() => (window as { __ran?: number[] }).__ran)).toBeUndefined();
});

test.describe("sign-in never redirects to another host", () => {
  let person: TestProject;
  test.beforeAll(async ({ baseURL }) => {
    person = await newProject(baseURL!);
  });
  for (const next of [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/..//evil.example",
    "javascript:alert(1)",
  ]) {
    test(JSON.stringify(next), async ({ page, baseURL }) => {
      const trouble = await watch(page, person.url);
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}&callbackUrl=${encodeURIComponent(next)}`);
      await page.getByLabel("E-mail").fill(person.email);
      await page.getByLabel("Password", { exact: true }).fill(person.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
      expect(new URL(page.url()).origin).toBe(new URL(baseURL!).origin);
      expect(trouble).toEqual([]);
    });
  }
});
