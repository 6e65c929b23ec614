import type { Page } from "@playwright/test";
import { newProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { storeJob } from "../../testbed/product/jobs";
import { runningDatabase } from "../../testbed/product/running-database";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** The lists of audit entries, jobs and Rule Runs: routine rows are folded into one line, and failures stand out. */

const rows = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody").getByRole("row");

test("completed jobs between failures fold into a line that the keyboard opens, unless the list is filtered or sorted", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  // Waits for the Rules, whose job would otherwise be an extra one.
  await seed(project, [{ id: "one", model: "gpt-4o", ask: "Where is it?", answer: "On its way." }]);
  await authenticate(page, project);
  const sql = runningDatabase();
  try {
    const [conversation] = await sql`select id from conversations where project_id = ${project.projectId}`;
    await sql`delete from job_runs where project_id = ${project.projectId}`;
    const start = Date.now() - 3_600_000;
    const states = [
      "completed",
      "completed",
      "completed",
      "failed",
      "completed",
      "completed",
      "completed",
      "completed",
    ];
    for (const [n, state] of states.entries())
      await storeJob(sql, project.projectId, {
        state: state as "completed" | "failed",
        createdAt: start + n * 1000,
        data: state === "failed" ? { conversationId: conversation!.id } : {},
        ...(state === "failed" ? { error: { name: "Error", message: "The tape is worn out." } } : {}),
      });
    await page.goto(`/p/${project.projectId}/jobs`);
    const folds = page.getByRole("table", { name: "Jobs" }).getByRole("button", { name: /completed/ });
    await expect(folds).toHaveText([/^4 completed Measure stored size \(4\)/, /^3 completed/]);
    const failed = rows(page, "Jobs").filter({ hasText: "The tape is worn out." });
    await expect(failed).toContainText("Failed");
    await expect(failed.getByRole("button", { name: "Copy id" })).toBeVisible();
    await expect(failed.getByRole("link", { name: "Where is it?" })).toHaveAttribute(
      "href",
      `/p/${project.projectId}/conversations/${conversation!.id}`,
    );

    await expect(async () => {
      await page.keyboard.press("k");
      await expect(folds.first()).toBeFocused({ timeout: 1000 });
    }).toPass();
    await page.keyboard.press("Enter");
    await expect(folds.first()).toHaveAttribute("aria-expanded", "true");
    await expect(rows(page, "Jobs").filter({ hasText: "Done" })).toHaveCount(4);
    await page.keyboard.press("Enter");
    await expect(rows(page, "Jobs").filter({ hasText: "Done" })).toHaveCount(0);

    await page.goto(`/p/${project.projectId}/jobs?state=completed`);
    await expect(rows(page, "Jobs").filter({ hasText: "Done" })).toHaveCount(7);
    await expect(folds).toHaveCount(0);
    await page.goto(`/p/${project.projectId}/jobs?sort=took`);
    await expect(rows(page, "Jobs").filter({ hasText: "Done" })).toHaveCount(7);
  } finally {
    await sql.end();
  }
});

test("Rule Runs show their conversation's first message, and those that found nothing fold into one line", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  await seed(project, [
    { id: "bad", model: "gpt-4o", ask: "Where is order 1042?", answer: "I can't find it.", failingTool: true },
    { id: "good", model: "gpt-4o", ask: "Is it blue?", answer: "It is." },
  ]);
  await authenticate(page, project);
  await page.goto(`/p/${project.projectId}/rule-runs`);
  const table = page.getByRole("table", { name: "Rule Runs" });
  const found = rows(page, "Rule Runs").filter({ hasText: "1 occurrence" }).first();
  await expect(found.getByRole("link", { name: "Tool failure" })).toHaveAttribute("href", /rules\/tool-failure$/);
  await expect(found.getByRole("link", { name: "Where is order 1042?" })).toBeVisible();
  await expect(found).toContainText("conv_");
  await expect(table).not.toContainText("Is it blue?");
  const fold = table.getByRole("button", { name: /completed and found nothing/ }).first();
  await fold.click();
  await expect(fold).toHaveAttribute("aria-expanded", "true");
  await expect(rows(page, "Rule Runs").filter({ hasText: "Nothing found" }).first()).toBeVisible();

  // On a phone, the conversation takes the row's width, with the Rule and the outcome below it.
  await page.setViewportSize({ width: 390, height: 844 });
  const onPhone = rows(page, "Rule Runs").filter({ hasText: "1 occurrence" }).first();
  await expect(onPhone.getByRole("link", { name: "Tool failure" })).toBeVisible();
  await expect(onPhone.getByText("1 occurrence").locator("visible=true")).toBeVisible();
  await expect(fold).toBeVisible();
  const title = (await onPhone.getByRole("link", { name: "Where is order 1042?" }).boundingBox())!;
  expect(title.width).toBeGreaterThan(280);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(1);
});

test("the audit log names each changed object, and folds repeated changes by the same person into one line", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  const at = `${project.url}/v1/projects/${project.projectId}`;
  const send = (path: string, data: object) =>
    page.request.post(`${at}/${path}`, { headers: { origin: project.url }, data });
  const created = await send("datasets", { name: "Refunds" });
  expect(created.status()).toBe(201);
  const { dataset } = await created.json();
  for (let n = 0; n < 4; n++)
    await page.request.patch(`${at}/datasets/${dataset.id}`, {
      headers: { origin: project.url },
      data: { name: `Returns ${n}` },
    });
  await page.goto(`/p/${project.projectId}/audit`);
  const line = rows(page, "Audit log").filter({ hasText: "Created the Dataset" });
  await expect(line).toContainText("Created the Dataset Returns 3");
  await expect(line.getByText(dataset.id)).toBeVisible();
  const fold = page.getByRole("button", { name: /^Changed the Dataset: 4 times in a row, by / });
  await fold.click();
  await expect(rows(page, "Audit log").filter({ hasText: /^.*Changed the Dataset Returns 3/ })).toHaveCount(4);
  await line.getByRole("link", { name: "Returns 3" }).click();
  await expect(page).toHaveURL(new RegExp(`/datasets/${dataset.id}`));

  expect((await page.request.delete(`${at}/datasets/${dataset.id}`, { headers: { origin: project.url } })).ok()).toBe(
    true,
  );
  await page.goto(`/p/${project.projectId}/audit`);
  await expect(line).toContainText(`Created the Dataset ${dataset.id}`);
  // Filtered by this object, nothing is folded.
  await page.goto(`/p/${project.projectId}/audit?target=${dataset.id}`);
  await expect(rows(page, "Audit log")).toHaveCount(6);
});
