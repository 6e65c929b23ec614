import { expect, type Page } from "@playwright/test";
import type { TestProject } from "../../testbed/data/project";

/** Signs in as the project's person, by request: the browser's pages have the session from then on. */
export async function authenticate(page: Page, { url, email, password }: TestProject) {
  const { request } = page.context();
  const { csrfToken } = await (await request.get(`${url}/api/auth/csrf`)).json();
  const reply = await request.post(`${url}/api/auth/callback/credentials`, {
    form: { csrfToken, email, password, callbackUrl: url, json: "true" },
  });
  expect(reply.status(), "the reply to signing in").toBe(200);
}

/** Signs in and opens the project's conversations, for tests that begin there. */
export async function signIn(page: Page, project: TestProject) {
  await authenticate(page, project);
  await page.goto(`${project.url}/p/${project.projectId}/conversations`);
  await page.waitForURL(`**/p/${project.projectId}/conversations`);
}
