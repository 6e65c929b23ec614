import { expect, test } from "@playwright/test";
import { newProject } from "./support/project";

test("what the fields held before the page's script came, as a password manager fills them, is what is sent", async ({
  page,
  baseURL,
}) => {
  const project = newProject(baseURL!);
  let letScriptsCome = () => {};
  const wanted = new Promise<void>((resolve) => {
    letScriptsCome = resolve;
  });
  await page.route("**/_next/static/**/*.js", async (route) => {
    await wanted;
    await route.continue();
  });
  await page.goto(`/sign-in?next=/p/${project.projectId}/conversations`, { waitUntil: "commit" });
  await page.getByLabel("E-mail").fill(project.email);
  await page.getByLabel("Password", { exact: true }).fill(project.password);
  await expect(page.getByRole("button", { name: "Sign in" })).toBeDisabled();
  letScriptsCome();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`**/p/${project.projectId}/conversations`);
});
