import type { Browser, BrowserContext, Page } from "@playwright/test";
import { isLong } from "../../scripts/lib/testing/amounts.mjs";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { contextIn, DARK_PHONE, expectFit, LIGHT, type Look, showAs } from "../support/looks";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import type { Part } from "../support/sound";
import { expect, test } from "../support/test";

/** Every page of the navigation: reachable from it, titled, fitting the screen, and readable before its script runs. */

type Place = {
  label: string;
  path: string;
  /** Its heading and title, if not the label. */
  heading?: string;
  /** What it shows besides its heading in a project with one conversation and no trainer. */
  shows: string | RegExp;
  /** The same in an empty project, if it differs. */
  empty?: string | RegExp;
};
const NAVIGATION: readonly Place[] = [
  { label: "Home", path: "", shows: "Needs you", empty: "Listening…" },
  { label: "Conversations", path: "conversations", shows: "Where is my order?", empty: "No conversations yet" },
  { label: "Findings", path: "findings", shows: /get_order/, empty: /^No Findings yet/ },
  { label: "Costs", path: "costs", shows: "Numbers by day", empty: "No costs yet" },
  { label: "Charts", path: "charts", shows: "Numbers by day", empty: "No conversations in this period" },
  { label: "Versions", path: "versions", shows: /versions? in this period/ },
  { label: "Alerts", path: "alerts", shows: "No alerts yet" },
  { label: "Datasets", path: "datasets", shows: "No Datasets yet" },
  { label: "Review", path: "review", shows: "No candidate is waiting" },
  { label: "Training", path: "training", shows: "Attach a trainer" },
  { label: "Before/after", path: "evaluations", shows: "Nothing compared yet" },
  { label: "Deployments", path: "deployments", shows: "Attach a trainer" },
  { label: "Prompts", path: "prompts", shows: "No prompts yet" },
  { label: "Gateway", path: "gateway", shows: "No aliases yet" },
  { label: "Playground", path: "playground", shows: "Attach a trainer" },
  { label: "Exports", path: "exports", shows: "Attach a trainer" },
  { label: "Rules", path: "rules", shows: "Tool failure" },
  { label: "Send a trace", path: "send-a-trace", shows: "Listening…" },
  { label: "Settings", path: "settings", shows: "Diagnose conversations automatically" },
];
/** The tabs of each section, by the label of its entry. The first is the page of the entry. */
const SECTIONS: Readonly<Record<string, readonly Place[]>> = {
  Datasets: [
    { label: "Datasets", path: "datasets", shows: "No Datasets yet" },
    { label: "Knowledge goals", path: "knowledge-goals", shows: "No knowledge goals yet" },
  ],
  Training: [
    { label: "Runs", path: "training", heading: "Training", shows: "Attach a trainer" },
    { label: "Configurations", path: "tuning-configs", heading: "Tuning configurations", shows: "Attach a trainer" },
    { label: "Checkpoints", path: "checkpoints", shows: "Attach a trainer" },
    { label: "Lineage", path: "lineage", shows: "Attach a trainer" },
    { label: "Trainers", path: "trainers", shows: "Attach a trainer" },
  ],
  "Before/after": [
    { label: "Comparisons", path: "evaluations", heading: "Before/after", shows: "Nothing compared yet" },
    { label: "Variants", path: "variants", shows: "No variants yet" },
    { label: "Fixes", path: "fixes", shows: "No fix has gone out yet" },
  ],
  Gateway: [
    { label: "Aliases", path: "gateway", heading: "Gateway", shows: "No aliases yet" },
    { label: "Budgets", path: "gateway-budgets", heading: "Gateway budgets", shows: "No budgets yet" },
  ],
  Rules: [
    { label: "Rules", path: "rules", shows: "Tool failure" },
    { label: "Runs", path: "rule-runs", heading: "Rule Runs", shows: /completed/i, empty: "No Rule Runs yet" },
    { label: "Backfills", path: "backfills", shows: "No backfills yet" },
  ],
  Settings: [
    { label: "General", path: "settings", heading: "Settings", shows: "Diagnose conversations automatically" },
    { label: "Members", path: "members", shows: /\(you\)/ },
    { label: "API keys", path: "api-keys", shows: "Default key" },
    { label: "Integrations", path: "integrations", shows: "No connections" },
    { label: "Prices", path: "prices", shows: "claude-3-5-haiku" },
    { label: "Data", path: "data", shows: "Delete a user’s data" },
    { label: "Audit log", path: "audit", shows: "Created the project" },
    // Hourly housekeeping also includes projects without data.
    { label: "Jobs", path: "jobs", shows: "Execute Rule Runs", empty: /No jobs yet|Delete expired data/ },
  ],
};
const EVERY_PAGE = [...NAVIGATION, ...Object.values(SECTIONS).flatMap((tabs) => tabs.slice(1))];

let project: TestProject;
let state: Awaited<ReturnType<BrowserContext["storageState"]>>;

test.beforeAll(async ({ browser, baseURL }) => {
  test.setTimeout(180_000);
  project = await newProject(baseURL!);
  await seed(project, [
    { id: "one", model: "gpt-4o", ask: "Where is my order?", answer: "I cannot find it.", failingTool: true },
  ]);
  const context = await browser.newContext();
  await signIn(await context.newPage(), project);
  state = await context.storageState();
  await context.close();
});

const hrefOf = (path: string) => `/p/${project.projectId}${path && `/${path}`}`;
const contextAt = (browser: Browser, look: Look) =>
  browser.newContext({ storageState: state, ...contextIn(look), baseURL: project.url });

async function expectPlace(page: Page, { label, path, heading = label, shows }: Place, look: Look) {
  await expect(page).toHaveURL(new RegExp(`${hrefOf(path)}$`));
  await expect(page.getByRole("heading", { level: 1, name: heading, exact: true })).toBeVisible();
  await expect(page).toHaveTitle(`${heading} · Whetstone`);
  await expect(seen(page, shows).first()).toBeVisible();
  // `screens.spec.ts` checks the colours of the same pages in dark.
  const parts: Part[] = look.scheme === "light" || isLong ? ["colours", "structure"] : ["structure"];
  await expectFit(page, `${label} at ${look.width} px`, undefined, parts);
}

for (const look of [LIGHT, DARK_PHONE]) {
  test(`every page is reached from the navigation at ${look.width} px`, async ({ browser }) => {
    test.setTimeout(300_000);
    const context = await contextAt(browser, look);
    const page = await context.newPage();
    const isPhone = look === DARK_PHONE;
    const menu = page.getByRole("button", { name: "Open menu" });
    const nav = page.getByRole("navigation", { name: "Workbench" });
    await page.goto(hrefOf("account"));
    if (isPhone) await expect(nav).toBeHidden();

    if (isPhone) await menu.click();
    const links = nav.locator("ul a");
    await expect(links).toHaveCount(NAVIGATION.length);
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual(
      NAVIGATION.map(({ path }) => hrefOf(path)),
    );
    for (const place of NAVIGATION) {
      if (isPhone && !(await nav.isVisible())) await menu.click();
      await nav.locator(`ul a[href="${hrefOf(place.path)}"]`).click();
      await expectPlace(page, place, look);
      // The menu closes once an entry has been chosen.
      if (isPhone) await expect(nav).toBeHidden();
      else await expect(nav.locator('[aria-current="page"]')).toHaveAttribute("href", hrefOf(place.path));
    }
    for (const [name, tabs] of Object.entries(SECTIONS)) {
      await page.goto(hrefOf(tabs[0]!.path));
      const section = page.getByRole("navigation", { name, exact: true });
      await expect(section.getByRole("link")).toHaveText(tabs.map(({ label }) => label));
      for (const tab of tabs.slice(1)) {
        await section.getByRole("link", { name: tab.label, exact: true }).click();
        await expectPlace(page, tab, look);
        await expect(section.locator('[aria-current="page"]')).toHaveText(tab.label);
        if (!isPhone) {
          await expect(nav.locator('[aria-current="page"]')).toHaveAttribute("href", hrefOf(tabs[0]!.path));
        }
      }
    }
    await context.close();
  });
}

/** Visits pages whose scripts never run: their controls never work, so nothing waits for those. */
async function expectServed(context: BrowserContext, projectId: string, places: readonly Place[]) {
  const page = await context.newPage();
  await page.route("**/_next/static/**/*.js", (route) => route.abort());
  for (const { label, path, heading = label, shows } of places) {
    await page.goto(`/p/${projectId}/${path}`, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1, name: heading, exact: true }), label).toBeVisible();
    await expect(seen(page.locator("#content"), shows).first(), label).toBeVisible();
  }
  await context.close();
}

test("every page is served with its content before its script runs", async ({ browser }) => {
  test.setTimeout(180_000);
  await expectServed(await contextAt(browser, LIGHT), project.projectId, EVERY_PAGE);
});

test("every page of an empty project is served with its empty state before its script runs", async ({ browser }) => {
  test.setTimeout(180_000);
  const nothing = await newProject(project.url);
  const context = await browser.newContext({ baseURL: project.url });
  await signIn(await context.newPage(), nothing);
  await expectServed(
    context,
    nothing.projectId,
    EVERY_PAGE.map(({ empty, ...place }) => ({ ...place, shows: empty ?? place.shows })),
  );
});

test("settings, and how to send a trace, are in view on a screen 900 px high, whatever is above them", async ({
  browser,
}) => {
  const context = await contextAt(browser, LIGHT);
  const page = await context.newPage();
  await page.goto(hrefOf(""));
  const nav = page.getByRole("navigation", { name: "Workbench" });
  for (const height of [LIGHT.height, 560]) {
    await page.setViewportSize({ width: LIGHT.width, height });
    for (const label of ["Send a trace", "Settings"]) {
      await expect(nav.getByRole("link", { name: label })).toBeInViewport({ ratio: 1 });
    }
  }
  await page.setViewportSize({ width: LIGHT.width, height: LIGHT.height });
  const [first, last] = [nav.getByRole("link", { name: "Home" }), nav.getByRole("link", { name: "Exports" })];
  await expect(first).toBeInViewport({ ratio: 1 });
  await expect(last).toBeInViewport({ ratio: 1 });
  await context.close();
});

test("the previous page stays visible, with a progress bar, until a slow page has loaded", async ({ browser }) => {
  const context = await contextAt(browser, LIGHT);
  const page = await context.newPage();
  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
  const bar = page.getByRole("progressbar", { name: "Loading page" });
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.goto(hrefOf("conversations"));
  await expect(heading("Conversations")).toBeVisible();
  await page.route(/\/findings\?.*_rsc=/, async (route) => {
    await held;
    await route.continue();
  });
  await page
    .getByRole("navigation", { name: "Workbench" })
    .getByRole("link", { name: /^Findings/ })
    .click();
  await expect(bar).toBeVisible();
  await expect(heading("Conversations")).toBeVisible();
  await expect(seen(page, "Where is my order?").first()).toBeVisible();
  arrive();
  await expect(heading("Findings")).toBeVisible();
  await expect(bar).toBeHidden();
  await page.goBack();
  await expect(heading("Conversations")).toBeVisible();
  await expect(bar).toBeHidden();
  await context.close();
});

test("the API reference is searched over all areas, and links to its former single page lead to the right one", async ({
  page,
}) => {
  await page.goto("/docs");
  const searched = page.getByRole("searchbox", { name: "Search operations" });
  const operation = page.getByRole("link", { name: /^GET \/projects\/\{projectId\}\/audit-log$/i });
  await expect(operation).toBeVisible();
  await expect(async () => {
    await searched.fill("audit actor");
    await expect(page.getByRole("heading", { level: 2, name: "Findings", exact: true })).toBeHidden({ timeout: 500 });
  }).toPass();
  await expect(operation).toBeVisible();
  await expectFit(page, "the API reference");
  await operation.click();
  await expect(page).toHaveURL(/\/docs\/audit-log#audit\.list$/);
  await expect(page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  await showAs(page, DARK_PHONE);
  await expectFit(page, "an area of the API reference");
  await searched.fill("alerts");
  await searched.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: /^\d{1,2} operations$/ })).toBeVisible();
  await page.goto("about:blank");
  await page.goto("/docs#audit.list");
  await expect(page).toHaveURL(/\/docs\/audit-log#audit\.list$/);
  await page.goto("/docs#problem-invalid");
  await expect(page.getByText("The request is not valid", { exact: false }).first()).toBeVisible();
  await expect(page).toHaveURL(/\/docs#problem-invalid$/);
});
