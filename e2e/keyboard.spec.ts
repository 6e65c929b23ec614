import { expect, type Page, test } from "@playwright/test";
import { newProject, type TestProject } from "./support/project";
import { seed } from "./support/seed";
import { seen } from "./support/seen";
import { signIn } from "./support/sign-in";

/** The workbench without a mouse. */

let project: TestProject;

test.beforeEach(async ({ page, baseURL }) => {
  project = newProject(baseURL!);
  await seed(project, [
    { id: "first", model: "gpt-4o-mini", ask: "The first question", answer: "An answer." },
    { id: "second", model: "gpt-4o", ask: "The second question", answer: "I cannot.", failingTool: true },
  ]);
  await signIn(page, project);
});

/** A page is there before the script that listens to keys: whoever sees nothing happen presses again. */
const pressUntil = (page: Page, key: string, happened: () => Promise<void>) =>
  expect(async () => {
    await page.keyboard.press(key);
    await happened();
  }).toPass({ timeout: 30_000 });

test("rows, peek, open, turns, tabs and back", async ({ page }) => {
  const second = page.getByRole("link", { name: "The second question" });
  const first = page.getByRole("link", { name: "The first question" });
  await expect(second).toBeVisible();
  // "Row up" from nowhere is the first row, however often.
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
  await page.keyboard.press("n");
  await expect(page).toHaveURL(/#m-\d+$/);
  await page.keyboard.press("]");
  await expect(page).toHaveURL(/tab=cost/);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/conversations$/);
});

test("go keys, search, sheet and palette", async ({ page }) => {
  await expect(page.getByRole("link", { name: "The second question" })).toBeVisible();
  await pressUntil(page, "/", () => expect(page.getByLabel("Search in messages")).toBeFocused({ timeout: 2000 }));
  await page.keyboard.type("gf?");
  await expect(page).toHaveURL(/q=gf/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Search in messages")).not.toBeFocused();

  for (const [key, path] of [
    ["f", "findings"],
    ["r", "rule-runs"],
    ["j", "jobs"],
    ["k", "api-keys"],
    ["i", "integrations"],
    ["b", "data"],
    ["c", "conversations"],
  ] as const) {
    // The second key counts for a moment only, which a busy machine can let pass: whoever sees nothing happen presses again.
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

test("a list whose rows have controls: rows, details and search", async ({ page }) => {
  await page.goto(`/p/${project.projectId}/audit`);
  const rows = page.getByRole("table", { name: "Audit log" }).getByRole("row");
  await expect(rows.nth(2)).toBeVisible();
  await pressUntil(page, "k", () => expect(rows.nth(1)).toBeFocused({ timeout: 1000 }));
  await page.keyboard.press("j");
  await expect(rows.nth(2)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/open=aud_/);
  await expect(seen(page, "Exactly")).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(rows.nth(2).getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/open=/);
  await page.keyboard.press("/");
  await expect(page.getByLabel("Id of what changed")).toBeFocused();
});

test("a Finding is confirmed, resolved and dismissed, and each is undone", async ({ page }) => {
  await page.goto(`/p/${project.projectId}/findings`);
  await page
    .getByRole("link", { name: /get_order/ })
    .first()
    .click();
  await expect(page.getByRole("button", { name: "Confirm" })).toBeVisible();

  await pressUntil(page, "c", () =>
    expect(page.getByRole("button", { name: "Back to review" })).toBeVisible({ timeout: 3000 }),
  );
  await page.keyboard.press("u");
  await expect(page.getByRole("button", { name: "Confirm" })).toBeVisible();

  await page.keyboard.press("r");
  await expect(page.getByRole("button", { name: "Unresolve" })).toBeVisible();
  await page.keyboard.press("u");
  await expect(page.getByRole("button", { name: "Resolve", exact: true })).toBeVisible();

  await page.keyboard.press("e");
  await expect(page.getByText("Dismissed").first()).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByRole("button", { name: "Dismiss" })).toBeVisible();
});

const peekOf = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });

test("triage: the focused Finding is peeked, acted on and named", async ({ page }) => {
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

  // What is taken back is what was done last, though another one is looked at meanwhile.
  await page.keyboard.press("u");
  await expect(row(second)).toBeVisible();
  await isAt(third);
  expect(await stands()).toEqual({ [first]: "confirmed", [second]: "unreviewed", [third]: "unreviewed" });

  // Without a peek a key acts on the row in focus.
  await page.keyboard.press("Escape");
  await expect(peekOf(page, "Finding")).toBeHidden();
  await expect(row(third)).toBeFocused();
  await page.keyboard.press("k");
  await expect(row(second)).toBeFocused();
  await page.keyboard.press("r");
  await expect(page.getByRole("alert").filter({ hasText: `Resolved ${named(second)}` })).toBeVisible();
  await expect(row(third)).toBeFocused();
  await expect(page).not.toHaveURL(/peek=/);

  // The last one leaves nothing to look at.
  await page.keyboard.press("Space");
  await isAt(third);
  await page.keyboard.press("c");
  await expect(page.getByRole("alert").filter({ hasText: `Confirmed ${named(third)}` })).toBeVisible();
  await expect(peekOf(page, "Finding")).toBeHidden();
});

test("in every list the peek follows the focus", async ({ page }) => {
  // A second batch, and with it a second job.
  await seed(project, [{ id: "third", model: "gpt-4o", ask: "The third question", answer: "An answer." }], {
    before: 2,
  });
  for (const [path, list, peek] of [
    ["conversations", "Conversations", "Conversation"],
    ["rule-runs", "Rule Runs", "Rule Run"],
    ["prices", "Prices", "Price"],
    ["jobs", "Jobs", "Job"],
  ] as const) {
    await page.goto(`/p/${project.projectId}/${path}`);
    const rows = page.getByRole("table", { name: list }).locator("[data-row]");
    const active = page.getByRole("table", { name: list }).locator("[data-active]");
    await expect(rows.nth(1)).toBeVisible();
    const peeked = () => new URL(page.url()).searchParams.get("peek");
    await pressUntil(page, "k", () => expect(rows.first()).toBeFocused({ timeout: 1000 }));
    await page.keyboard.press("Space");
    await expect(peekOf(page, peek)).toBeVisible();
    await expect.poll(peeked).not.toBeNull();
    const before = peeked();
    await page.keyboard.press("j");
    await expect.poll(peeked).not.toBe(before);
    const focusedIsActive = () =>
      active.evaluate((row) => row === document.activeElement || row.contains(document.activeElement));
    await expect.poll(focusedIsActive).toBe(true);
    // The mouse too: a row is peeked, focused, and a second press closes it.
    const cell = (index: number) => rows.nth(index).locator("xpath=ancestor-or-self::tr").locator("td").last();
    await cell(0).click();
    await expect.poll(peeked).toBe(before);
    await expect.poll(focusedIsActive).toBe(true);
    await cell(0).click();
    await expect(peekOf(page, peek)).toBeHidden();
    await page.keyboard.press("j");
    await expect(rows.nth(1)).toBeFocused();
    expect(peeked()).toBeNull();
  }

  // An open peek without focus, as a copied address gives it, is where the keys go on.
  await page.goto(`/p/${project.projectId}/conversations`);
  const links = page.getByRole("table", { name: "Conversations" }).locator("[data-row]");
  await expect(links).toHaveCount(3);
  const firstId = (await links.first().getAttribute("href"))?.split("/").at(-1);
  await page.goto(`/p/${project.projectId}/conversations?peek=${firstId}`);
  await expect(peekOf(page, "Conversation")).toBeVisible();
  await pressUntil(page, "j", () => expect(links.nth(1)).toBeFocused({ timeout: 1000 }));
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
  await expect(rows.nth(1)).toHaveAttribute("aria-pressed", "true");
  await expect(peekOf(page, "Span")).toContainText("chat gpt-4o");
  await page.keyboard.press("Enter");
  await expect(peekOf(page, "Span")).toBeHidden();
});
