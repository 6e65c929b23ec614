import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { isLong } from "../../scripts/lib/testing/amounts.mjs";
import { cli, newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { storeJob } from "../../testbed/product/jobs";
import { runningDatabase } from "../../testbed/product/running-database";
import { LISTS, type List } from "../support/lists";
import { PHONE } from "../support/looks";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expectSettled } from "../support/sound";
import { expect, test } from "../support/test";

/** One suite for every list: the same keys, selection, order, columns and URL, on a desktop and on a phone. */

/** Between looks at what follows within a moment. */
const SOON = [20, 50, 100];
const DATA_DIR = process.env.E2E_DATA_DIR ?? "";

let project: TestProject;
let page: Page;
let findingId: string;
let datasetId: string;

test.beforeAll(async ({ browser, baseURL }) => {
  test.setTimeout(240_000);
  project = await newProject(baseURL!);
  cli(DATA_DIR, "user", "rights", "--email", project.email, "--installation-owner", "on");
  await seed(project, [
    { id: "first", model: "gpt-4o-mini", ask: "The first question", answer: "An answer.", turns: 3 },
    { id: "second", model: "gpt-4o", ask: "The second question", answer: "I cannot.", failingTool: true },
    { id: "third", model: "gpt-4o", ask: "The third question", answer: "I cannot.", failingTool: "book_room" },
    { id: "fourth", model: "gpt-4o-mini", ask: "The fourth question", answer: "An answer." },
  ]);
  const { findings } = (await project.read("diagnostics/findings")) as unknown as { findings: { id: string }[] };
  findingId = findings[0]!.id;
  for (const capability of ["diagnostics:read", "telemetry:write"] as const) await project.newKey(capability);
  page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  await signIn(page, project);
  const send = async (path: string, data: object, key?: string) => {
    const reply = await page.request.post(`${baseURL}/v1/projects/${project.projectId}/${path}`, {
      headers: key === undefined ? { origin: baseURL! } : { authorization: `Bearer ${key}` },
      data,
    });
    expect(reply.ok(), `${path}: ${reply.status()} ${await reply.text()}`).toBe(true);
    return reply.json();
  };
  for (const email of ["b@example.test", "a@example.test"]) await send("invitations", { email });
  for (const name of ["Tracker B", "Tracker A"]) await send("connections", { kind: "github", name });
  for (const title of ["Refunds", "Opening hours"])
    await send("knowledge-goals", { title, keyPhrases: [`${title} of the shop`] });
  for (const userId of ["nobody", "nobody-else"]) await send("deletions", { userId });
  for (const rule of ["tool-failure", "agent-loop"]) {
    await send(`diagnostics/rules/${rule}/backfills`, { startMs: 0, endMs: Date.now(), maxConversations: 10 });
  }
  for (const name of ["Refunds", "Deliveries"]) await send("datasets", { name });
  const { datasets } = (await project.read("datasets")) as unknown as { datasets: { id: string }[] };
  datasetId = datasets[0]!.id;
  const example = (content: string) => ({
    payload: {
      input: { type: "chat", messages: [{ role: "user", content }] },
      expectedOutput: { type: "chat_message", message: { role: "assistant", content: `About “${content}”: yes.` } },
    },
  });
  for (const content of ["Where is it?", "Can I return it?"]) {
    await send(`datasets/${datasetId}/examples`, example(content));
  }
  // By another key, and therefore in another version.
  await send(`datasets/${datasetId}/examples`, example("Who pays?"), await project.newKey("models:manage"));
  const enabled = await page.request.patch(`${baseURL}/v1/projects/${project.projectId}/share-link-settings`, {
    headers: { origin: baseURL! },
    data: { enabled: true },
  });
  expect(enabled.ok()).toBe(true);
  for (const days of [1, 7]) await send("share-links", { findingId, days });
  for (const value of ["shop 2.4.0", "shop 2.5.0"])
    await send(`diagnostics/findings/${findingId}/fixes`, { by: "version", value });
  for (const measure of ["error_rate", "latency_p95"]) {
    await send("alerts", { name: `Too high: ${measure}`, measure, limit: 0.5 });
  }
  for (const name of ["refund", "greeting"])
    await send("prompts", { name, content: "Be kind.", labels: ["production"] });
  await send("prompts/refund/versions", { content: "Be brief." });
  await storeVariants(send, ["Ask first", "Be brief"]);
  for (const name of ["fast", "careful"])
    await send("gateway-aliases", { name, targets: [{ deployment: "shop-agent" }] });
  for (const scope of ["project", "user"]) await send("gateway-budgets", { scope, dailyUsd: 20 });
  await send("repricings", { from: 0, to: Date.now() });
  const sql = runningDatabase();
  const error = { name: "Error", message: "The provider did not answer." };
  for (const state of ["failed", "failed", "completed"] as const) {
    await storeJob(sql, project.projectId, { state, ...(state === "failed" ? { error } : {}) });
  }
  await sql.end();
});
test.afterAll(() => page.context().close());

type Send = (path: string, data: object) => Promise<{ connection: { id: string } }>;

/** Stores variants of what a connected model is sent. */
async function storeVariants(send: Send, names: readonly string[]) {
  const model = { kind: "model", name: "A provider", baseUrl: "http://127.0.0.1:9/v1" };
  const { connection } = await send("connections", model);
  for (const name of names) await send("variants", { name, connectionId: connection.id, model: "gpt-5-mini" });
}

const at = (path: string) =>
  `${project.url}/p/${project.projectId}/${path.replace("{finding}", findingId).replace("{dataset}", datasetId)}`;
const tableOf = (name: string) => page.getByRole("table", { name, exact: true });
/** The rows between which the keys move. */
const rowsOf = (name: string) => tableOf(name).locator("[data-row]");
const inUrl = (name: string) => new URL(page.url()).searchParams.get(name);

/** A page is shown before the script that handles keys runs: a person who sees nothing happen would press again. */
const pressUntil = (key: string, happened: () => Promise<void>) =>
  expect(async () => {
    await page.keyboard.press(key);
    await happened();
  }).toPass({ timeout: 30_000 });

const holdsFocus = (row: Locator) =>
  expect.poll(() => row.evaluate((one) => one === document.activeElement || one.contains(document.activeElement)), {
    intervals: SOON,
  });

async function expectFocusMoves({ name, second }: List) {
  const rows = rowsOf(name);
  const many = (await rows.count()) > 1;
  if (!second) await pressUntil("k", () => expect(rows.first()).toBeFocused({ timeout: 1000 }));
  await expect(async () => {
    await rows.first().focus();
    await page.keyboard.press("j");
    await expect(rows.nth(many ? 1 : 0)).toBeFocused({ timeout: 1000 });
  }).toPass({ timeout: 30_000 });
  await page.keyboard.press("End");
  await expect(rows.last()).toBeFocused();
  await page.keyboard.press("Home");
  await expect(rows.first()).toBeFocused();
}

async function expectPeekFollows({ name }: List, peek: string) {
  const rows = rowsOf(name);
  const panel = page.getByRole("complementary", { name: peek, exact: true });
  await page.keyboard.press("Space");
  await expect(panel).toBeVisible();
  // The URL is updated a moment after the panel.
  await expect.poll(() => inUrl("peek"), { intervals: SOON }).not.toBeNull();
  const first = inUrl("peek");
  await page.keyboard.press("j");
  await expect.poll(() => inUrl("peek"), { intervals: SOON }).not.toBe(first);
  await holdsFocus(tableOf(name).locator("[data-active]"));
  // With the mouse too: a press peeks and focuses a row, and a second one closes it.
  const cell = rows.nth(0).locator("xpath=ancestor-or-self::tr").locator("td").first();
  const beside = tableOf(name).getByRole("checkbox").first();
  // Not a cell with a link, which would open its page.
  const others = cell.locator("xpath=following-sibling::td[not(.//a)]").filter({ visible: true });
  const target = (await beside.count()) > 0 ? others.first() : cell;
  await target.click();
  await expect.poll(() => inUrl("peek"), { intervals: SOON }).toBe(first);
  await holdsFocus(tableOf(name).locator("[data-active]"));
  await page.reload();
  await expect(panel).toBeVisible();
  // Pressed twice, it would move on to the next row, so the first press gets enough time.
  await pressUntil("j", () => expect(rows.nth(1)).toBeFocused({ timeout: 5000 }));
  await expect.poll(() => inUrl("peek"), { intervals: SOON }).not.toBe(first);
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  await expect.poll(() => inUrl("peek"), { intervals: SOON }).toBeNull();
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("k");
  await expect(rows.first()).toBeFocused();
}

async function expectSelects({ name }: List) {
  const bar = page.getByRole("toolbar", { name: "Actions on the selection" });
  const boxes = tableOf(name).getByRole("checkbox", { checked: true });
  await page.keyboard.press("x");
  await expect(bar).toContainText("1 ");
  await page.keyboard.press("j");
  await expect(rowsOf(name).nth(1)).toBeFocused();
  await page.keyboard.press("Shift+X");
  await expect(boxes).toHaveCount((await tableOf(name).getByRole("checkbox").count()) === 3 ? 3 : 2);
  await page.keyboard.press("x");
  await expect(boxes).toHaveCount(1);
  await page.keyboard.press("ControlOrMeta+a");
  await expect(tableOf(name).getByRole("checkbox", { checked: false })).toHaveCount(0);
  await expect(bar.getByRole("button").first()).toBeEnabled();
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();
  await expect(boxes).toHaveCount(0);
}

const headOf = (name: string, column: string) => tableOf(name).getByRole("columnheader", { name: column, exact: true });
const idsOf = (name: string) =>
  tableOf(name)
    .locator("[data-row-id]")
    .evaluateAll((all) => all.map((row) => row.getAttribute("data-row-id")));

/** Sorts by a column, and returns how to expect that order, and the opposite one after another press. */
async function sorted({ name, grows }: List, column: string) {
  const head = headOf(name, column);
  const among = (rows: (string | null)[], others: (string | null)[]) =>
    grows ? rows.filter((id) => others.includes(id)) : rows;
  const expectOrder = (rows: (string | null)[]) =>
    expect(async () => {
      const now = await idsOf(name);
      expect(among(now, rows)).not.toEqual([]);
      expect(among(now, rows)).toEqual(among(rows, now));
    }).toPass({ timeout: 10_000, intervals: SOON });
  /** A list sorted by the server shows the previous rows until the new ones arrive. */
  const settled = () => expect(tableOf(name)).not.toHaveAttribute("aria-busy");
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", /./);
  await settled();
  const [order, first] = [await head.getAttribute("aria-sort"), await idsOf(name)];
  // The URL follows the table.
  await expect(page).toHaveURL(/[?&](?:[\w-]+-)?sort=[^&]/);
  return {
    async expectKept() {
      await expect(head).toHaveAttribute("aria-sort", order!);
      await expectOrder(first);
    },
    async expectReversed() {
      await head.getByRole("button").click();
      await expect(head).toHaveAttribute("aria-sort", order === "ascending" ? "descending" : "ascending");
      await settled();
      // Only the beginning of a list longer than the screen is in the DOM.
      if (first.length < 15) await expectOrder(first.toReversed());
      else await expect.poll(() => idsOf(name), { intervals: SOON }).not.toEqual(first);
    },
  };
}

/** Hides a column. */
async function hide({ name }: List, column: string) {
  const head = headOf(name, column);
  await expect(head).toBeVisible();
  const item = page.getByRole("menuitemcheckbox", { name: column, exact: true });
  await expect(async () => {
    await page.getByRole("button", { name: "Choose columns" }).click();
    await expect(item).toBeVisible({ timeout: 1000 });
  }).toPass();
  await item.click();
  await expect(head).toBeHidden();
  await expect.poll(() => inUrl("hide"), { intervals: SOON }).not.toBeNull();
}

/** What is sorted or hidden is in the URL, and still so after a reload. */
async function expectOrderAndColumnsStay(list: List) {
  if (list.sorts) {
    const order = await sorted(list, list.sorts);
    await page.reload();
    await expect(rowsOf(list.name).first()).toBeVisible();
    await order.expectKept();
    await order.expectReversed();
  }
  if (list.hides) {
    await page.goto(at(list.path));
    await hide(list, list.hides);
    await page.reload();
    await expect(rowsOf(list.name).first()).toBeVisible();
    await expect(headOf(list.name, list.hides)).toBeHidden();
  }
}

async function expectFitsPhone({ name, peek }: List) {
  await page.setViewportSize(PHONE);
  // As it is shown to somebody who opens it there.
  if (isLong) await page.reload();
  const row = rowsOf(name).first();
  await expect(row, name).toBeVisible();
  await expectSettled(page);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(sideways, `${name} scrolls the page sideways`).toBeLessThanOrEqual(1);
  if (peek) {
    const panel = page.getByRole("complementary", { name: peek, exact: true });
    await expect(async () => {
      await row.press("Space");
      await expect(panel).toBeVisible({ timeout: 1000 });
    }).toPass();
    expect((await panel.boundingBox())?.width, name).toBeGreaterThan(380);
    await panel.getByRole("button", { name: "Close" }).click();
    await expect(panel).toBeHidden();
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

for (const list of LISTS) {
  test(`${list.name}: it fits a phone, and keys, peek, selection, sorting and columns work where the list has them`, async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    if (list.rows > 0) {
      await page.goto(at(list.path));
      const rows = rowsOf(list.name);
      await expect(rows.nth(list.rows - 1)).toBeVisible({ timeout: 30_000 });
      await expectFitsPhone(list);
      await expectFocusMoves(list);
      if (list.peek) await expectPeekFollows(list, list.peek);
      if (list.selects) await expectSelects(list);
      if (list.control) {
        const row = tableOf(list.name)
          .locator("tr", { has: page.getByRole("button", { name: list.control }) })
          .first();
        await expect(row.getByRole("button", { name: list.control }).first()).toBeEnabled();
      }
      if (list.dialog) {
        await page.keyboard.press("Enter");
        await expect(page.getByRole("dialog")).toBeVisible();
        await page.keyboard.press("Escape");
        await expect(page.getByRole("dialog")).toBeHidden();
      }
      await expectOrderAndColumnsStay(list);
    }
    if (list.empty) {
      await page.goto(at(list.empty[0]));
      await expect(seen(page, list.empty[1]).first()).toBeVisible();
    }
  });
}

/** Tables that belong to something else on their page, a chart or a card: their rows cannot be selected or acted on. */
const TABLES_BY_HAND = [
  "app/p/[projectId]/_components/serving/subjects-table.tsx",
  "app/p/[projectId]/_components/training/artifacts.tsx",
  "app/p/[projectId]/lineage/[rootModelId]/_components/lineage-table.tsx",
  "app/_components/data-table/data-table.tsx",
  "app/_components/values/field-diff.tsx",
  "app/docs/_components/field-table.tsx",
  "app/p/[projectId]/_components/findings/score.tsx",
  "app/p/[projectId]/_components/training/charts/metric-chart.tsx",
  "app/p/[projectId]/alerts/_components/firings.tsx",
  "app/p/[projectId]/charts/_components/chart-numbers.tsx",
  "app/p/[projectId]/conversations/[conversationId]/_components/cost/cost-tab.tsx",
  "app/p/[projectId]/conversations/[conversationId]/_components/cost/model-call-detail.tsx",
  "app/p/[projectId]/conversations/_components/histogram/bucket-table.tsx",
  "app/p/[projectId]/data/_components/receipt.tsx",
  "app/p/[projectId]/data/_components/stored-size.tsx",
  "app/p/[projectId]/datasets/[datasetId]/_components/overview/token-histogram.tsx",
  "app/p/[projectId]/findings/[findingId]/_components/rate-by-day.tsx",
  "app/p/[projectId]/prices/_components/tiers.tsx",
  "app/p/[projectId]/prices/edit/_components/outcome.tsx",
  "app/p/[projectId]/prices/repricings/_components/preview-table.tsx",
  "app/p/[projectId]/rules/[ruleId]/_components/change-preview.tsx",
  "app/p/[projectId]/rules/[ruleId]/_components/try-rule.tsx",
  "app/p/[projectId]/rules/evaluators/_components/comparison.tsx",
  "app/p/[projectId]/training/[jobId]/_components/settings-tab.tsx",
  "app/p/[projectId]/training/compare/_components/compare.tsx",
  "app/p/[projectId]/training/new/_components/token-bars.tsx",
  "app/p/[projectId]/versions/_components/compared-rows.tsx",
];

test("every list is in the registry, and only known tables are built by hand", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tsx"));
  const sources = files.map((file) => ({
    file: join("app", file),
    text: readFileSync(join("app", file), "utf8"),
  }));
  const names = sources
    .filter(({ text }) => /\/data-table\/(data-list|list-page)"/.test(text))
    .flatMap(({ file, text }) =>
      text
        .split(/<(?:DataList|ListPage)(?:<\w+>)?\n/)
        .slice(1)
        // A page that is a list may be named by its title, its first property.
        .map((use) => /\bname="([^"]+)"|^\s*title="([^"]+)"(?![\s\S]*\bname=")/.exec(use))
        .map((named) => named?.[1] ?? named?.[2] ?? `a list without a plain name in ${file}`),
    );
  expect(names.sort()).toEqual(LISTS.map(({ name }) => name).sort());
  const byHand = sources.filter(({ text }) => /<(Table\.Tbody|tbody)\b/.test(text)).map(({ file }) => file);
  expect(byHand.sort()).toEqual(TABLES_BY_HAND.toSorted());
});
