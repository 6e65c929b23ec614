import { newProject } from "../../testbed/data/project";
import { authenticate } from "../support/sign-in";
import { expectSound, showIn } from "../support/sound";
import { expect, test } from "../support/test";

test("values filled in before the page's script runs, as by a password manager, are submitted", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
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

test("a person whose password was reset through an owner's link sees who created it, until they acknowledge it", async ({
  browser,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  const owner = await browser.newContext({ baseURL: baseURL! });
  await authenticate(await owner.newPage(), project);
  const at = `/v1/projects/${project.projectId}`;
  const post = async (path: string) =>
    (await owner.request.post(`${at}/${path}`, { headers: { origin: baseURL! }, data: {} })).json();

  const member = await browser.newContext({ baseURL: baseURL!, reducedMotion: "reduce" });
  const page = await member.newPage();
  const email = `${crypto.randomUUID()}@example.test`;
  await page.goto(`/invite#token=${(await post("invitations")).token}`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill("a long enough password");
  await page.getByRole("button", { name: "Create account and join" }).click();
  await page.waitForURL(`**/p/${project.projectId}`);

  const { members } = await (await owner.request.get(`${at}/members`)).json();
  const { userId } = members.find((one: { email: string }) => one.email === email);
  await page.goto(`/reset#token=${(await post(`members/${userId}/password-resets`)).token}`);
  await page.getByRole("textbox", { name: "New password" }).fill("another long password");
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.waitForURL(`**/p/${project.projectId}`);
  const notice = page.getByRole("region", { name: "Password reset" });
  await expect(notice).toContainText(`with a link that ${project.email} created`);
  await expect(notice.getByRole("button", { name: "Got it" })).toBeEnabled();
  for (const [colorScheme, width] of [
    ["light", 1440],
    ["dark", 390],
  ] as const) {
    await showIn(page, colorScheme);
    await page.setViewportSize({ width, height: 844 });
    await expectSound(page);
    await test.info().attach(`reset-notice-${colorScheme}-${width}`, {
      body: await page.screenshot(),
      contentType: "image/png",
    });
  }
  await notice.getByRole("button", { name: "Got it" }).click();
  await expect(notice).toBeHidden();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Home" })).toBeVisible();
  await expect(notice).toBeHidden();
  await owner.close();
  await member.close();
});
