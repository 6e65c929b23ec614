import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Costs on the page and in the export: amounts, breakdowns and unknowns, of this project only. */

/** 1,200 input and 80 output tokens per call, at $2.50 and $10 or at $0.15 and $0.60 per million. */
const TALKS = [
  {
    id: "dear",
    model: "gpt-4o",
    ask: "Can I return it?",
    answer: "Yes, within 30 days.",
    turns: 3,
    labels: ["web", "returns"],
  },
  { id: "cheap", model: "gpt-4o-mini", ask: "Where is it?", answer: "On its way.", labels: ["web"] },
  { id: "house", model: '=acme"1,2', ask: "Is it blue?", answer: "It is.", turns: 2 },
];

const tile = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const row = (page: Page, name: string) =>
  page.getByRole("table", { name: "Costs", exact: true }).getByRole("row").filter({ hasText: name });

/** "Row up" without a focused row selects the first row, so it can be repeated until the page's script is listening. */
const firstRow = (page: Page, stop: Locator) =>
  expect(async () => {
    await page.keyboard.press("k");
    await expect(stop).toBeFocused({ timeout: 1000 });
  }).toPass();

/** Returns a file's cells by its header, as in RFC 4180. */
function parsed(csv: string) {
  const [head, ...lines] = csv.trimEnd().split("\r\n");
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
    );
  return lines.map((line) => Object.fromEntries(cells(head!).map((name, index) => [name, cells(line)[index]])));
}

async function download(page: Page, name = "costs") {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "CSV", exact: true }).click(),
  ]);
  expect(file.suggestedFilename().replaceAll(/\d/g, "0")).toBe(`${name}-0000-00-00-0000-00-00.csv`);
  return parsed(await readFile(await file.path(), "utf8"));
}

test("costs are exact by model, vendor, label and user, and unknown ones are shown but not added", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const project: TestProject = await newProject(baseURL!);
  const others = await newProject(baseURL!);
  await seed(project, TALKS, { diagnosed: false });
  await signIn(page, project);
  await page.goto(`/p/${project.projectId}/costs`);

  await test.step("the tiles show the sums", async () => {
    // Three calls at $0.0038 and one at $0.000228.
    await expect(tile(page, "Cost").getByTitle("$0.011628", { exact: true })).toBeVisible();
    await expect(tile(page, "Cost")).toContainText("at least $0.012");
    await expect(tile(page, "Priced calls")).toContainText("4of 6 model calls");
    await expect(tile(page, "Unpriced calls")).toContainText("2Not included in the total");
    await expect(page.getByRole("navigation", { name: "Workbench" })).toContainText(
      "at least $0.012, excluding 2 unpriced calls",
    );
  });

  await test.step("the table shows the costs by model", async () => {
    await expect(row(page, "gpt-4o-mini")).toContainText("1,200");
    await expect(row(page, "gpt-4o-mini").getByTitle("$0.000228", { exact: true })).toBeVisible();
    const [first, , third] = await page
      .getByRole("table", { name: "Costs", exact: true })
      .locator("tbody")
      .getByRole("row")
      .all();
    await expect(first!).toContainText("gpt-4o");
    await expect(first!.getByTitle("$0.0114", { exact: true })).toBeVisible();
    await expect(first!).toContainText("98%");
    await expect(third!).toContainText("Set a price");
    await expect(third!.getByTitle("unknown", { exact: true })).toBeVisible();
    await expect(first!).not.toContainText("at least");
    await page.getByText("Numbers by day").click();
    const days = page.getByRole("table", { name: "Costs by day" });
    await expect(days).toContainText("2 unpriced calls");
  });

  await test.step("the CSV file has the same numbers", async () => {
    const rows = await download(page);
    const sum = (model: string, column: string) =>
      rows.filter((one) => one.model === model).reduce((total, one) => total + Number(one[column]), 0);
    expect(new Set(rows.map(({ model }) => model))).toEqual(new Set(["gpt-4o", "gpt-4o-mini", `'=acme"1,2`]));
    expect(sum("gpt-4o", "cost_usd")).toBeCloseTo(0.0114, 12);
    expect(sum("gpt-4o", "calls")).toBe(3);
    expect(sum("gpt-4o-mini", "cost_usd")).toBe(0.000228);
    expect(sum("gpt-4o-mini", "input_tokens")).toBe(1200);
    expect(sum(`'=acme"1,2`, "unpriced_calls")).toBe(2);
    expect(rows.map((one) => [one.model, one.cost_complete])).toContainEqual([`'=acme"1,2`, "false"]);
    expect(rows.map((one) => [one.model, one.cost_complete])).toContainEqual(["gpt-4o", "true"]);
    expect(rows.filter((one) => one.model === `'=acme"1,2`).map((one) => one.cost_usd)).not.toContain("0");
  });

  await test.step("the split by vendor is kept in the URL, and rows are reached by keyboard", async () => {
    await press(page.getByText("Vendor", { exact: true }), row(page, "OpenAI"));
    await expect(row(page, "No price")).toContainText("2");
    await expect(page).toHaveURL(/by=vendor/);
    await page.reload();
    await expect(row(page, "OpenAI").getByTitle("$0.011628", { exact: true })).toBeVisible();
    // A vendor has nothing to open, but the keys reach its row all the same.
    await firstRow(page, row(page, "OpenAI"));
    await page.keyboard.press("Enter");
    await page.keyboard.press("j");
    await expect(row(page, "No price")).toBeFocused();
    await expect(page).toHaveURL(/by=vendor/);

    await page.goto(`/p/${project.projectId}/costs`);
    await firstRow(page, row(page, "gpt-4o").getByRole("link", { name: "gpt-4o", exact: true }));
    await page.keyboard.press("j");
    await expect(row(page, "gpt-4o-mini").getByRole("link", { name: "gpt-4o-mini" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(seen(page, "Where is it?")).toBeVisible();
    await page.goBack();
    await row(page, "gpt-4o-mini").getByRole("link", { name: "gpt-4o-mini" }).click();
    await expect(seen(page, "Where is it?")).toBeVisible();
    await expect(seen(page, "Is it blue?")).toHaveCount(0);
  });

  await test.step("a conversation counts towards each of its labels but once in the total, and labels link to conversations", async () => {
    await page.goto(`/p/${project.projectId}/costs`);
    await press(page.getByText("Label", { exact: true }), row(page, "returns"));
    await expect(seen(page, "A conversation with several labels counts towards each of them")).toBeVisible();
    await expect(row(page, "web").getByTitle("$0.011628", { exact: true })).toBeVisible();
    await expect(row(page, "returns").getByTitle("$0.0114", { exact: true })).toBeVisible();
    await expect(row(page, "No label")).toContainText("2");
    await expect(row(page, "Total").getByTitle("$0.011628", { exact: true })).toBeVisible();
    await expect(page.getByRole("img", { name: "Cost of 7 days, by label" })).toBeVisible();
    await expect(page.getByRole("list", { name: "Colours" })).toContainText("returns");

    const rows = await download(page, "costs-by-label");
    const sum = (label: string, column: string) =>
      rows.filter((one) => one.label === label).reduce((total, one) => total + Number(one[column]), 0);
    expect(sum("web", "cost_usd")).toBeCloseTo(0.011628, 12);
    expect(sum("returns", "calls")).toBe(3);
    expect(sum("", "unpriced_calls")).toBe(2);

    await row(page, "returns").getByRole("link", { name: "returns" }).click();
    const filters = page.getByRole("complementary", { name: "Filters" });
    await expect(filters.getByRole("button", { name: "returns", pressed: true })).toBeVisible();
    await expect(seen(page, "Can I return it?")).toBeVisible();
    await expect(seen(page, "Where is it?")).toHaveCount(0);
    await press(
      filters.getByRole("button", { name: "web" }),
      filters.getByRole("button", { name: "web", pressed: true }),
    );
    await expect(seen(page, "Where is it?")).toBeVisible();
    await expect(seen(page, "Is it blue?")).toHaveCount(0);
    await page.getByRole("link", { name: "Where is it?" }).click();
    // Waits for the conversation's page: the list has labels too.
    await page.waitForURL(/conversations\/conv_/);
    const labels = page.getByRole("list", { name: "Labels" }).first();
    await labels.getByRole("link", { name: "web", exact: true }).click();
    await expect(page).toHaveURL(/conversations\?label=web$/);
    await expect(seen(page, "Can I return it?")).toBeVisible();
  });

  await test.step("users are sorted by a column, and link to their conversations", async () => {
    await page.goto(`/p/${project.projectId}/costs`);
    await press(page.getByText("User", { exact: true }), row(page, "user-of-dear"));
    await expect(row(page, "user-of-dear").getByTitle("$0.0114", { exact: true })).toBeVisible();
    await expect(row(page, "user-of-cheap").getByTitle("$0.000228", { exact: true })).toBeVisible();
    await expect(row(page, "user-of-house")).toContainText("2");
    await expect(row(page, "user-of-dear")).toContainText("new");
    const table = page.getByRole("table", { name: "Costs", exact: true });
    const first = table.locator("tbody").getByRole("row").first();
    await expect(first).toContainText("user-of-dear");
    await table.getByRole("button", { name: "Cost", exact: true }).click();
    await table.getByRole("button", { name: "Cost", exact: true }).click();
    await expect(table.getByRole("columnheader", { name: "Cost", exact: true })).toHaveAttribute(
      "aria-sort",
      "ascending",
    );
    await expect(first).toContainText("user-of-cheap");
    await expect(page).toHaveURL(/sort=cost/);
    await page.reload();
    await expect(first).toContainText("user-of-cheap");
    for (const name of ["Change", "Share", "Calls", "User of the application"])
      await expect(table.getByRole("button", { name, exact: true })).toBeVisible();
    expect((await download(page, "costs-by-user")).map((one) => one.user_id).sort()).toEqual([
      "user-of-cheap",
      "user-of-dear",
      "user-of-house",
    ]);
    await row(page, "user-of-dear").getByRole("link", { name: "user-of-dear" }).click();
    await expect(seen(page, "Can I return it?")).toBeVisible();
    await expect(seen(page, "Where is it?")).toHaveCount(0);
  });

  await test.step("a click on a day opens its numbers, and the URL keeps them open", async () => {
    await page.goto(`/p/${project.projectId}/costs?range=7d&by=vendor`);
    const days = page.getByRole("table", { name: "Costs by day" });
    await expect(days).toBeHidden();
    const chart = page.getByRole("img", { name: "Cost of 7 days, by vendor" });
    const parts = page.getByRole("list", { name: /^Costs of / });
    await expect(async () => {
      await chart.locator(".recharts-bar-rectangle path").last().click();
      await expect(parts).toBeVisible({ timeout: 1000 });
    }).toPass();
    await expect(parts).toContainText("OpenAI");
    await expect(page).toHaveURL(/days-peek=\d+/);
    await page.reload();
    await expect(parts).toContainText("No price");
    await days.getByRole("button", { name: "Cost", exact: true }).click();
    await expect(page).toHaveURL(/days-sort=-cost/);
    await page.getByText("Numbers by day").click();
    await expect(days).toBeHidden();
    await expect(page).not.toHaveURL(/days-peek/);
  });

  await test.step("a label that is added by hand, undone and added again is counted with the others", async () => {
    await page.goto(`/p/${project.projectId}/conversations/cheap`);
    const field = page.getByRole("combobox", { name: "Labels" });
    await press(page.getByRole("button", { name: "Change labels" }), field);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(field).toHaveCount(0);
    // The page's keys do nothing behind the editor, and Escape closes only the editor, wherever the focus is in it.
    await page.keyboard.press("l");
    await expect(field).toBeFocused();
    await page.getByRole("button", { name: "Cancel" }).focus();
    await page.keyboard.press("]");
    await page.keyboard.press("Escape");
    await expect(field).toHaveCount(0);
    await expect(page.getByRole("tab", { name: "Transcript", selected: true })).toBeVisible();
    await expect(page).toHaveURL(/conversations\/cheap$/);
    await page.keyboard.press("l");
    await expect(field).toBeFocused();
    const suggestion = page.getByRole("option", { name: "returns" });
    await page.keyboard.type("ret");
    await expect(suggestion).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(suggestion).toBeHidden();
    await expect(field).toHaveValue("ret");
    await field.fill("");
    await expect(seen(page, "Sent by the client: web")).toBeVisible();
    const header = page.locator("header").getByRole("list", { name: "Labels" });
    await page.keyboard.type("very important");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(header).toHaveText("very importantweb");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(header).toHaveText("web");
    await page.getByRole("button", { name: "Change labels" }).click();
    await field.fill("very important");
    // Without Enter: typed text is saved as a label too.
    await page.getByRole("button", { name: "Save" }).click();
    await expect(header).toHaveText("very importantweb");
    await expect(field).toHaveCount(0);
    // Labels are case-sensitive.
    await page.getByRole("button", { name: "Change labels" }).click();
    await field.fill("VERY IMPORTANT");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(header).toHaveText("VERY IMPORTANTvery important+1");
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect(header).toHaveText("very importantweb");
    // One more than the maximum: an error is shown, and the typed text stays.
    await page.getByRole("button", { name: "Change labels" }).click();
    for (let n = 1; n < 20; n++) {
      await field.fill(`label ${n}`);
      await field.press("Enter");
    }
    await field.fill("one more");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(seen(page, "At most 20 labels can be added here")).toBeVisible();
    await expect(field).toHaveValue("one more");
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(header).toHaveText("very importantweb");
    await page.goto(`/p/${project.projectId}/costs?by=label`);
    await expect(row(page, "very important").getByTitle("$0.000228", { exact: true })).toBeVisible();
    await expect(row(page, "web").getByTitle("$0.011628", { exact: true })).toBeVisible();
  });

  await test.step("a period without model calls has an empty state", async () => {
    await page.goto(`/p/${project.projectId}/costs?range=custom&from=1767225600000&to=1767484800000`);
    await expect(seen(page, "No model calls in this period")).toBeVisible();
    await expect(page.getByRole("button", { name: "Days (UTC): 1 Jan – 3 Jan" })).toBeVisible();
    await press(page.getByRole("button", { name: "Show the last 365 days" }), row(page, "gpt-4o-mini"));
    await expect(page).toHaveURL(/range=365d/);
  });

  await test.step("another project's costs are not accessible", async () => {
    expect((await page.goto(`/p/${others.projectId}/costs`))?.status()).toBe(404);
    const file = await page.request.get(`/v1/projects/${others.projectId}/costs.csv?from=0&to=${Date.now()}`);
    expect(file.status()).toBe(404);
    expect((await page.request.get(`/v1/projects/${project.projectId}/costs.csv`)).status()).toBe(400);
    const context = await page.context().browser()!.newContext();
    const theirs = await context.newPage();
    await signIn(theirs, others);
    await theirs.goto(`${baseURL}/p/${others.projectId}/costs`);
    await expect(seen(theirs, "No costs yet")).toBeVisible();
    await context.close();
  });
});

test("the cost of a conversation and its Finding is shown as a minimum while one of their calls is unpriced", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  const talk = { id: "mixed", ask: "Where is order 1042?", answer: "I can't find it.", failingTool: true };
  await seed(project, [{ ...talk, model: "gpt-4o" }]);
  await seed(project, [{ id: "mixed", model: "acme-unheard-of", ask: "Is it blue?", answer: "It is." }], {
    diagnosed: false,
  });
  // Two calls at $0.0038, and one whose cost is unknown.
  const known = { costComplete: false, unpricedCallCount: 1 };
  await expect
    .poll(async () => (await project.read("diagnostics/findings")).findings, { timeout: 60_000 })
    .toContainEqual(expect.objectContaining({ signal: "tool_error", affectedCost: 0.0076, ...known }));
  expect((await project.read("conversations")).conversations).toEqual([
    expect.objectContaining({ cost: 0.0076, ...known }),
  ]);

  await signIn(page, project);
  await page.goto(`/p/${project.projectId}/conversations`);
  await expect(page.getByRole("row").filter({ hasText: "Where is order 1042?" })).toContainText(
    "≥ $0.00761 unpriced call",
  );
  await page.goto(`/p/${project.projectId}/conversations/mixed?tab=cost`);
  await expect(page.locator("header").filter({ hasText: "3 model calls" })).toContainText(
    "cost at least $0.0076, 1 unpriced call",
  );
  await expect(page.getByRole("tabpanel", { name: "Cost" })).toContainText("at least $0.00762 of 3 calls priced");
  await page.goto(`/p/${project.projectId}/findings`);
  const finding = page.getByRole("row").filter({ hasText: "tool_error" });
  await expect(finding).toContainText("≥ $0.00761 unpriced call");
  await finding.getByRole("link").click();
  await expect(seen(page, "at least $0.0076, 1 unpriced call")).toBeVisible();
});

test("usage beyond tokens is shown with its price, or as excluded from the total", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  const used = { web_searches: 2, audio_seconds: 1.5, "text.input_tokens": 200 };
  await seed(project, [{ id: "search", model: "gpt-5.4", ask: "Who won?", answer: "They did.", used }], {
    diagnosed: false,
  });
  await signIn(page, project);
  await page.goto(`/p/${project.projectId}/conversations/search?tab=cost`);
  await page.getByRole("button", { name: "Open the breakdown" }).click();
  // The last one: the row that contains the breakdown also contains this cell.
  const line = (name: string) =>
    page
      .getByRole("row")
      .filter({ has: page.getByRole("cell", { name, exact: true }) })
      .last();
  await expect(line("Web searches")).toContainText("2$0.01 each$0.02");
  await expect(line("Audio seconds")).toContainText("1.5no price");
  // 1,200 input tokens, 200 of them text, at the price of all: $2.50 per million.
  await expect(line("Input text tokens")).toContainText("200$2.50 / 1M$0.00050");
  await expect(page.getByText("No price for Audio seconds: not in the total.")).toBeVisible();
  await expect(page.getByText("No separate price for Input text tokens")).toBeVisible();
  await expect(page.getByText("1,280 tokens")).toBeVisible();

  await page.goto(`/p/${project.projectId}/costs`);
  await expect(row(page, "gpt-5.4").getByText("1.5", { exact: true })).toBeVisible();
  await expect(row(page, "gpt-5.4").getByTitle("2", { exact: true })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Web searches" })).toBeVisible();
});

test("an alert on the cost of a day is filled in from Costs, tested on the past, saved, and its limit is drawn there", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(120_000);
  const project = await newProject(baseURL!);
  await seed(project, TALKS.slice(0, 2));
  await signIn(page, project);
  await page.goto(`${project.url}/p/${project.projectId}/costs`);
  await expect(seen(page, "Numbers by day")).toBeVisible();
  await page.getByRole("link", { name: "Alert me" }).click();
  const form = page.getByRole("dialog", { name: "New alert" });
  await expect(form.getByLabel("Measure")).toHaveValue("daily_cost");
  await expect(form.getByRole("textbox", { name: "Fires at" })).toHaveValue(/^\$0\.0\d+$/);
  const tested = form.getByRole("region", { name: "Tested on the past" });
  await expect(tested).toContainText("Would not have fired in the last 14 days");
  await form.getByRole("textbox", { name: "Fires at" }).fill("0.001");
  await expect(tested).toContainText("Would have fired 1 time in the last 14 days");
  await form.getByRole("button", { name: "Create alert" }).click();
  await expect(form).toBeHidden();
  await expect(page.getByRole("link", { name: "Cost per day" })).toBeVisible();
  await page.goto(`${project.url}/p/${project.projectId}/costs`);
  await expect(page.getByRole("list", { name: "Budgets" })).toHaveText(/^Cost per day.*\$0\.0010/);
});
