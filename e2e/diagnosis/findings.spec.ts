import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { runningDatabase } from "../../testbed/product/running-database";
import { findingRows, mergeFirstTwo } from "../support/data/merge-first-two";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** A Finding among others: merged, split, dismissed, pinned, annotated and assigned, each with undo. */

let project: TestProject;

test.beforeEach(async ({ page, baseURL }) => {
  project = await newProject(baseURL!);
  await seed(
    project,
    ["search_emails", "book_room", "get_order"].map((tool) => ({
      id: tool,
      model: "gpt-4o",
      ask: `Please ${tool}`,
      answer: "I cannot.",
      failingTool: tool,
    })),
  );
  await signIn(page, project);
});

const said = (page: Page, words: string) => page.getByRole("alert").filter({ hasText: words });

test("selected Findings are merged, and the merge is undone", async ({ page }) => {
  await page.goto(`/p/${project.projectId}/findings`);
  await expect(findingRows(page)).toHaveCount(3);
  await mergeFirstTwo(page);
  await expect(said(page, "Merged 2 Findings into")).toBeVisible();
  await expect(findingRows(page)).toHaveCount(2);
  await page.keyboard.press("u");
  await expect(findingRows(page)).toHaveCount(3);
});

test("a bulk change lists the Findings that are gone and can continue without them", async ({ page }) => {
  await page.goto(`/p/${project.projectId}/findings`);
  await expect(findingRows(page)).toHaveCount(3);
  await findingRows(page).first().focus();
  await expect(async () => {
    await page.keyboard.press("ControlOrMeta+a");
    await expect(page.getByText("3 Findings selected")).toBeVisible({ timeout: 2000 });
  }).toPass();
  const [into, from] = await readFindings();
  const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/diagnostics/findings/${into!.id}/merge`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await project.newKey("diagnostics:write")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ findingIds: [from!.id] }),
  });
  expect(reply.status).toBe(200);
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "1 Finding of your selection is gone" });
  await expect(dialog.getByRole("listitem")).toHaveText(from!.title.replaceAll("`", ""));
  await dialog.getByRole("button", { name: "Continue with 2 Findings" }).click();
  await expect(said(page, "Confirmed 2 Findings")).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(findingRows(page)).toHaveCount(0);
});

test("the w key dismisses a Finding as wrong, and u undoes it", async ({ page }) => {
  await page.goto(`/p/${project.projectId}/findings`);
  await expect(findingRows(page)).toHaveCount(3);
  await findingRows(page).first().focus();
  await page.keyboard.press("w");
  await expect(said(page, "Dismissed as wrong: “")).toBeVisible();
  await expect(findingRows(page)).toHaveCount(2);
  await page.keyboard.press("u");
  await expect(findingRows(page)).toHaveCount(3);
});

test("tabs show counts, and Findings that are new since the last visit are marked", async ({ page }) => {
  await page.goto(`/p/${project.projectId}/findings`);
  const tab = (name: string) => page.getByRole("tab", { name, exact: true });
  await expect(tab("For review")).toContainText("3");
  await expect(tab("Dismissed")).toContainText("0");
  await findingRows(page).first().focus();
  await page.keyboard.press("w");
  await expect(tab("For review")).toContainText("2");
  await expect(tab("Dismissed")).toContainText("1");

  const marks = page.getByTitle("New since your last visit");
  await expect(marks).toHaveCount(0);
  const database = runningDatabase();
  const anHourAgo = Date.now() - 3_600_000;
  await database`update memberships set visited_at = ${anHourAgo} where project_id = ${project.projectId}`;
  await database.end();
  await page.reload();
  await expect(marks).toHaveCount(2);
  // Still the same visit.
  await page.reload();
  await expect(marks).toHaveCount(2);
});

type Read = { id: string; title: string; severity: string; dismissalReason: string | null; occurrenceCount: number };
const readFindings = async () =>
  ((await project.read("diagnostics/findings")) as unknown as { findings: Read[] }).findings;
const readFinding = async (id: string) =>
  ((await project.read(`diagnostics/findings/${id}`)) as unknown as { finding: Read }).finding;
const content = (page: Page) => page.locator("#content");
/** Opens a menu, pressing again until its script runs, and chooses an entry, whose name ends with its key. */
async function choose(page: Page, menu: string | RegExp, entry: string) {
  await expect(async () => {
    await content(page).getByRole("button", { name: menu, exact: true }).click();
    await page.getByRole("menuitem", { name: new RegExp(`^${entry}( \\w)?$`) }).click({ timeout: 3000 });
  }).toPass();
}

test("a Finding's page shows its history and its daily rate, and notes are added, edited and deleted", async ({
  page,
}) => {
  const [first] = await readFindings();
  await page.goto(`/p/${project.projectId}/findings/${first!.id}`);
  await expect(content(page).getByRole("heading", { name: "Similar conversations that went well" })).toBeVisible();
  await expect(content(page).getByRole("img", { name: /^Rate of 7 days/ })).toBeVisible();
  await expect(content(page).getByRole("list", { name: "What changed" })).toContainText("gpt-4o first used");
  await expect(content(page).getByText("First found")).toBeVisible();

  await content(page).getByRole("textbox", { name: "Note" }).fill("Seen in staging too.");
  await content(page).getByRole("button", { name: "Add note" }).click();
  await expect(content(page).getByText("Seen in staging too.")).toBeVisible();
  await content(page).getByRole("button", { name: "Edit" }).click();
  await content(page).getByRole("textbox", { name: "Edit the note" }).fill("Seen in production.");
  await content(page).getByRole("button", { name: "Save" }).click();
  await expect(content(page).getByText("Seen in production.")).toBeVisible();
  await expect(content(page).getByText("Seen in staging too.")).toBeHidden();
  await expect(content(page).getByText(/, edited/)).toBeVisible();
  await content(page).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete the note?" }).getByRole("button", { name: "Delete note" }).click();
  await expect(content(page).getByText("Seen in production.")).toBeHidden();
});

test("a Finding is assigned, pinned to a severity and dismissed for a reason, each with undo", async ({ page }) => {
  const [first] = await readFindings();
  await page.goto(`/p/${project.projectId}/findings/${first!.id}`);

  await choose(page, "Assign", "Assign to me");
  await expect(said(page, "Assigned to you: “")).toBeVisible();
  await expect(content(page).getByText("Assigned", { exact: true })).toBeVisible();
  await choose(page, /^Assign: /, "Unassign");
  await expect(content(page).getByRole("button", { name: "Assign", exact: true })).toBeVisible();

  await choose(page, /Change the severity/, "Critical");
  await expect(said(page, "Pinned to critical: “")).toBeVisible();
  await expect(content(page).getByText("Severity pinned to critical")).toBeVisible();
  expect((await readFinding(first!.id)).severity).toBe("critical");
  await choose(page, /Change the severity/, "Automatic: as the Rules rate it");
  await expect(content(page).getByText("Severity back to automatic")).toBeVisible();
  expect((await readFinding(first!.id)).severity).toBe(first!.severity);

  await choose(page, "Dismiss for a reason", "Expected behaviour");
  await expect(said(page, "Dismissed as expected behaviour: “")).toBeVisible();
  await expect(content(page).getByText("Dismissed as expected behaviour")).toBeVisible();
  expect(await readFinding(first!.id)).toMatchObject({ dismissalReason: "expected" });
  await page.keyboard.press("u");
  await expect(content(page).getByRole("button", { name: "Dismiss", exact: true })).toBeVisible();
  await choose(page, "Dismiss for a reason", "Until it gets worse");
  await expect(content(page).getByText("Dismissed until it gets worse")).toBeVisible();
});

test("selected conversations of a Finding are split into a new one, and undo joins them again", async ({ page }) => {
  const again = ["again-1", "again-2"].map((id) => ({
    id,
    model: "gpt-4o",
    ask: "Please get_order",
    answer: "I cannot.",
    failingTool: "get_order",
  }));
  await seed(project, again, { before: 3 });
  const found = async () => (await readFindings()).filter(({ title }) => title.includes("get_order"));
  await expect.poll(async () => (await found()).map(({ occurrenceCount }) => occurrenceCount)).toEqual([3]);
  const [whole] = await found();
  await page.goto(`/p/${project.projectId}/findings/${whole!.id}`);
  const rows = page.getByRole("table", { name: "Occurrences" }).locator("[data-row]");
  await expect(rows).toHaveCount(3);
  await rows.first().focus();
  await expect(async () => {
    await page.keyboard.press("x");
    await expect(page.getByText("1 conversation selected")).toBeVisible({ timeout: 5000 });
  }).toPass();
  // Escape clears the selection before it leaves the page.
  await page.keyboard.press("Escape");
  await expect(page.getByText("1 conversation selected")).toBeHidden();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Split into a new Finding" }).click();
  await expect(said(page, "Split 1 conversation into a new Finding")).toBeVisible();
  await expect(rows).toHaveCount(2);
  expect((await found()).map(({ occurrenceCount }) => occurrenceCount).sort()).toEqual([1, 2]);
  await page.keyboard.press("u");
  await expect(rows).toHaveCount(3);
  expect((await found()).map(({ occurrenceCount }) => occurrenceCount)).toEqual([3]);
});
