import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { press } from "./support/press";
import { newProject } from "./support/project";
import { signIn } from "./support/sign-in";

test("a manager adds a connection, is told what is wrong with it, moves it and deletes it", async ({
  page,
  baseURL,
}) => {
  const project = newProject(baseURL!);
  await signIn(page, project);
  await page.goto(`/p/${project.projectId}/integrations`);
  await expect(page.getByText("No connections")).toBeVisible();
  await press(page.getByRole("button", { name: "Add connection" }).first(), page.getByRole("dialog"));
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add connection" }).click();
  await expect(dialog.getByText("Enter a name.")).toBeVisible();

  // A name that never resolves: nothing outside this machine is asked.
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
  await expect(row).toContainText("Failed");
  expect((await new AxeBuilder({ page }).include("main").analyze()).violations).toEqual([]);

  await row.getByRole("button", { name: "More for Our GitLab" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await dialog.getByLabel("Base URL").fill("https://elsewhere.invalid");
  await dialog.getByRole("button", { name: "Save connection" }).click();
  await expect(dialog.getByText(/enter it again for another host/)).toBeVisible();
  await dialog.getByLabel("Token").fill("glpat-another");
  await dialog.getByRole("button", { name: "Save connection" }).click();
  await expect(row).toContainText("elsewhere.invalid");
  await expect(row).toContainText("Not tested");

  await row.getByRole("button", { name: "More for Our GitLab" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(dialog).toContainText("cannot be undone");
  await dialog.getByRole("button", { name: "Delete connection" }).click();
  await expect(page.getByText("No connections")).toBeVisible();
});
