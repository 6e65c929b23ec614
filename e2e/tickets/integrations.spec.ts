import { newProject } from "../../testbed/data/project";
import { runningDatabase } from "../../testbed/product/running-database";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

test("a connection is added, tested, moved to another host and deleted, and its problems are shown", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  await page.goto(`/p/${project.projectId}/integrations`);
  await expect(page.getByText("No connections")).toBeVisible();
  await press(page.getByRole("button", { name: "Add connection" }).first(), page.getByRole("dialog"));
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add connection" }).click();
  await expect(dialog.getByText("Enter a name.")).toBeVisible();

  // A name that never resolves: nothing outside this machine is contacted.
  await dialog.getByLabel("Kind").selectOption("gitlab");
  await dialog.getByLabel("Name").fill("Our GitLab");
  await dialog.getByLabel("Base URL").fill("https://10.0.0.1/api/v4");
  await dialog.getByLabel("Token").fill("glpat-secret-of-the-journey");
  await dialog.getByRole("button", { name: "Add connection" }).click();
  await expect(dialog.getByText(/OUTBOUND_ALLOW/)).toBeVisible();
  await dialog.getByLabel("Base URL").fill("https://gitlab.invalid/api/v4");
  await dialog.getByRole("button", { name: "Add connection" }).click();
  await expect(dialog).toBeHidden();

  const row = page.getByRole("row", { name: /Our GitLab/ });
  await expect(row).toContainText("gitlab.invalid");
  await expect(row).toContainText("Not tested");
  expect(await page.content()).not.toContain("glpat-secret-of-the-journey");
  await row.getByRole("button", { name: "Test Our GitLab" }).click();
  // A test of a connection takes up to ten seconds.
  await expect(row).toContainText("Failed", { timeout: 30_000 });
  await expectSound(page, "", "main");

  await row.getByRole("button", { name: "More for Our GitLab" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await dialog.getByLabel("Base URL").fill("https://elsewhere.invalid");
  await dialog.getByRole("button", { name: "Save connection" }).click();
  await expect(dialog.getByText(/enter it again to use a different host/)).toBeVisible();
  await dialog.getByLabel("Token").fill("glpat-another");
  await dialog.getByRole("button", { name: "Save connection" }).click();
  await expect(row).toContainText("elsewhere.invalid");
  await expect(row).toContainText("Not tested");

  await row.getByRole("button", { name: "More for Our GitLab" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(dialog).toContainText("can’t be undone");
  await dialog.getByRole("button", { name: "Delete connection" }).click();
  await expect(page.getByText("No connections")).toBeVisible();
});

test("a notification rule for a webhook is added, turned off, deleted, and restored by undo", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  await page.goto(`/p/${project.projectId}/integrations/notifications`);
  await expect(page.getByText("It needs a connection of kind webhook")).toBeVisible();
  const created = await fetch(`${project.url}/v1/projects/${project.projectId}/connections`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await project.newKey("connections:manage")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      kind: "webhook",
      name: "On call",
      baseUrl: "https://hooks.invalid/1",
      secret: "a signing key",
    }),
  });
  expect(created.status).toBe(201);
  await page.reload();

  const dialog = page.getByRole("dialog");
  await press(page.getByRole("button", { name: "Add notification" }).first(), dialog);
  await dialog.getByRole("button", { name: "Add notification" }).click();
  await expect(dialog.getByText("Enter a name.")).toBeVisible();
  await dialog.getByLabel("Name").fill("Wake somebody up");
  await dialog.getByLabel("New", { exact: true }).uncheck();
  await dialog.getByLabel("Minimum severity").selectOption("critical");
  await dialog.getByRole("button", { name: "Add notification" }).click();
  await expect(dialog).toBeHidden();

  const row = page.getByRole("row", { name: /Wake somebody up/ });
  await expect(row).toContainText("Regressed, Escalating");
  await expect(row).toContainText("On call");
  await expectSound(page, "", "main");
  await row.getByRole("switch").click({ force: true });
  await expect(page.getByText("Turned off “Wake somebody up”.")).toBeVisible();

  // The list is refetched after the switch, which may close a menu that is just opening.
  await expect(async () => {
    const entry = page.getByRole("menuitem", { name: "Delete" });
    if (!(await entry.isVisible())) {
      await row.getByRole("button", { name: "More for Wake somebody up" }).click({ timeout: 2000 });
    }
    await entry.click({ timeout: 2000 });
  }).toPass({ timeout: 30_000 });
  await expect(row).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toBeVisible();

  await page.getByRole("tab", { name: "Deliveries", exact: true }).click();
  await expect(page.locator("#content").getByText("Nothing sent yet")).toBeVisible();
  await expect(page).toHaveURL(/integrations\/deliveries/);
});

test("a webhook that is down is paused on every page of Integrations, and resumed by a click", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  const reply = await page.request.post(`${baseURL}/v1/projects/${project.projectId}/connections`, {
    headers: { origin: baseURL! },
    data: { kind: "webhook", name: "Alerts", baseUrl: "https://hooks.invalid/alerts", secret: "a signing secret" },
  });
  expect(reply.status()).toBe(201);
  const sql = runningDatabase();
  await sql`update connections set paused_at = ${Date.now() - 7_200_000} where project_id = ${project.projectId}`;
  await sql.end();
  for (const path of ["", "/notifications", "/deliveries"]) {
    await page.goto(`/p/${project.projectId}/integrations${path}`);
    await expect(page.getByText(/“Alerts” accepted nothing for a day/)).toBeVisible();
  }
  await expectSound(page, "", "main");
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText(/Resumed “Alerts”/)).toBeVisible();
  await expect(page.getByText(/accepted nothing for a day/)).toBeHidden();
});
