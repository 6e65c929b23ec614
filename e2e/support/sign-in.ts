import { expect, type Page } from "@playwright/test";
import type { TestProject } from "./project";

/** Signs in as the project's person, by request, and opens their project. */
export async function signIn(page: Page, { url, email, password, projectId }: TestProject) {
  const { request } = page.context();
  const { csrfToken } = await (await request.get(`${url}/api/auth/csrf`)).json();
  const reply = await request.post(`${url}/api/auth/callback/credentials`, {
    form: { csrfToken, email, password, callbackUrl: url, json: "true" },
  });
  expect(reply.status(), "the reply to signing in").toBe(200);
  await page.goto(`${url}/p/${projectId}/conversations`);
  await page.waitForURL(`**/p/${projectId}/conversations`);
}
