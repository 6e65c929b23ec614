import type { Browser, BrowserContext, Page } from "@playwright/test";
import AxeBuilder from "@axe-core/playwright";
import { writeFileSync } from "node:fs";
import { storeCandidate } from "./support/candidates";
import { storeJob } from "./support/jobs";
import { press } from "./support/press";
import { newProject, type TestProject } from "./support/project";
import { runningDatabase } from "./support/running-database";
import { seed, type Talk } from "./support/seed";
import { seen } from "./support/seen";
import { signIn } from "./support/sign-in";
import { expectSound } from "./support/sound";
import { expect, test } from "./support/test";

// Split into as many parts as there are workers, each with its own project, since this is a third of all browser tests.


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
const LOOKS = [
  { scheme: "light", width: 1440, height: 900 },
  { scheme: "dark", width: 1440, height: 900 },
  { scheme: "light", width: 390, height: 844 },
] as const;
type Look = { scheme: "light" | "dark"; width: number; height: number };
const PHONE = { width: 390, height: 844 };

let project: TestProject;
let state: Awaited<ReturnType<BrowserContext["storageState"]>>;
let conversationId: string;
let findingId: string;
let auditId: string;
let datasetId: string;
let exampleId: string;
let jobId: string;
let goalId: string;
let deletionId: string;
let resetLink: string;
let inviteLink: string;

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

const signedIn = (browser: Browser, look: Look = LOOKS[0]) =>
  browser.newContext({
    storageState: state,
    viewport: { width: look.width, height: look.height },
    colorScheme: look.scheme,
    reducedMotion: "reduce",
  });
const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;

async function expectFit(page: Page, name: string, within?: string) {
  // A tooltip that happens to be open is not part of the screen.
  await page.mouse.move(0, 0);
  await expectSound(page, name, within);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(sideways, `${name} scrolls sideways`).toBeLessThanOrEqual(1);
}

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
  ["training-run-unattached", "training/job_nothing", "Attach a trainer"],
  ["checkpoints-unattached", "checkpoints", "Attach a trainer"],
  ["tuning-configs-unattached", "tuning-configs", "Attach a trainer"],
  ["trainers-unattached", "trainers", "Attach a trainer"],
  ["checkpoint-unattached", "checkpoints/ckpt_nothing", "Attach a trainer"],
  ["deployments-unattached", "deployments", "Attach a trainer"],
  ["deployment-unattached", "deployments/dep_nothing", "Attach a trainer"],
  ["playground-unattached", "playground", "Attach a trainer"],
  ["exports-unattached", "exports", "Attach a trainer"],
  ["lineage-unattached", "lineage", "Attach a trainer"],
  ["lineage-of-a-model-unattached", "lineage/Qwen%2FQwen3-0.6B", "Attach a trainer"],
  ["jobs", "jobs", "1 job failed with no retries left."],
  ["jobs-peek", () => `jobs?peek=${jobId}`, "and on it goes"],
  ["jobs-filtered", "jobs?state=waiting", "No job matches"],
  ["costs", "costs", "Numbers by day"],
  ["costs-vendor", "costs?by=vendor", "OpenAI"],
  ["costs-label", "costs?by=label", "No label"],
  ["costs-user", "costs?by=user", "User of the application"],
  ["costs-no-days", "costs?range=custom&from=0&to=86400000", "No model calls in this period"],
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

test("profile", async ({ browser }) => {
  test.setTimeout(900_000);
  const page = await (await signedIn(browser)).newPage();
  const rows: any[] = []; const rules: Record<string, number> = {};
  for (const [name, path, shows] of SCREENS.filter((_, n) => n % 3 === 0)) {
    const r: any = { name };
    const t = async <T>(k: string, f: () => Promise<T>) => { const s = performance.now(); const v = await f(); r[k] = Math.round(performance.now() - s); return v; };
    await t("goto", () => page.goto(at(typeof path === "string" ? path : path())));
    await t("shown", () => expect(seen(page, shows).first()).toBeVisible());
    await t("settled", () => page.evaluate(async () => { await new Promise((p) => requestAnimationFrame(() => requestAnimationFrame(p))); }));
    const a = await t("axe", () => new AxeBuilder({ page }).analyze());
    const b = await t("legacy", () => { const x = new AxeBuilder({ page }); x.setLegacyMode(true); return x.analyze(); });
    const c = await t("violations", () => { const x = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }); x.setLegacyMode(true); return x.analyze(); });
    r.same = JSON.stringify([a.violations.length, b.violations.length, c.violations.length, a.passes.length, b.passes.length, c.passes.length]);
    await t("inject0", () => page.evaluate(`typeof window.axe`));
    await t("run", () => page.evaluate(async () => { const v = await (window as any).axe.run(document, { resultTypes: ["violations"] }); return v.violations.length; }));
    await t("runNoContrast", () => page.evaluate(async () => { const v = await (window as any).axe.run(document, { resultTypes: ["violations"], rules: { "color-contrast": { enabled: false } } }); return v.violations.length; }));
    await t("contrast", () => page.evaluate(async () => { const v = await (window as any).axe.run(document, { resultTypes: ["violations"], runOnly: { type: "rule", values: ["color-contrast"] } }); return v.violations.length; }));
    const m = await page.evaluate(async () => { performance.clearMeasures(); await (window as any).axe.run(document, { resultTypes: ["violations"], performanceTimer: true }); return performance.getEntriesByType("measure").map((e) => [e.name, e.duration] as const); });
    for (const [n, d] of m) rules[n] = (rules[n] ?? 0) + d;
    r.nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    rows.push(r);
  }
  writeFileSync("/tmp/h2/profile.json", JSON.stringify({ rows, rules }, null, 1));
});
