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

test("a Finding is confirmed, resolved and dismissed, and each is taken back", async ({ page }) => {
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
