import type { Page } from "@playwright/test";
import type { TestProject } from "./project";

/** Signs in as the project's person. */
export async function signIn(page: Page, project: TestProject) {
  await page.goto(`${project.url}/sign-in?next=${encodeURIComponent(`/p/${project.projectId}/conversations`)}`);
  await page.getByLabel("E-mail").fill(project.email);
  await page.getByLabel("Password", { exact: true }).fill(project.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`**/p/${project.projectId}/conversations`);
}
