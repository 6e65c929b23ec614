import { expect, type Page } from "@playwright/test";
import type { TestProject } from "./project";

/** Signs in as the project's person. */
export async function signIn(page: Page, project: TestProject) {
  const submit = page.getByRole("button", { name: "Sign in" });
  // On a busy machine, a browser sometimes gives up on a page's script, so the page is opened again.
  await expect(async () => {
    await page.goto(`${project.url}/sign-in?next=${encodeURIComponent(`/p/${project.projectId}/conversations`)}`);
    await expect(submit).toBeEnabled({ timeout: 20_000 });
  }).toPass({ timeout: 90_000 });
  await page.getByLabel("E-mail").fill(project.email);
  await page.getByLabel("Password", { exact: true }).fill(project.password);
  await submit.click();
  await page.waitForURL(`**/p/${project.projectId}/conversations`);
}
