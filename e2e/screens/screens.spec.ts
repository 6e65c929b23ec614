import type { Browser, BrowserContext, Page } from "@playwright/test";
import { isLong } from "../../scripts/lib/testing/amounts.mjs";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed, type Talk } from "../../testbed/data/seed";
import { storeJob } from "../../testbed/product/jobs";
import { runningDatabase } from "../../testbed/product/running-database";
import { storeCandidate } from "../support/data/candidates";
import {
  contextIn,
  DARK,
  DARK_PHONE,
  expectFit,
  expectFitIn,
  LIGHT,
  LIGHT_PHONE,
  type Look,
  PHONE,
  titleOf,
  visits,
} from "../support/looks";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Every screen, light and dark, wide and on a phone: reachable, accessible, no sideways scrolling, no external requests. */

const HOSTILE = '<img src="https://elsewhere.example/x.png" onerror="alert(1)"><b>Is this bold?</b>';
const LONG_USER = `عميل/٤٢/${"tenant-of-a-tenant".repeat(20)}`.slice(0, 256);
const LABELS = ["web", "beta", "returns", "eu-central", "customer of the first hour"];
const TALKS: Talk[] = [
  {
    id: "plain",
    model: "gpt-4o-mini",
    ask: "Can I return the jacket?",
    answer: "Yes, within 30 days.",
    labels: ["web"],
  },
  { id: "hostile", model: "acme-house-1", ask: HOSTILE, answer: "It is not.", labels: [HOSTILE, LONG_USER] },
  { id: "long", model: "gpt-4o-mini", ask: "Where are my parcels?", answer: "Let me see.", turns: 90 },
  {
    id: "failing",
    model: "gpt-4o",
    ask: "Where is my order 1042?",
    answer: "I cannot find it.",
    failingTool: true,
    labels: LABELS,
  },
  { id: "of-a-long-id", model: "gpt-4o", ask: "Who am I?", answer: "That I cannot tell.", user: LONG_USER },
  { id: "leaving", model: "gpt-4o", ask: "Forget me.", answer: "I will.", user: "somebody-who-left" },
];
const LONG_GOAL = {
  title: "Refunds of orders that were paid in parts, of which some were returned and some exchanged ".repeat(2).trim(),
  description: `${HOSTILE} ${"no-end".repeat(60)} Within 30 days.`,
  keyPhrases: [...Array.from({ length: 9 }, (_, n) => `money back ${n}`), "no-end".repeat(30), HOSTILE],
};
const payloadOf = (asked: string, answer: string) => ({
  input: {
    type: "chat",
    messages: [
      { role: "user", content: asked },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "find_order", arguments: '{"id": 4711}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: '{"state": "sent"}' },
    ],
  },
  expectedOutput: { type: "chat_message", message: { role: "assistant", content: answer } },
});

/** As long as a name may be. */
const PROMPT = "refund-".repeat(20).slice(0, 100);

let project: TestProject;
let state: Awaited<ReturnType<BrowserContext["storageState"]>>;
let conversationId: string;
let findingId: string;
let auditId: string;
let datasetId: string;
let exampleId: string;
let jobId: string;
let goalId: string;
let alertId: string;
let deletionId: string;
let resetLink: string;
let inviteLink: string;
let shareLink: string;
let variantId: string;
let fixId: string;
let aliasId: string;
let budgetId: string;

test.beforeAll(async ({ browser, baseURL }) => {
  test.setTimeout(300_000);
  project = await newProject(baseURL!);
  await seed(project, TALKS);
  const read = async <T>(path: string) => (await project.read(path)) as unknown as T;
  conversationId = (await read<{ conversation: { id: string } }>("conversations/failing")).conversation.id;
  const { findings } = await read<{ findings: { id: string }[] }>("diagnostics/findings?ruleId=tool-failure");
  findingId = findings[0]!.id;
  const context = await browser.newContext();
  await signIn(await context.newPage(), project);
  const change = (method: string, path: string, data: object) =>
    context.request.fetch(`${baseURL}/v1/projects/${project.projectId}/${path}`, {
      method,
      headers: { origin: baseURL! },
      data,
    });
  await change("POST", "invitations", { email: "a.long.name.of.somebody.who.has.not.come.yet@example.test" });
  await change("POST", "connections", { kind: "github", name: "Issues of the shop" });
  goalId = (await (await change("POST", "knowledge-goals", LONG_GOAL)).json()).knowledgeGoal.id;
  const alert = { name: `${HOSTILE} ${"no-end".repeat(10)}`.slice(0, 120), measure: "error_rate", limit: 0.99 };
  const provider = { kind: "model", name: "A provider", baseUrl: "http://127.0.0.1:9/v1" };
  const { connection } = await (await change("POST", "connections", provider)).json();
  const variant = {
    name: HOSTILE.slice(0, 100),
    connectionId: connection.id,
    model: "gpt-5-mini",
    note: "no-end".repeat(90),
  };
  const alias = {
    name: `an-alias-${"no-end".repeat(15)}`,
    targets: [{ connectionId: connection.id, model: "no-end".repeat(30) }, { deployment: "shop-agent" }],
  };
  aliasId = (await (await change("POST", "gateway-aliases", alias)).json()).alias.id;
  const budget = { scope: "user", dailyUsd: 123_456.789_012 };
  budgetId = (await (await change("POST", "gateway-budgets", budget)).json()).budget.id;
  const changed = { basedOn: "Answer in one sentence.", systemPrompt: `Answer in ${"no-end".repeat(200)}.` };
  variantId = (await (await change("POST", "variants", { ...variant, ...changed, findingId })).json()).variant.id;
  await change("POST", `gateway-aliases/${aliasId}/experiments`, { variantId, share: 10 });
  const evaluator = { name: `relevance ${"no-end".repeat(30)}`, evaluatorKind: "model" };
  for (const value of [0.1, 0.9]) {
    await change("POST", "feedback", {
      ...evaluator,
      conversationId: value < 0.5 ? conversationId : "hostile",
      kind: "score",
      value,
    });
  }
  await change("PATCH", "diagnostics/evaluators", { name: evaluator.name, failsWhen: { below: 0.5 } });
  const released = { by: "version", value: `shop ${"no-end".repeat(60)}`, note: HOSTILE };
  const fixes = `diagnostics/findings/${findingId}/fixes`;
  fixId = (await (await change("POST", fixes, released)).json()).fix.id;
  alertId = (await (await change("POST", "alerts", alert)).json()).alert.id;
  await change("POST", "prompts", { name: PROMPT, content: HOSTILE, labels: ["production", "a".repeat(40)] });
  await change("POST", `prompts/${PROMPT}/versions`, {
    content: `${HOSTILE} {{${"variable_".repeat(6)}}} ${"no-end".repeat(400)}`,
    message: "no-end".repeat(80),
    labels: ["staging"],
  });
  const { dataset } = await (await change("POST", "datasets", { name: "Answers".repeat(20) })).json();
  await storeLongCandidate(dataset.id);
  await change("PATCH", "retention", { days: 400 });
  const datasets = [
    { name: "Answers about orders", description: "What the shop says about late and lost parcels. ".repeat(20) },
    { name: LONG_USER.slice(0, 200), collectionObjective: "preserve_successful_behavior", collectionEnabled: true },
  ];
  for (const dataset of datasets) {
    const made = await change("POST", "datasets", dataset);
    datasetId = (await made.json()).dataset.id;
  }
  for (const payload of [payloadOf(HOSTILE, "no-end".repeat(400)), payloadOf("Where is 4711?", "Tomorrow.")]) {
    const made = await change("POST", `datasets/${datasetId}/examples`, { payload, tags: [LONG_USER.slice(0, 100)] });
    exampleId = (await made.json()).example.id;
  }
  const log = await context.request.get(`${baseURL}/v1/projects/${project.projectId}/audit-log?action=retention`);
  auditId = (await log.json()).entries[0].id;
  const asked = await change("POST", "deletions", { userId: "somebody-who-left" });
  deletionId = (await asked.json()).deletion.id;
  await change("POST", "storage-measurements", {});
  const ask = async (path: string) =>
    (await context.request.get(`${baseURL}/v1/projects/${project.projectId}/${path}`)).json();
  await expect
    .poll(async () => (await ask(`deletions/${deletionId}`)).deletion.status, { timeout: 60_000 })
    .toBe("completed");
  await expect.poll(async () => (await ask("storage")).storage.measuredAt, { timeout: 60_000 }).not.toBeNull();
  // Last, because jobs that never end would block the real work above.
  jobId = await storeJobs();
  inviteLink = `/invite#token=${(await (await change("POST", "invitations", { email: null })).json()).token}`;
  await change("PATCH", "share-link-settings", { enabled: true });
  const shared = await change("POST", "share-links", { findingId, includeCost: true });
  shareLink = `/share/${(await shared.json()).token}`;
  const { members } = await ask("members");
  const reset = await change("POST", `members/${members[0].userId}/password-resets`, {});
  resetLink = `/reset#token=${(await reset.json()).token}`;
  state = await context.storageState();
  await context.close();
});

/** Stores a candidate with long and hostile text. */
async function storeLongCandidate(datasetId: string) {
  const sql = runningDatabase();
  await storeCandidate(sql, project.projectId, {
    datasetId,
    conversationId,
    ask: `${HOSTILE} ${"no-end".repeat(120)}`,
    answer: `Write to <EMAIL_1>. ${"and on it goes ".repeat(80)}`,
    rejected: HOSTILE,
    reason: `A user wrote what the answer should have been: ${"no-end".repeat(40)}`,
  });
  await sql.end();
}

/** Stores jobs in every state, including a failed one with a long error and many subjects. Returns the id of the latter. */
async function storeJobs(): Promise<string> {
  const sql = runningDatabase();
  const store = (job: Parameters<typeof storeJob>[2]) => storeJob(sql, project.projectId, job);
  const now = Date.now();
  for (let n = 0; n < 30; n++) await store({ state: "completed", createdAt: now - n * 3_600_000 });
  await store({ state: "cancelled", functionId: "whetstone-keep-house", createdAt: now - 90_000_000 });
  await store({ state: "queued", data: { conversationId } });
  // A job of a function that nothing here waits for: it occupies its concurrency slot until the end.
  await store({ state: "running", functionId: "whetstone-send-mail", data: { conversationId } });
  const error = { name: "Error", message: "The provider did not answer within 30 s." };
  await store({
    state: "queued",
    attempt: 1,
    retries: 1,
    error,
    steps: [{ name: "measure", state: "retrying", error }],
  });
  const much = { name: "A".repeat(90), message: `${HOSTILE} ${"no-end".repeat(120)}\n${"and on it goes ".repeat(40)}` };
  const failed = await store({
    state: "failed",
    functionId: "whetstone-run-rules",
    retries: 4,
    error: much,
    data: { runIds: Array.from({ length: 40 }, (_, n) => `run_${String(n).padStart(32, "0")}`) },
    steps: [
      { name: "prepare", state: "completed" },
      { name: "a-step-of-a-long-name-".repeat(6), state: "failed", attempts: 5, error: { ...much, message: HOSTILE } },
    ],
  });
  await sql.end();
  return failed;
}

const signedIn = (browser: Browser, look: Look = LIGHT) =>
  browser.newContext({ storageState: state, ...contextIn(look) });
const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;

/** The page's script has run: controls that were disabled until then are enabled. */
const expectLive = (page: Page) => expect(page.locator(":is(button, select):disabled")).toHaveCount(0);

/** Each with what it shows once it has loaded. Ids are only known when the tests run. */
const SCREENS: [name: string, path: string | (() => string), shows: string | RegExp][] = [
  ["conversations", "conversations", "Can I return the jacket?"],
  ["conversations-peek", () => `conversations?peek=${conversationId}`, "Result of get_order"],
  ["conversation", () => `conversations/${conversationId}`, "Result of get_order"],
  ["conversations-label", "conversations?label=web", "Can I return the jacket?"],
  ["conversation-hostile", "conversations/hostile", HOSTILE],
  ["conversation-long", "conversations/long#m-120", "And number 60?"],
  ["conversation-cost", "conversations/hostile?tab=cost", "Unpriced calls"],
  ["conversation-spans", () => `conversations/${conversationId}?tab=spans`, "execute_tool get_order"],
  ["findings", "findings", /get_order/],
  ["findings-peek", () => `findings?peek=${findingId}`, "Why"],
  ["finding", () => `findings/${findingId}`, "Affected conversations"],
  ["rule-runs", "rule-runs", "found nothing"],
  ["rules", "rules", "Tool failure"],
  ["rule", "rules/tool-failure", "Minimum confidence"],
  ["evaluators", "rules/evaluators", "Missed by every Rule"],
  ["rule-new", "rules/new", "Propose from the description"],
  ["backfills", "backfills", "No backfills yet"],
  ["backfill-new", "backfills?new=tool-failure", "active in this window"],
  ["review", "review", "Current answer"],
  ["review-of-a-dataset", "review?dataset=ds_nothing", "No candidate is waiting"],
  ["knowledge-goals", "knowledge-goals", /Refunds of orders/],
  ["knowledge-goals-peek", () => `knowledge-goals?peek=${goalId}`, "money back 8"],
  ["datasets", "datasets", "Answers about orders"],
  ["dataset-new", "datasets?new=true", "What a model should learn from it."],
  ["dataset", () => `datasets/${datasetId}`, "Where is 4711?"],
  ["dataset-peek", () => `datasets/${datasetId}?peek=${exampleId}`, "Message 2, Assistant"],
  ["dataset-filtered", () => `datasets/${datasetId}?q=nothingsaysthis`, "No Example matches"],
  ["dataset-overview", () => `datasets/${datasetId}?tab=overview`, "No input is in several splits"],
  ["dataset-settings", () => `datasets/${datasetId}?tab=settings`, "Review before adding"],
  ["example", () => `datasets/${datasetId}/examples/${exampleId}`, "Where it came from"],
  ["example-new", () => `datasets/${datasetId}/examples/new`, "Assigned by content by default"],
  ["training-unattached", "training", "Attach a trainer"],
  ["training-new-unattached", "training/new", "Attach a trainer"],
  ["checkpoints-unattached", "checkpoints", "Attach a trainer"],
  ["tuning-configs-unattached", "tuning-configs", "Attach a trainer"],
  ["trainers-unattached", "trainers", "Attach a trainer"],
  ["deployments-unattached", "deployments", "Attach a trainer"],
  ["playground-unattached", "playground", "Attach a trainer"],
  ["exports-unattached", "exports", "Attach a trainer"],
  ["lineage-unattached", "lineage", "Attach a trainer"],
  ["jobs", "jobs", "1 job failed with no retries left."],
  ["jobs-peek", () => `jobs?peek=${jobId}`, "and on it goes"],
  ["jobs-filtered", "jobs?state=waiting", "No job matches"],
  ["costs", "costs", "Numbers by day"],
  ["costs-vendor", "costs?by=vendor", "OpenAI"],
  ["costs-label", "costs?by=label", "No label"],
  ["costs-user", "costs?by=user", "User of the application"],
  ["costs-no-days", "costs?range=custom&from=0&to=86400000", "No model calls in this period"],
  ["charts", "charts", "Numbers by day"],
  ["charts-groups", "charts?measure=latency_p95&by=model", "Numbers by day"],
  ["charts-choose", "charts?measure=signal_share", "Choose a Signal"],
  ["charts-none", "charts?range=custom&from=0&to=86400000", "No conversations in this period"],
  ["prompts", "prompts", PROMPT],
  ["prompts-none", "prompts?q=nothingsaysthis", "No prompt matches"],
  ["prompt-new", "prompts?new=true", "Chat messages"],
  ["prompt-version", `prompts/${PROMPT}?peek=2`, "No call of these days names this version."],
  ["prompt-labels", `prompts/${PROMPT}?tab=labels`, "set to version 2"],
  ["prompt-read", `prompts/${PROMPT}?tab=read`, "With curl"],
  ["prompt-gone", "prompts/none", "Prompt not found"],
  ["gateway", "gateway", "an-alias"],
  ["gateway-peek", () => `gateway?peek=${aliasId}`, "Running at 10%"],
  ["gateway-budgets", "gateway-budgets", "Each user"],
  ["gateway-budget-peek", () => `gateway-budgets?peek=${budgetId}`, "Users today"],
  ["versions-none", "versions?range=custom&from=0&to=86400000", "No versions in this period"],
  ["alerts", "alerts", "Error rate of model calls"],
  ["alert-new", "alerts?new=true&measure=daily_cost&limit=1000", "Would not have fired in the last 14 days"],
  ["alert-peek", () => `alerts?peek=${alertId}`, "It has not fired."],
  ["variants", "variants", "System prompt"],
  ["variant", () => `variants/${variantId}`, "Nothing has been measured yet."],
  ["variant-new", () => `variants/new?from=${variantId}`, "Open this page from a Finding"],
  ["variant-new-of-finding", () => `variants/new?finding=${findingId}`, "It depends on what tools were asked"],
  ["fixes", "fixes", "Waiting"],
  ["fix", () => `fixes/${fixId}`, "No conversation has it yet."],
  ["fix-not-found", "fixes/fix_nothing", "Fix not found"],
  ["variant-not-found", "variants/var_nothing", "Variant not found"],
  ["prices", "prices", "claude-3-5-haiku"],
  ["prices-peek", "prices?q=gemini&peek=google:gemini-2.5-pro", "more than 200,000"],
  ["prices-filtered", "prices?q=nothing+of+the+kind", "No price matches"],
  ["price-edit", "prices/edit?base=google:gemini-2.5-pro", "Applies when"],
  ["price-new", "prices/edit", "Name a model to see"],
  ["repricing", "prices/repricings", "would change"],
  ["catalogue", "prices/catalogue", "In effect"],
  ["api-keys", "api-keys", "Default key"],
  ["send-a-trace", "send-a-trace", "Listening…"],
  ["integrations", "integrations", "Issues of the shop"],
  ["notifications", "integrations/notifications", "No notifications"],
  ["deliveries", "integrations/deliveries", "Nothing sent yet"],
  ["handoff-rules", "integrations/handoff-rules", "No handoff rules"],
  ["tracker-deliveries", "integrations/tracker-deliveries", "No delivery yet"],
  ["members", "members", /who.has.not.come.yet/],
  ["audit", "audit", "Changed the retention"],
  ["audit-open", () => `audit?open=${auditId}`, "400"],
  ["audit-filtered", "audit?target=nothing", "No changes match"],
  ["account", "account", "Signed-in browsers"],
  ["data", "data", "Delete a user’s data"],
  ["data-of-a-user", "data?user=user-of-failing", "deleted: no other conversation shows it"],
  ["data-of-a-long-id", () => `data?user=${encodeURIComponent(LONG_USER)}`, "Delete this user’s data…"],
  ["settings", "settings", "Diagnose conversations automatically"],
];

for (const looks of visits(LIGHT, DARK, LIGHT_PHONE)) {
  test.describe(titleOf(looks), () => {
    let page: Page;
    const elsewhere: string[] = [];
    const broken: string[] = [];
    test.beforeAll(async ({ browser }) => {
      page = await (await signedIn(browser, looks[0])).newPage();
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (/^https?:$/.test(url.protocol) && url.origin !== project.url) elsewhere.push(request.url());
      });
      page.on("pageerror", (error) => broken.push(error.message));
    });
    test.afterAll(() => page.context().close());

    for (const [name, path, shows] of SCREENS) {
      test(name, async () => {
        await page.goto(at(typeof path === "string" ? path : path()));
        await expect(seen(page, shows).first()).toBeVisible();
        await expectFitIn(page, looks, name);
        expect(elsewhere, "requests to other hosts").toEqual([]);
        expect(broken).toEqual([]);
      });
    }
  });
}

for (const looks of visits(DARK, LIGHT_PHONE)) {
  test(`every dialog about people fits and is accessible, ${titleOf(looks)}`, async ({ browser }) => {
    const context = await signedIn(browser, looks[0]);
    const page = await context.newPage();
    const dialog = page.getByRole("dialog");
    const expectDialog = async (name: string) => {
      await expect(dialog).toBeVisible();
      await expectFitIn(page, looks, `dialog ${name}`, "[role=dialog]");
    };
    const cancel = async () => {
      await dialog.getByRole("button", { name: /^(Cancel|Stay)$/ }).click();
      await expect(dialog).toBeHidden();
    };
    await page.goto(at("members"));
    await press(page.getByRole("button", { name: "Invite", exact: true }), dialog);
    await expectDialog("invite");
    await dialog.getByRole("button", { name: "Create invite link" }).click();
    await expect(dialog.getByTestId("link")).toContainText("/invite#token=");
    await expectDialog("invite-link");
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await expect(dialog).toBeHidden();
    for (const what of ["Password link…", "Remove…"]) {
      await page.getByRole("button", { name: `Actions for ${project.email}` }).click();
      await page.getByRole("menuitem", { name: what }).click();
      await expectDialog(what.slice(0, -1).replace(" ", "-").toLowerCase());
      await cancel();
    }
    await page.getByLabel(`Role of ${project.email}`).selectOption("viewer");
    await expectDialog("role");
    await dialog.getByRole("button", { name: "Make a viewer" }).click();
    await expect(dialog).toContainText("last owner");
    await expectDialog("refused");
    await cancel();
    await page.goto(at("account"));
    await press(page.getByRole("button", { name: "Leave the project…" }), dialog);
    await expectDialog("leave");
    await cancel();
    await context.close();
  });
}

for (const looks of visits(DARK, LIGHT_PHONE)) {
  test(`every dialog about data fits and is accessible, ${titleOf(looks)}`, async ({ browser }) => {
    const context = await signedIn(browser, looks[0]);
    const page = await context.newPage();
    const dialog = page.getByRole("dialog");
    const expectDialog = async (name: string, shows: string) => {
      await expect(dialog).toContainText(shows);
      await expectFitIn(page, looks, `dialog ${name}`, "[role=dialog]");
    };
    await page.goto(at(`data?deletion=${deletionId}`));
    await expectDialog("receipt", "nothing was found");
    await page.goto(at(`data?user=${encodeURIComponent(LONG_USER)}`));
    await press(page.getByRole("button", { name: "Delete this user’s data…" }), dialog);
    await expectDialog("delete-user", "Conversations");
    await page.goto(at("data"));
    await press(page.getByRole("button", { name: "Delete the project…" }), dialog);
    await expectDialog("delete-project", "Findings deleted");
    await page.goto(at(`conversations/${conversationId}`));
    await press(page.getByRole("button", { name: "Change labels" }), dialog);
    await expectDialog("labels", "Sent by the client: beta");
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(dialog).toHaveCount(0);
    const item = page.getByRole("menuitem", { name: "Delete conversation…" });
    await press(page.getByRole("button", { name: "More actions" }), item);
    await item.click();
    await expectDialog("delete-conversation", "Findings deleted");
    await context.close();
  });
}

for (const looks of visits(LIGHT, DARK_PHONE)) {
  test(`the Data page shows its empty and error states, ${titleOf(looks)}`, async ({ browser, baseURL }) => {
    const empty = await newProject(baseURL!);
    const context = await browser.newContext(contextIn(looks[0]!));
    const page = await context.newPage();
    await signIn(page, empty);
    await page.goto(`${baseURL}/p/${empty.projectId}/data`);
    await expect(seen(page, "Nothing deleted yet")).toBeVisible();
    await expectFitIn(page, looks, "data-empty");
    await page.goto(`${baseURL}/p/${empty.projectId}/data?user=nobody`);
    await expect(seen(page, /No conversation has this user ID/)).toBeVisible();
    await page.goto(`${baseURL}/p/${empty.projectId}/data?deletion=del_nobody`);
    await expect(page.getByRole("dialog")).toContainText("Deletion was not found.");

    await page.goto(`${baseURL}/p/${empty.projectId}/conversations`);
    const failure = {
      code: -32603,
      message: "Not just now.",
      data: { code: "SERVICE_UNAVAILABLE", httpStatus: 503, requestId: "req-3" },
    };
    await page.route("**/api/trpc/**", (route) => {
      const calls = new URL(route.request().url()).pathname.split("/").at(-1)!.split(",");
      return route.fulfill({ status: 503, json: calls.map(() => ({ error: failure })) });
    });
    // The server renders its own data from the database, without these routes; the browser requests the preview.
    await page.goto(`${baseURL}/p/${empty.projectId}/data?user=somebody`);
    await expect(page.getByText("req-3").first()).toBeVisible({ timeout: 20_000 });
    await expectFitIn(page, looks, "data-error");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Try again" }).first().click();
    await expect(seen(page, /No conversation has this user ID/)).toBeVisible();
    await context.close();
  });
}

for (const looks of visits({ ...DARK, width: 1280, height: 720 }, LIGHT_PHONE, DARK_PHONE)) {
  test(`the signed-out pages fit and are accessible, ${titleOf(looks)}`, async ({ browser, baseURL }) => {
    const context = await browser.newContext({ baseURL: baseURL!, ...contextIn(looks[0]!) });
    const page = await context.newPage();
    for (const [name, path, shows] of [
      ["sign-in", "/sign-in", "Sign in"],
      ["setup-used", "/setup#token=used", "Whetstone is already set up"],
      ["forgot", "/forgot", "Forgot your password?"],
      ["reset", resetLink, "Set a new password"],
      ["reset-closed", "/reset#token=used", "This link doesn’t work"],
      ["invite", inviteLink, "Join Journey"],
      ["invite-closed", "/invite#token=used", "This link doesn’t work"],
    ] as const) {
      await page.goto("about:blank");
      await page.goto(path);
      await expect(page.getByRole("heading", { name: shows })).toBeVisible();
      await expectLive(page);
      await expectFitIn(page, looks, name);
    }
    // Documents without a script.
    for (const [path, shows] of [
      [shareLink, "Conversations that show it most clearly"],
      ["/share/nothing", "This link leads nowhere"],
    ] as const) {
      await page.goto(path);
      await expect(page.getByRole("heading", { name: shows })).toBeVisible();
      for (const { scheme, width, height } of looks) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: scheme });
        await expectFit(page, `shared copy ${path} ${scheme} ${width}`);
      }
    }
    await context.close();
  });
}

test("a wrong password is refused, and signed-out visitors are redirected to sign-in", async ({ page }) => {
  await page.goto("/sign-in");
  await expectLive(page);
  await expectFit(page, "sign-in");
  await page.getByLabel("E-mail").fill("nobody@example.test");
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(seen(page, "Wrong e-mail address or password.")).toBeVisible();
  await expectFit(page, "sign-in-refused");
  await page.goto("/setup#token=used");
  await expect(seen(page, "Whetstone is already set up")).toBeVisible();
  await page.goto(at("conversations"));
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test("pages are readable before their script runs", async ({ browser }) => {
  const context = await signedIn(browser);
  const page = await context.newPage();
  await page.route("**/_next/static/**/*.js", (route) => route.abort());
  /** Without its script, no control ever works, so this does not wait for them. */
  const open = (path: string) => page.goto(at(path), { waitUntil: "commit" });
  await open("conversations");
  await expect(seen(page, "Can I return the jacket?")).toBeVisible();
  await open(`conversations/${conversationId}`);
  await expect(page.getByText("Where is my order 1042?").first()).toBeVisible();
  await open("findings");
  await expect(page.getByRole("link", { name: /get_order/ }).first()).toBeVisible();
  await open("members");
  await expect(page.getByRole("cell", { name: `${project.email} (you)` })).toBeVisible();
  await open("audit");
  await expect(page.getByRole("table", { name: "Audit log" }).getByText("Changed the retention").first()).toBeVisible();
  await open("costs");
  await expect(page.getByRole("row", { name: /acme-house-1/ })).toBeVisible();
  await open("account");
  await expect(page.getByRole("table", { name: "Activity" })).toContainText("Signed in");
  await context.close();
});

for (const scheme of ["light", "dark"] as const) {
  test(`controls that wait for the page's script are readable meanwhile, ${scheme}`, async ({ browser }) => {
    const signedOut = await browser.newContext(contextIn({ ...PHONE, scheme }));
    const inside = await signedIn(browser, { ...PHONE, scheme });
    for (const [context, path] of [
      [signedOut, "/sign-in"],
      [inside, at("members")],
      [inside, at("account")],
    ] as const) {
      const page = await context.newPage();
      await page.route("**/_next/static/**/*.js", (route) => route.abort());
      // Without their script, controls never work, so this does not wait for them.
      await page.goto(path, { waitUntil: "commit" });
      await page.waitForLoadState();
      const waiting = page.locator(":is(button, select):disabled");
      await expect(waiting.first()).toBeVisible();
      // axe skips the contrast of disabled controls, so they are enabled while keeping the disabled look.
      await waiting.evaluateAll((all) => {
        for (const one of all) {
          one.setAttribute("data-disabled", "true");
          one.removeAttribute("disabled");
        }
      });
      await expectFit(
        page,
        `${path} before its script`,
        undefined,
        scheme === "light" || isLong ? undefined : ["colours"],
      );
    }
    await signedOut.close();
    await inside.close();
  });
}

test.describe("states", () => {
  test("empty and filtered-out lists have a message", async ({ browser, baseURL }) => {
    const empty = await newProject(baseURL!);
    const context = await browser.newContext();
    const page = await context.newPage();
    await signIn(page, empty);
    for (const [path, says] of [
      ["conversations", "No conversations yet"],
      ["findings", "No Findings yet: no conversations to check"],
      ["rule-runs", "No Rule Runs yet"],
      ["datasets", "No Datasets yet"],
      ["jobs?state=failed", "No failed jobs"],
      ["costs", "No costs yet"],
    ] as const) {
      await page.goto(`${baseURL}/p/${empty.projectId}/${path}`);
      await expect(seen(page, says)).toBeVisible();
      await expectFit(page, `empty-${path.replace(/\W.*/, "")}`);
    }
    await context.close();

    const filtered = await signedIn(browser);
    const list = await filtered.newPage();
    await list.goto(at("conversations?q=nothingsaysthis"));
    await expect(seen(list, "No conversation matches")).toBeVisible();
    await expectFit(list, "empty-by-filter");
    await list.getByRole("button", { name: "Clear search and filters" }).click();
    await expect(seen(list, "Can I return the jacket?")).toBeVisible();
    await filtered.close();
  });

  test("loading, stale data and a failure with its request id are shown", async ({ browser }) => {
    const context = await signedIn(browser);
    const page = await context.newPage();
    await page.goto(at("conversations"));
    await expect(seen(page, "Can I return the jacket?")).toBeVisible();

    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/trpc/**conversations.get**", async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("link", { name: "Can I return the jacket?" }).press("Space");
    await expect(page.getByRole("status", { name: "Loading the conversation" })).toBeVisible();
    await expectFit(page, "loading");
    release();
    await expect(seen(page, "Yes, within 30 days.")).toBeVisible();
    await page.unrouteAll({ behavior: "ignoreErrors" });

    const failure = {
      code: -32603,
      message: "Not just now.",
      data: { code: "SERVICE_UNAVAILABLE", httpStatus: 503, requestId: "req-1" },
    };
    await page.route("**/api/trpc/**", (route) => {
      const calls = new URL(route.request().url()).pathname.split("/").at(-1)!.split(",");
      return route.fulfill({ status: 503, json: calls.map(() => ({ error: failure })) });
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect(seen(page, /Showing data from/)).toBeVisible({ timeout: 20_000 });
    await expectFit(page, "stale");
    await page.getByLabel("Search messages and IDs").fill("jacket");
    await expect(page.getByText("req-1").first()).toBeVisible({ timeout: 20_000 });
    await expectFit(page, "error");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Try again" }).first().click();
    await expect(page.getByRole("link", { name: "Can I return the jacket?" })).toBeVisible();
    await context.close();
  });
});

for (const { path, there, provoke } of [
  {
    path: "audit",
    there: (page: Page) => page.getByRole("table", { name: "Audit log" }).getByText("Changed the retention").first(),
    provoke: (page: Page) => page.getByLabel("About").selectOption("retention"),
  },
  {
    path: "costs",
    there: (page: Page) => page.getByRole("table", { name: "Costs", exact: true }),
    provoke: (page: Page) => page.getByText("Vendor", { exact: true }).click(),
  },
  {
    path: "jobs",
    there: (page: Page) => page.getByRole("link", { name: "Execute Rule Runs" }).first(),
    provoke: (page: Page) => page.getByLabel("Function").selectOption("Execute Rule Runs"),
  },
]) {
  test(`the page ${path} shows an error message, and loads after a retry`, async ({ browser }) => {
    const context = await signedIn(browser);
    const page = await context.newPage();
    await page.goto(at(path));
    await expect(there(page)).toBeVisible();
    const failure = {
      code: -32603,
      message: "Not just now.",
      data: { code: "SERVICE_UNAVAILABLE", httpStatus: 503, requestId: "req-2" },
    };
    await page.route("**/api/trpc/**", (route) => {
      const calls = new URL(route.request().url()).pathname.split("/").at(-1)!.split(",");
      return route.fulfill({ status: 503, json: calls.map(() => ({ error: failure })) });
    });
    await expect(async () => {
      await provoke(page);
      await expect(page.getByText("req-2").first()).toBeVisible({ timeout: 8000 });
    }).toPass({ timeout: 30_000 });
    await expectFit(page, `${path}-error`);
    const again = page.getByRole("button", { name: "Try again" });
    await expect(again).toBeVisible();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    // A page that refreshes itself may recover before the click.
    await again.click({ timeout: 5000 }).catch(() => {});
    await expect(there(page)).toBeVisible();
    await context.close();
  });
}

test("another project's data is not accessible", async ({ browser, baseURL }) => {
  const other = await newProject(baseURL!);
  const context = await signedIn(browser);
  const page = await context.newPage();
  const reply = await page.goto(`${baseURL}/p/${other.projectId}/conversations`);
  expect(reply?.status()).toBe(404);
  await page.goto(at("conversations/conv_nobody"));
  await expect(seen(page, "Conversation was not found.")).toBeVisible();
  await context.close();
});
