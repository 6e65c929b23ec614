import type { Page } from "@playwright/test";
import { signIn } from "../e2e/support/sign-in";
import type { TestProject } from "../testbed/data/project";
import { attribute } from "../testbed/product/known-load";
import { inBrowser, sendSpans } from "./lib/in-browser";
import { bound, machine, percentile } from "./lib/machine";

/**
 * Run by `npm run bench -- interactions` on a finished build: measures Interaction to Next Paint in a list of 10,000
 * conversations, all of them loaded. What counts is the longest event of an interaction (Event Timing), as in web-vitals.
 */
const CONVERSATIONS = 10_000;
const TIMES = 20;
const BOUND_MS = 200;
/** The browser does not report shorter events. */
const REPORTED_FROM_MS = 16;
const MODELS = ["gpt-4o", "gpt-4o-mini", "acme-1"];

const text = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: "text", content }] }]);

function call(n: number, startMs: number) {
  const at = startMs + n * 1000;
  return {
    traceId: (n + 1).toString(16).padStart(32, "0"),
    spanId: (n + 1).toString(16).padStart(16, "0"),
    name: "chat",
    kind: 1,
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + 300 + (n % 900)}000000`,
    attributes: [
      attribute("gen_ai.conversation.id", `talk-${n}`),
      attribute("user.id", `user-${n % 300}`),
      attribute("gen_ai.operation.name", "chat"),
      attribute("gen_ai.request.model", MODELS[n % MODELS.length]!),
      attribute("gen_ai.response.model", MODELS[n % MODELS.length]!),
      attribute("gen_ai.usage.input_tokens", 100 + (n % 700)),
      attribute("gen_ai.usage.output_tokens", 20 + (n % 90)),
      attribute("gen_ai.input.messages", text("user", `Question ${n}: where is my parcel, and when does it arrive?`)),
      attribute("gen_ai.output.messages", text("assistant", `Answer ${n}: it is on its way.`)),
      attribute("tag.tags", JSON.stringify([`region-${n % 12}`])),
    ],
    status: n % 7 === 0 ? { code: 2, message: "the carrier did not answer" } : { code: 0 },
  };
}

function fill(project: TestProject) {
  const startMs = Date.now() - CONVERSATIONS * 1000 - 60_000;
  return sendSpans(project, {
    count: CONVERSATIONS,
    span: (n) => call(n, startMs),
    readable: async () => ((await project.read("conversation-count")) as unknown as { count: number }).count,
    expected: CONVERSATIONS,
  });
}

/** Records the longest event of each interaction. A string, because tsx rewrites functions. */
const NOTE_INTERACTIONS = `window.interactions = new Map();
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries())
    if (interactionId) window.interactions.set(interactionId, Math.max(duration, window.interactions.get(interactionId) ?? 0));
}).observe({ type: "event", durationThreshold: ${REPORTED_FROM_MS}, buffered: true });`;

/** Time for the entries of an interaction to arrive after its paint. */
const ENTRIES_MS = 150;
const settled = (page: Page) =>
  page.evaluate(`new Promise((done) => requestAnimationFrame(() => setTimeout(done, ${ENTRIES_MS})))`);
const taken = (page: Page) =>
  page.evaluate<number[]>(
    `(() => { const all = [...window.interactions.values()]; window.interactions.clear(); return all; })()`,
  );

/** Loads every page of the list by repeatedly going to its last row. */
async function loadAll(page: Page) {
  const all = page.getByText(`${CONVERSATIONS.toLocaleString("en")} conversations`, { exact: true });
  await page.locator("[data-row]").first().focus();
  const until = Date.now() + 300_000;
  while (!(await all.isVisible())) {
    if (Date.now() > until) throw new Error("The list did not load in time.");
    await page.keyboard.press("End");
    await page.waitForTimeout(50);
  }
  await page.waitForLoadState("networkidle");
  await page.keyboard.press("Home");
}

console.log(`Interactions in a list of ${CONVERSATIONS.toLocaleString("en")} conversations on ${machine()}`);
await inBrowser(async (browser, project) => {
  await fill(project);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(NOTE_INTERACTIONS);
  await signIn(page, project);
  await page.goto(`${project.url}/p/${project.projectId}/conversations`);
  await page.waitForLoadState("networkidle");
  const startedAt = performance.now();
  await loadAll(page);
  console.log(`all rows loaded after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);

  const row = page.locator("[data-row]");
  const press = (key: string) => () => page.keyboard.press(key);
  const facet = page.getByRole("button", { name: /^With errors/ });
  const search = page.getByLabel("Search messages and ids");
  const column = page.getByRole("columnheader", { name: /^Cost/ }).getByRole("button");
  /** Acts that are repeated in turn: the measured one, then one that makes it possible again and is measured too. */
  const kinds: [what: string, ...acts: (() => Promise<unknown>)[]][] = [
    ["row by row (j)", press("j")],
    ["open and close next to the list (Space, Escape)", press("Space"), press("Escape")],
    ["row by row beside the open one (Space, j, Escape)", press("Space"), press("j"), press("Escape")],
    ["select a row (x)", press("x")],
    ["select all (Ctrl A, Escape)", press("ControlOrMeta+a"), press("Escape")],
    ["filter by a facet, and not", () => facet.click()],
    ["search, character by character", () => search.press("p"), () => search.press("Backspace")],
    ["sort by a column", () => column.click()],
  ];
  for (const [what, ...acts] of kinds) {
    if (!what.startsWith("filter") && !what.startsWith("search") && !what.startsWith("sort")) await row.first().focus();
    await settled(page);
    await taken(page);
    for (let n = 0; n < TIMES; n++) {
      for (const act of acts) {
        await act();
        await settled(page);
      }
    }
    const times = await taken(page);
    // Interactions that were not reported were shorter than REPORTED_FROM_MS.
    while (times.length < TIMES * acts.length) times.push(REPORTED_FROM_MS);
    const [p50, most] = [percentile(times, 0.5), percentile(times, 1)];
    bound(what, most <= BOUND_MS, `${p50.toFixed(0)} ms median, ${most.toFixed(0)} ms at most of ${times.length}`);
  }
});
