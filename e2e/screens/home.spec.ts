import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { runningDatabase } from "../../testbed/product/running-database";
import { DARK, DARK_PHONE, expectFitIn, LIGHT, LIGHT_PHONE, showAs } from "../support/looks";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/**
 * Where a project opens: what waits, what changed, numbers that each link to what was counted, and the loop; and which model
 * causes a Finding, two clicks from there.
 */

const LOOKS = [LIGHT, DARK, LIGHT_PHONE, DARK_PHONE];

let project: TestProject;
const at = (path = "") => `/p/${project.projectId}${path}`;

test.beforeEach(async ({ page, baseURL }) => {
  project = await newProject(baseURL!);
  await authenticate(page, project);
});

const send = () =>
  seed(project, [
    { id: "failing", model: "gpt-4o", ask: "Where is my order?", answer: "I cannot find it.", failingTool: true },
    { id: "unpriced", model: "acme-house-1", ask: "Can I return it?", answer: "Yes, within 30 days." },
  ]);

const section = (page: Page, name: string) => page.getByRole("region", { name });
const rows = (page: Page) => page.getByRole("row").filter({ has: page.getByRole("link") });

test("an empty project opens with the steps, and turns into Home once a trace arrives", async ({ page }) => {
  await page.goto("/");
  await page.waitForURL(at());
  await expect(page.getByRole("heading", { level: 1, name: "Home" })).toBeVisible();
  await expect(page.getByRole("heading", { level: 2 })).toHaveText([
    "1. Send",
    "2. Diagnose",
    "3. Review",
    "4. Collect",
    "5. Train",
    "6. Prove",
  ]);
  await expect(page.getByText("Listening…")).toBeVisible();
  await expect(page.getByRole("region", { name: "Snippets" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Attach a trainer" }).first()).toHaveAttribute("href", at("/trainers"));
  await showAs(page, LIGHT);
  await expectFitIn(page, LOOKS, "Home of an empty project");
  await send();
  await expect(section(page, "Needs you")).toBeVisible();
});

test("each number of Home leads to the list of what was counted", async ({ page }) => {
  await send();
  await page.goto(at());
  await showAs(page, LIGHT);
  await expectFitIn(page, LOOKS, "Home");
  const needs = section(page, "Needs you");
  await expect(needs.getByRole("link", { name: /get_order/ })).toBeVisible();

  await needs.getByRole("link", { name: "1 Finding to review" }).click();
  await page.waitForURL(at("/findings"));
  await expect(rows(page)).toHaveCount(1);

  await page.goto(at());
  await needs.getByRole("link", { name: "1 model without a price" }).click();
  await page.waitForURL(at("/prices"));
  await expect(page.getByText("acme-house-1").first()).toBeVisible();

  await page.goto(at());
  // Whole days: what was sent an hour ago may have been yesterday.
  const counted = section(page, "full days").or(section(page, "Today"));
  const link = counted.locator('a[href*="findings=true"]');
  const words = await link.textContent();
  await link.click();
  await page.waitForURL(/conversations\?findings=true/);
  await expect(rows(page)).toHaveCount(Number.parseInt(words!, 10));

  await page.goto(at());
  const latency = counted
    .locator("div")
    .filter({ hasText: /^p95 latency/ })
    .getByRole("link");
  const took = await latency.textContent();
  await latency.click();
  await page.waitForURL(/costs\?range=custom/);
  await expect(section(page, "p95 latency")).toContainText(took!);
});

test("what is new since the last visit is counted, and opens as a list that can be widened", async ({ page }) => {
  await send();
  const database = runningDatabase();
  const yesterday = Date.now() - 24 * 3_600_000;
  await database`
    update memberships set visited_at = ${yesterday}, visited_before_at = null where project_id = ${project.projectId}`;
  await database.end();
  await page.goto(at());
  const changed = section(page, "Since your last visit");
  await expect(changed).toContainText("You were here 1 d ago");
  await changed.getByRole("link", { name: "1 new" }).click();
  await page.waitForURL(/findings\?tab=all&event=created&since=\d+/);
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: /^Remove the filter “New since / }).click();
  await expect(page).not.toHaveURL(/since=/);
});

test("Home can be read without its script", async ({ browser, page }) => {
  await send();
  const state = await page.context().storageState();
  const context = await browser.newContext({ storageState: state, javaScriptEnabled: false, baseURL: project.url });
  const plain = await context.newPage();
  await plain.goto(at());
  await expect(section(plain, "Needs you").getByRole("link", { name: /get_order/ })).toBeVisible();
  await expect(section(plain, "The loop").getByRole("listitem")).toHaveCount(6);
  await context.close();
});

test("what a Finding's conversations have in common is shown beside the others, and leads to them", async ({
  page,
}) => {
  const talk = { ask: "Where is my order?", answer: "I cannot find it." };
  await seed(project, [
    ...Array.from({ length: 20 }, (_, n) => ({ ...talk, id: `good-${n}`, model: "gpt-4o" })),
    ...Array.from({ length: 4 }, (_, n) => ({ ...talk, id: `bad-${n}`, model: "gpt-4o-mini", failingTool: true })),
  ]);
  const { findings } = (await project.read("diagnostics/findings?ruleId=tool-failure")) as unknown as {
    findings: { id: string }[];
  };
  await page.goto(at(`/findings/${findings[0]!.id}`));
  const traits = section(page, "What these have in common");
  await expect(traits).toContainText("4 conversations compared with 20 others that its Rules checked.");
  const model = traits.getByRole("listitem").filter({ hasText: "Model gpt-4o-mini" });
  await expect(model).toContainText("4 of 4");
  await expect(model).toContainText("0% of the others");
  await showAs(page, LIGHT);
  await expectFitIn(page, LOOKS, "A Finding's traits", "[aria-label='What these have in common']");
  await model.getByRole("link").click();
  await page.waitForURL(/conversations\?model=gpt-4o-mini&finding=/);
  await expect(rows(page)).toHaveCount(4);
});
