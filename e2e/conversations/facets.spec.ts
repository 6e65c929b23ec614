import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { DARK, DARK_PHONE, expectFit, inLooks, LIGHT, LIGHT_PHONE, showAs } from "../support/looks";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Facets of conversations and Examples: several values of a facet at a time, each counted under the other facets' filters. */

let project: TestProject;

test.beforeEach(async ({ page, baseURL }) => {
  project = await newProject(baseURL!);
  const talk = (id: string, model: string, labels: string[], failingTool = false, user: { user?: null } = {}) => ({
    id,
    model,
    ask: `Question ${id}`,
    answer: "An answer.",
    labels,
    failingTool,
    ...user,
  });
  await seed(
    project,
    [
      talk("a", "gpt-4o", ["web"], false, { user: null }),
      talk("b", "gpt-4o", ["app"], true),
      talk("c", "gpt-4o-mini", ["web", "beta"], true),
      talk("d", "acme-1", ["beta"]),
    ],
    { diagnosed: false },
  );
  await signIn(page, project);
});

const rows = (page: Page) => page.getByRole("table", { name: "Conversations", exact: true }).locator("[data-row]");
const panel = (page: Page) => page.getByRole("complementary", { name: "Filters" });
const value = (page: Page, name: string) => panel(page).getByRole("button", { name: new RegExp(`^${name} ?\\d+$`) });
const chips = (page: Page) => page.getByRole("list", { name: "Active filters" }).getByRole("button");

test("several models match any of them, counts follow the other filters, and an action applies to all filtered rows", async ({
  page,
}) => {
  await expect(rows(page)).toHaveCount(4);
  await expect(value(page, "gpt-4o")).toContainText("2");
  await value(page, "gpt-4o").click();
  await expect(rows(page)).toHaveCount(2);
  // The filtered facet's own counts stay, the others are counted under the filter.
  await expect(value(page, "gpt-4o-mini")).toHaveText(/1$/);
  await expect(value(page, "web")).toHaveText(/1$/);
  await expect(value(page, "With errors")).toHaveText(/1$/);

  await value(page, "gpt-4o-mini").click();
  await expect(rows(page)).toHaveCount(3);
  await expect(page).toHaveURL(/model=gpt-4o&model=gpt-4o-mini/);
  await expect(value(page, "web")).toHaveText(/2$/);
  await expect(value(page, "gpt-4o")).toHaveAttribute("aria-pressed", "true");
  await value(page, "web").click();
  await expect(rows(page)).toHaveCount(2);
  await expect(value(page, "acme-1")).toHaveCount(0);
  await expect(chips(page)).toHaveText(["Model: gpt-4o", "Model: gpt-4o-mini", "Label: web"]);

  await rows(page).first().focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Add").fill("both");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Change labels" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Changed the labels of 2 of 2" })).toBeVisible();
  const labelled = (await project.read("conversations?label=both")).conversations as unknown as {
    externalId: string;
  }[];
  expect(labelled.map(({ externalId }) => externalId).sort()).toEqual(["a", "c"]);

  await page.getByRole("button", { name: "Remove the filter Model: gpt-4o", exact: true }).click();
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await expect(chips(page)).toHaveText(["Model: gpt-4o-mini", "Label: web"]);
});

test("a range narrows the list, and the downloaded file has what the list shows", async ({ page }) => {
  await expect(rows(page)).toHaveCount(4);
  const least = panel(page).getByLabel("Duration from (s)");
  await least.fill("3600");
  await least.press("Enter");
  await expect(rows(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Remove the filter Duration: at least 3600 s" }).click();
  await expect(least).toHaveValue("");
  await value(page, "acme-1").click();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: "Download these conversations" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "JSON Lines" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("conversations.jsonl");
  const lines = readFileSync(await file.path(), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line).externalId)).toEqual(["d"]);
});

test("a URL with one value filters, a saved view keeps several, and facets fit a phone in both colour schemes", async ({
  page,
}) => {
  await page.goto(`${project.url}/p/${project.projectId}/conversations?model=gpt-4o&label=web`);
  await expect(rows(page)).toHaveCount(1);
  await page.goto(`${project.url}/p/${project.projectId}/conversations?model=acme-1&model=gpt-4o-mini`);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("button", { name: /^Saved views/ }).click();
  await page.getByRole("menuitem", { name: "Save view…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByLabel("Name").fill("Two models");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(page.getByRole("button", { name: "Saved views: Two models" })).toBeVisible();
  await page.goto(`${project.url}/p/${project.projectId}/conversations`);
  await expect(rows(page)).toHaveCount(4);
  await page.getByRole("button", { name: /^Saved views/ }).click();
  await page.getByRole("menuitem", { name: "Two models" }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(chips(page)).toHaveText(["Model: acme-1", "Model: gpt-4o-mini"]);

  await showAs(page, LIGHT);
  await inLooks(page, [LIGHT, DARK, LIGHT_PHONE, DARK_PHONE], async ({ scheme, width }, parts) => {
    if (width === 390 && !(await panel(page).isVisible())) await page.getByRole("button", { name: /^Filters/ }).click();
    await expect(value(page, "acme-1")).toHaveAttribute("aria-pressed", "true");
    await expectFit(page, `facets ${scheme} ${width}`, undefined, parts);
  });
});

test("the costs of calls without a user link to their conversations, and a saved view keeps the filter", async ({
  page,
}) => {
  const at = `${project.url}/p/${project.projectId}`;
  await page.goto(`${at}/costs?by=user`);
  const costs = page.getByRole("table", { name: "Costs", exact: true });
  await expect(page.getByRole("list", { name: "Colours" }).getByRole("link", { name: "No user" })).toBeVisible();
  await costs.getByRole("link", { name: "No user" }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText("Question a");
  await expect(page).toHaveURL(/conversations\?.*hasUser=false/);
  await expect(chips(page)).toHaveText(["No user"]);

  await page.goto(`${at}/conversations`);
  await expect(value(page, "No user")).toHaveText(/1$/);
  await value(page, "With a user").click();
  await expect(rows(page)).toHaveCount(3);
  await value(page, "No user").click();
  await expect(rows(page)).toHaveCount(1);
  await expect(value(page, "gpt-4o-mini")).toHaveCount(0);
  await page.getByRole("button", { name: /^Saved views/ }).click();
  await page.getByRole("menuitem", { name: "Save view…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByLabel("Name").fill("Anonymous");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(page.getByRole("button", { name: "Saved views: Anonymous" })).toBeVisible();
  await page.getByRole("button", { name: "Remove the filter No user" }).click();
  await expect(rows(page)).toHaveCount(4);
  await page.getByRole("button", { name: /^Saved views/ }).click();
  await page.getByRole("menuitem", { name: "Anonymous", exact: true }).click();
  await expect(rows(page)).toHaveCount(1);
  expect((await project.read("conversations?hasUser=false")).conversations).toMatchObject([{ externalId: "a" }]);
});

test("Examples match any of several splits, counts follow the other filters, and a URL with single values filters", async ({
  page,
}) => {
  const headers = {
    authorization: `Bearer ${await project.newKey("models:manage", "workspace:read")}`,
    "content-type": "application/json",
  };
  const send = async (path: string, data: object) => {
    const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(data),
    });
    expect(reply.ok, `${path}: ${reply.status}`).toBe(true);
    return reply.json();
  };
  const { dataset } = await send("datasets", { name: "Answers" });
  for (const [split, tags] of [
    ["train", ["web"]],
    ["train", ["app"]],
    ["validation", ["web", "beta"]],
    ["test", ["app"]],
  ] as const)
    await send(`datasets/${dataset.id}/examples`, {
      split,
      tags,
      payload: {
        input: { type: "chat", messages: [{ role: "user", content: `Of ${split} by ${tags.join()}` }] },
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: "Yes." } },
      },
    });
  const at = `${project.url}/p/${project.projectId}/datasets/${dataset.id}`;
  const examples = page.getByRole("table", { name: "Examples", exact: true }).locator("[data-row]");
  await page.goto(at);
  await expect(examples).toHaveCount(4);
  await value(page, "Train").click();
  await expect(examples).toHaveCount(2);
  await expect(value(page, "Validation")).toHaveText(/1$/);
  await expect(value(page, "web")).toHaveText(/1$/);
  await value(page, "Validation").click();
  await expect(examples).toHaveCount(3);
  await expect(page).toHaveURL(/split=train&split=validation/);
  await value(page, "web").click();
  await expect(examples).toHaveCount(2);
  await expect(value(page, "app")).toHaveText(/1$/);
  await expect(chips(page)).toHaveText(["Split: Train", "Split: Validation", "Tag: web"]);
  await page.getByRole("button", { name: "Remove the filter Split: Train" }).click();
  await expect(examples).toHaveCount(1);

  await page.goto(`${at}?split=train&tag=app`);
  await expect(examples).toHaveCount(1);
  await expect(chips(page)).toHaveText(["Split: Train", "Tag: app"]);
});
