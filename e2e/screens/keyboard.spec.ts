import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** The workbench without a mouse. */

let project: TestProject;

test.beforeEach(async ({ page, baseURL }) => {
  project = await newProject(baseURL!);
  await seed(project, [
    { id: "first", model: "gpt-4o-mini", ask: "The first question", answer: "An answer." },
    { id: "second", model: "gpt-4o", ask: "The second question", answer: "I cannot.", failingTool: true },
  ]);
  await signIn(page, project);
});

/** A page is shown before the script that handles keys runs: a person who sees nothing happen would press again. */
const pressUntil = (page: Page, key: string, happened: () => Promise<void>) =>
  expect(async () => {
    await page.keyboard.press(key);
    await happened();
  }).toPass({ timeout: 30_000 });

test("keys move between rows, peek at and open a conversation, and switch turns and tabs", async ({ page }) => {
  const second = page.getByRole("link", { name: "The second question" });
  const first = page.getByRole("link", { name: "The first question" });
  await expect(second).toBeVisible();
  // "Row up" without a focused row selects the first row, however often it is pressed.
  await pressUntil(page, "k", () => expect(second).toBeFocused({ timeout: 1000 }));
  await page.keyboard.press("j");
  await expect(first).toBeFocused();
  await page.keyboard.press("k");
  await expect(second).toBeFocused();

  await page.keyboard.press("Space");
  await expect(page).toHaveURL(/peek=conv_/);
  await expect(page.getByRole("complementary", { name: "Conversation" })).toContainText("Result of get_order");
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/peek=/);

  await second.press("Enter");
  await expect(page).toHaveURL(/conversations\/conv_/);
  await expect(seen(page, "Result of get_order")).toBeVisible();
  await expect(
    page
      .getByRole("complementary", { name: "Findings and facts" })
      .getByRole("link", { name: /^message/ })
      .first(),
  ).toBeVisible();
  await pressUntil(page, "n", () => expect(page).toHaveURL(/#m-\d+$/, { timeout: 5000 }));
  await page.keyboard.press("]");
  await expect(page).toHaveURL(/tab=cost/);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/conversations$/);
});

test("keys navigate, focus the search, and open the shortcut sheet and the palette", async ({ page }) => {
  await expect(page.getByRole("link", { name: "The second question" })).toBeVisible();
  await pressUntil(page, "/", () => expect(page.getByLabel("Search messages and IDs")).toBeFocused({ timeout: 2000 }));
  await page.keyboard.type("gf?");
  await expect(page).toHaveURL(/q=gf/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Search messages and IDs")).not.toBeFocused();

  for (const [key, path] of [
    ["f", "findings"],
    ["h", project.projectId],
    ["r", "rule-runs"],
    ["j", "jobs"],
    ["k", "api-keys"],
    ["i", "integrations"],
    ["b", "data"],
    ["c", "conversations"],
  ] as const) {
    // The second key only counts for a moment, which a busy machine may miss: a person who sees nothing happen would retry.
    await expect(async () => {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await expect(page).toHaveURL(new RegExp(`/${path}$`), { timeout: 5000 });
    }).toPass({ timeout: 30_000 });
  }
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeHidden();

  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("textbox", { name: "Go to" }).fill("settings");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/settings$/);
});

test("a Finding is confirmed, resolved and dismissed, and each is undone", async ({ page }) => {
  /** An action can be undone once its toast is shown, which is after the page shows its effect. */
  const said = (words: string) => page.getByRole("alert").filter({ hasText: words });
  await page.goto(`/p/${project.projectId}/findings`);
  await page
    .getByRole("link", { name: /get_order/ })
    .first()
    .click();
  await expect(page.getByRole("button", { name: "Confirm" })).toBeVisible();

  await pressUntil(page, "c", () =>
    expect(page.getByRole("button", { name: "Back to review" })).toBeVisible({ timeout: 3000 }),
  );
  await expect(said("Confirmed")).toBeVisible();
  await page.keyboard.press("u");
  await expect(page.getByRole("button", { name: "Confirm" })).toBeVisible();

  await page.keyboard.press("r");
  await expect(page.getByRole("button", { name: "Unresolve" })).toBeVisible();
  await expect(said("Resolved")).toBeVisible();
  await page.keyboard.press("u");
  await expect(page.getByRole("button", { name: "Resolve", exact: true })).toBeVisible();

  await page.keyboard.press("e");
  await said("Dismissed").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("button", { name: "Dismiss", exact: true })).toBeVisible();
});

const peekOf = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });

test("keys peek at and triage the focused Finding, and undo reverts the last action", async ({ page }) => {
  await seed(
    project,
    ["search_emails", "book_room"].map((tool) => ({
      id: tool,
      model: "gpt-4o",
      ask: `Please ${tool}`,
      answer: "I cannot.",
      failingTool: tool,
    })),
    { before: 2 },
  );
  await page.goto(`/p/${project.projectId}/findings`);
  const table = page.getByRole("table", { name: "Findings" });
  const links = table.locator("[data-row]");
  await expect(links).toHaveCount(3);
  const ids = (await links.evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""))).map(
    (href) => href.split("/").at(-1) ?? "",
  );
  const [first, second, third] = ids as [string, string, string];
  const titles = new Map<string, string>();
  for (const { id, title } of (await project.read("diagnostics/findings")).findings as unknown as {
    id: string;
    title: string;
  }[]) {
    titles.set(id, title.replaceAll("`", ""));
  }
  const named = (id: string) => `“${titles.get(id)}”`;
  const row = (id: string) => table.locator(`[data-row][href$="${id}"]`);
  const isAt = async (id: string) => {
    await expect(row(id)).toBeFocused();
    await expect(page).toHaveURL(new RegExp(`peek=${id}`));
    await expect(peekOf(page, "Finding").getByRole("heading", { level: 2 }).first()).toHaveText(titles.get(id)!);
  };

  await pressUntil(page, "k", () => expect(row(first)).toBeFocused({ timeout: 1000 }));
  await page.keyboard.press("Space");
  await isAt(first);
  await page.keyboard.press("j");
  await isAt(second);
  await page.keyboard.press("k");
  await isAt(first);

  await page.keyboard.press("c");
  await expect(page.getByRole("alert").filter({ hasText: `Confirmed ${named(first)}` })).toBeVisible();
  await expect(links).toHaveCount(2);
  await isAt(second);
  await page.keyboard.press("e");
  await expect(page.getByRole("alert").filter({ hasText: `Dismissed ${named(second)}` })).toBeVisible();
  await isAt(third);
  const stands = async () =>
    Object.fromEntries(
      ((await project.read("diagnostics/findings")).findings as unknown as { id: string; reviewStatus: string }[]).map(
        ({ id, reviewStatus }) => [id, reviewStatus],
      ),
    );
  expect(await stands()).toEqual({ [first]: "confirmed", [second]: "dismissed", [third]: "unreviewed" });

  // Undo reverts the last action, even though another Finding is open by now.
  await page.keyboard.press("u");
  await expect(row(second)).toBeVisible();
  await isAt(third);
  expect(await stands()).toEqual({ [first]: "confirmed", [second]: "unreviewed", [third]: "unreviewed" });

  // Without a peek, a key acts on the focused row.
  await page.keyboard.press("Escape");
  await expect(peekOf(page, "Finding")).toBeHidden();
  await expect(row(third)).toBeFocused();
  await page.keyboard.press("k");
  await expect(row(second)).toBeFocused();
  await page.keyboard.press("r");
  await expect(page.getByRole("alert").filter({ hasText: `Resolved ${named(second)}` })).toBeVisible();
  await expect(row(third)).toBeFocused();
  await expect(page).not.toHaveURL(/peek=/);

  // After the last Finding, nothing is left to open.
  await page.keyboard.press("Space");
  await isAt(third);
  await page.keyboard.press("c");
  await expect(page.getByRole("alert").filter({ hasText: `Confirmed ${named(third)}` })).toBeVisible();
  await expect(peekOf(page, "Finding")).toBeHidden();
});

test("the span with open details has the focus", async ({ page }) => {
  await page.getByRole("link", { name: "The second question" }).click();
  await page.getByRole("tab", { name: "Spans" }).click();
  const rows = page.locator("[data-row]");
  await expect(rows.nth(2)).toBeVisible();
  await rows.first().click();
  await expect(peekOf(page, "Span")).toContainText("invoke_agent support");
  await page.keyboard.press("j");
  await expect(rows.nth(1)).toBeFocused();
  await expect(rows.nth(1)).toHaveAttribute("aria-selected", "true");
  await expect(peekOf(page, "Span")).toContainText("chat gpt-4o");
  await page.keyboard.press("Enter");
  await expect(peekOf(page, "Span")).toBeHidden();
});

test("the navigation keeps groups collapsed, counts Findings for review, and opens Settings", async ({ page }) => {
  const nav = page.getByRole("navigation", { name: "Workbench" });
  const findings = nav.getByRole("link", { name: /^Findings/ });
  await expect(findings).toContainText("1");
  await expect(findings).toContainText("for review");
  const group = nav.getByRole("button", { name: "Serve" });
  const exports = nav.getByRole("link", { name: /^Exports/ });
  await expect(async () => {
    if ((await group.getAttribute("aria-expanded")) === "true") await group.click();
    await expect(exports).toBeHidden({ timeout: 1000 });
  }).toPass();
  await page.reload();
  await expect(group).toHaveAttribute("aria-expanded", "false");
  await expect(exports).toBeHidden();
  await page.goto(`/p/${project.projectId}/exports`);
  await expect(exports).toHaveAttribute("aria-current", "page");

  await nav.getByRole("link", { name: /^Settings/ }).click();
  const section = page.getByRole("navigation", { name: "Settings" });
  await expect(section.getByRole("link")).toHaveText([
    "General",
    "Members",
    "API keys",
    "Integrations",
    "Prices",
    "Data",
    "Audit log",
    "Jobs",
  ]);
  await section.getByRole("link", { name: "Audit log" }).click();
  await expect(page).toHaveURL(/\/audit$/);
  await expect(section.getByRole("link", { name: "Audit log" })).toHaveAttribute("aria-current", "page");
  await expect(nav.getByRole("link", { name: /^Settings/ })).toHaveAttribute("aria-current", "page");
});

test("selected conversations are labelled, with undo, and deleted, and a time in the chart's table filters the list", async ({
  page,
}) => {
  const table = page.getByRole("table", { name: "Conversations", exact: true });
  const rows = table.locator("[data-row]");
  const dialog = page.getByRole("dialog");
  const labels = async () =>
    ((await project.read("conversations")).conversations as unknown as { labels: string[] }[]).map(
      (conversation) => conversation.labels,
    );
  await expect(rows).toHaveCount(2);
  await pressUntil(page, "k", () => expect(rows.first()).toBeFocused({ timeout: 1000 }));
  await page.keyboard.press("ControlOrMeta+a");
  await expect(page.getByRole("toolbar")).toContainText("2 conversations selected");
  await page.keyboard.press("l");
  await dialog.getByLabel("Add").fill("seen");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Change labels" }).click();
  const said = page.getByRole("alert").filter({ hasText: "Changed the labels of 2 of 2 conversations" });
  await expect(said).toBeVisible();
  expect(await labels()).toEqual([["seen"], ["seen"]]);
  await expect(page.getByRole("toolbar")).toBeHidden();
  await said.getByRole("button", { name: "Undo" }).click();
  await expect.poll(labels).toEqual([[], []]);

  await page.getByText("Numbers over time").click();
  const times = page.getByRole("table", { name: "Conversations over time" });
  await times.getByRole("row").filter({ hasText: "1" }).last().getByRole("button").click();
  await expect(page).toHaveURL(/range=custom/);
  await expect(rows).toHaveCount(1);
  await page.getByRole("button", { name: "Show all times" }).click();
  await expect(rows).toHaveCount(2);

  await table.getByRole("checkbox", { name: "Select The first question" }).check();
  await page.getByRole("button", { name: "Delete…" }).click();
  await expect(dialog.getByTestId("impact")).toContainText("Messages");
  await dialog.getByRole("textbox").fill("delete");
  await dialog.getByRole("button", { name: "Delete 1 conversation" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Deleted “The first question”" })).toBeVisible();
  await expect(rows).toHaveCount(1);
});
