import type { Browser, Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { press } from "../support/press";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Filters of a list under a name: a member's own, and shared ones, which a viewer sees and cannot change. */

let project: TestProject;
let owner: Page;

const newPage = async (browser: Browser) => (await browser.newContext({ reducedMotion: "reduce" })).newPage();

test.beforeAll(async ({ browser, baseURL }) => {
  test.setTimeout(120_000);
  project = await newProject(baseURL!);
  await seed(project, [
    { id: "failing", model: "gpt-4o", ask: "A failing question", answer: "I cannot.", failingTool: true },
    { id: "fine", model: "gpt-4o-mini", ask: "A plain question", answer: "An answer." },
  ]);
  owner = await newPage(browser);
  await signIn(owner, project);
});
test.afterAll(() => owner.context().close());

const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
const rows = (page: Page, name = "Conversations") => page.getByRole("table", { name }).locator("[data-row]");
const button = (page: Page) => page.getByRole("button", { name: /^Saved views/ });
const menu = (page: Page) => page.getByRole("menu");
const item = (page: Page, name: string) => menu(page).getByRole("menuitem", { name });
const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const openMenu = (page: Page) => press(button(page), menu(page));

async function save(page: Page, name: string, { shared = false } = {}) {
  await openMenu(page);
  await item(page, "Save view…").click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByLabel("Name").fill(name);
  if (shared) await dialog.getByLabel("Share with everyone in the project").check();
  await dialog.getByRole("button", { name: "Save view" }).click();
  return dialog;
}

test("a view is saved, marked while the URL matches it, opened by key, renamed, deleted and restored", async () => {
  await owner.goto(at("conversations?errors=true&sort=-cost&hide=tokens"));
  await expect(rows(owner)).toHaveCount(1);
  await expect(await save(owner, "Failing")).toBeHidden();
  await expect(button(owner)).toHaveAccessibleName("Saved views: Failing");

  await test.step("a name that is taken is reported at its field", async () => {
    const dialog = await save(owner, "failing");
    await expect(dialog).toContainText("Another view of this list already has this name.");
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  await test.step("changing the filters unmarks the view, and opening it restores them", async () => {
    await owner.getByRole("button", { name: "Without errors" }).click();
    await expect(button(owner)).toHaveAccessibleName("Saved views");
    await owner.goto(at("conversations"));
    await expect(rows(owner)).toHaveCount(2);
    await expect(async () => {
      await owner.keyboard.press("v");
      await expect(menu(owner)).toBeVisible({ timeout: 1000 });
    }).toPass();
    await item(owner, "Failing").click();
    await expect(rows(owner)).toHaveCount(1);
    await expect.poll(() => parameters(owner)).toEqual({ errors: "true", sort: "-cost", hide: "tokens" });
    await expect(button(owner)).toHaveAccessibleName("Saved views: Failing");
    await owner.reload();
    await expect(button(owner)).toHaveAccessibleName("Saved views: Failing");
    await owner.goBack();
    await expect(rows(owner)).toHaveCount(2);
    await expect(button(owner)).toHaveAccessibleName("Saved views");
    await owner.goForward();
    await expect(button(owner)).toHaveAccessibleName("Saved views: Failing");
  });

  await test.step("the view is renamed, and updated with other filters", async () => {
    await openMenu(owner);
    await item(owner, "Rename or share…").click();
    const dialog = owner.getByRole("dialog", { name: "Change “Failing”" });
    await dialog.getByLabel("Name").fill("Errors first");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(button(owner)).toHaveAccessibleName("Saved views: Errors first");
    await openMenu(owner);
    await item(owner, "Errors first").click();
    await owner.getByRole("button", { name: "With Findings" }).click();
    await expect(button(owner)).toHaveAccessibleName("Saved views");
    await openMenu(owner);
    await item(owner, "Update “Errors first”").click();
    await expect(button(owner)).toHaveAccessibleName("Saved views: Errors first");
  });

  await test.step("deleting asks for confirmation and can be undone", async () => {
    await openMenu(owner);
    await item(owner, "Delete…").click();
    await owner.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
    await expect(button(owner)).toHaveAccessibleName("Saved views");
    // The previous change can still be undone, too.
    const said = owner.getByRole("alert").filter({ hasText: "Deleted “Errors first”" });
    await said.getByRole("button", { name: "Undo" }).click();
    await expect(button(owner)).toHaveAccessibleName("Saved views: Errors first");
  });
});

test("a viewer sees shared views, not a colleague's private ones, and cannot share their own", async ({ browser }) => {
  const viewer = await newPage(browser);
  const invited = await owner.request.post(`${project.url}/v1/projects/${project.projectId}/invitations`, {
    headers: { origin: project.url },
    data: { role: "viewer" },
  });
  expect(invited.ok()).toBe(true);
  const { token } = (await invited.json()) as { token: string };

  await owner.goto(at("findings?tab=all&severity=high"));
  await expect(await save(owner, "Grave", { shared: true })).toBeHidden();
  await expect(await save(owner, "My own")).toBeHidden();

  await viewer.goto(`${project.url}/invite#token=${token}`);
  await viewer.getByLabel("Your name").fill("Vera Viewer");
  await viewer.getByLabel("E-mail").fill(`${crypto.randomUUID()}@example.test`);
  await viewer.getByRole("textbox", { name: "Password" }).fill("a long enough password");
  await viewer.getByRole("button", { name: "Create account and join" }).click();
  await viewer.waitForURL(`**/p/${project.projectId}`);

  await viewer.goto(at("findings"));
  await openMenu(viewer);
  await expect(item(viewer, "My own")).toBeHidden();
  await item(viewer, "Grave").click();
  await expect(button(viewer)).toHaveAccessibleName("Saved views: Grave");
  await expect.poll(() => parameters(viewer)).toEqual({ tab: "all", severity: "high" });
  await openMenu(viewer);
  await expect(item(viewer, "Delete…")).toBeHidden();
  await item(viewer, "Save view…").click();
  const dialog = viewer.getByRole("dialog", { name: "Save view" });
  await expect(dialog.getByLabel("Share with everyone in the project")).toBeHidden();
  await dialog.getByLabel("Name").fill("A viewer’s");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(dialog).toBeHidden();
  await openMenu(viewer);
  await expect(item(viewer, "A viewer’s")).toBeVisible();
  await viewer.context().close();
});

test("views are saved and opened on a phone", async () => {
  await owner.setViewportSize({ width: 390, height: 844 });
  await owner.goto(at("rule-runs?origin=on_demand"));
  await expect(await save(owner, "Asked for by hand")).toBeHidden();
  await owner.goto(at("rule-runs"));
  await openMenu(owner);
  const box = await menu(owner).boundingBox();
  expect(box!.x).toBeGreaterThanOrEqual(0);
  expect(box!.x + box!.width).toBeLessThanOrEqual(390);
  await item(owner, "Asked for by hand").click();
  await expect.poll(() => parameters(owner)).toEqual({ origin: "on_demand" });
  const sideways = await owner.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(sideways).toBeLessThanOrEqual(1);
});
