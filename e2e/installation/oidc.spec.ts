import type { Browser, Page } from "@playwright/test";
import { startMailServer } from "@/server/services/mail/testing";
import { freePort } from "../../scripts/lib/database/postgres.mjs";
import { CLIENT, startProvider } from "../../server/auth/testing/provider";
import { setupLinkOf, startProduct } from "../../testbed/product/product";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** A team with an OpenID Connect provider and a mail server: invitations, strangers, password resets. */

const OWNER = { email: "owner@example.test", password: "a long enough password" };
const ANN = { login: "ann", email: "ann@example.test" };

let stop: (() => Promise<unknown>)[] = [];
test.afterEach(async () => {
  for (const one of stop) await one();
  stop = [];
});

async function installation(more: Record<string, string> = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const provider = await startProvider({ redirectUri: `${url}/api/auth/callback/oidc` });
  stop.push(provider.stop);
  provider.person(ANN.login, { sub: "1", email: ANN.email, email_verified: true, name: "Ann" });
  provider.person("owner", { sub: "0", email: OWNER.email, email_verified: true });
  provider.person("stranger", { sub: "2", email: "stranger@example.test", email_verified: true });
  const mail = await startMailServer();
  stop.push(mail.stop);
  const product = await startProduct({
    port,
    env: {
      PUBLIC_URL: url,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: "Acme",
      SMTP_URL: mail.url,
      MAIL_FROM: "Whetstone <whetstone@example.test>",
      ...more,
    },
  });
  stop.unshift(product.stop);
  return { url, product, mail };
}

async function expectSoundAndLive(page: Page) {
  // The page's script has run: controls that were disabled until then are enabled.
  await expect(page.locator("button:disabled")).toHaveCount(0);
  await expectSound(page);
}

/** The provider's own page. */
async function signInAtAcme(page: Page, login: string) {
  await expect(page.getByRole("heading", { name: "Acme" })).toBeVisible();
  await page.getByLabel("Login").fill(login);
  await page.getByRole("button", { name: "Sign in at Acme" }).click();
}

async function newPage(browser: Browser) {
  const context = await browser.newContext();
  stop.push(() => context.close());
  return context.newPage();
}

test("a person invited by e-mail signs in through the provider, and a stranger cannot", async ({ browser }) => {
  test.setTimeout(240_000);
  const { url, product, mail } = await installation();
  const linkMailedTo = async (to: string, page: "invite" | "reset") => {
    const link = new RegExp(`${url}/${page}#token=\\S+`);
    const found = () => mail.received.filter((one) => one.to.includes(to)).map(({ text }) => link.exec(text)?.[0]);
    await expect.poll(() => found().filter(Boolean).length, { timeout: 60_000 }).toBeGreaterThan(0);
    return found().filter(Boolean).at(-1)!;
  };

  const owner = await newPage(browser);
  await test.step("the owner invites a person by e-mail", async () => {
    await owner.goto(await setupLinkOf(product));
    await owner.getByLabel("E-mail").fill(OWNER.email);
    await owner.getByRole("textbox", { name: "Password" }).fill(OWNER.password);
    await owner.getByLabel("First project").fill("Shop");
    await owner.getByRole("button", { name: "Create account and project" }).click();
    await owner.waitForURL(/\/p\/prj_\w+\/send-a-trace/);
    await owner.goto(owner.url().replace("send-a-trace", "members"));
    await press(owner.getByRole("button", { name: "Invite" }), owner.getByRole("dialog"));
    await owner.getByLabel("E-mail (optional)").fill(ANN.email);
    await expect(seen(owner, "and the link is e-mailed to it")).toBeVisible();
    await owner.getByRole("button", { name: "Create invite link" }).click();
    await expect(seen(owner, `The link was e-mailed to ${ANN.email}`)).toBeVisible();
  });

  const ann = await newPage(browser);
  await test.step("the mailed link leads through the provider into the project", async () => {
    await ann.goto(await linkMailedTo(ANN.email, "invite"));
    await expect(ann.getByRole("heading", { name: "Join Shop" })).toBeVisible();
    await expectSoundAndLive(ann);
    await ann.getByRole("button", { name: "Continue with Acme" }).click();
    await signInAtAcme(ann, ANN.login);
    await expect(seen(ann, `You are signed in as ${ANN.email}`)).toBeVisible();
    await ann.getByRole("button", { name: "Join the project" }).click();
    await ann.waitForURL(/\/p\/prj_\w+$/);
  });

  const again = await newPage(browser);
  await test.step("in another browser she signs in to the same account and ends the first session", async () => {
    await again.goto(`${url}/sign-in`);
    await expectSoundAndLive(again);
    await again.getByRole("button", { name: "Continue with Acme" }).click();
    await signInAtAcme(again, ANN.login);
    await again.waitForURL(/\/p\/prj_\w+$/);
    await again.goto(`${again.url()}/account`);
    await expect(seen(again, "You have no password: you sign in with Acme.")).toBeVisible();
    await expect(seen(again, `You sign in as ${ANN.email}.`)).toBeVisible();
    const others = again.getByRole("button", { name: "Sign out all others" });
    await expect(async () => {
      await others.click({ timeout: 1000 }).catch(() => {});
      await expect(others).toBeHidden({ timeout: 2000 });
    }).toPass({ timeout: 20_000 });
    await ann.reload();
    await expect(ann).toHaveURL(/\/sign-in\?next=/);
  });

  await test.step("a cancelled sign-in and a stranger's sign-in show an explanation", async () => {
    const stranger = await newPage(browser);
    await stranger.goto(`${url}/sign-in?next=%2Fp%2Fprj_1%2Ffindings`);
    await stranger.getByRole("button", { name: "Continue with Acme" }).click();
    await stranger.getByRole("button", { name: "Cancel" }).click();
    await expect(
      stranger.getByRole("alert").filter({ hasText: "Signing in with Acme was not completed." }),
    ).toBeVisible();
    await stranger.getByRole("button", { name: "Continue with Acme" }).click();
    await signInAtAcme(stranger, "stranger");
    await expect(
      stranger.getByRole("alert").filter({ hasText: "You have no account here and no invitation." }),
    ).toBeVisible();
    await expectSoundAndLive(stranger);
  });

  await test.step("she sets a password through a mailed link and is signed in", async () => {
    await again.getByRole("button", { name: "E-mail me a link" }).click();
    await expect(seen(again, `Sent a link to ${ANN.email}`)).toBeVisible();
    const link = await linkMailedTo(ANN.email, "reset");
    await ann.goto(`${url}/sign-in`);
    await ann.getByRole("link", { name: "Forgot your password?" }).click();
    await expect(ann.getByRole("button", { name: "E-mail me a link" })).toBeVisible();
    await expectSoundAndLive(ann);
    await ann.goto(link);
    await ann.getByRole("textbox", { name: "New password" }).fill("a password of her own");
    await ann.getByRole("button", { name: "Set password and sign in" }).click();
    await ann.waitForURL(/\/p\/prj_\w+$/);
    await again.reload();
    await expect(again).toHaveURL(/\/sign-in\?next=/);
  });
});

test("with passwords switched off, the first owner signs in through the provider", async ({ browser }) => {
  const { product, url } = await installation({ PASSWORD_SIGN_IN: "off" });
  const owner = await newPage(browser);
  await owner.goto(await setupLinkOf(product));
  await owner.getByLabel("E-mail").fill(OWNER.email);
  await expect(owner.getByText("Password")).toHaveCount(0);
  await expectSoundAndLive(owner);
  await owner.getByRole("button", { name: "Create the project and continue with Acme" }).click();
  await signInAtAcme(owner, "owner");
  await owner.waitForURL(/\/p\/prj_\w+\/send-a-trace/);
  await expect(owner.getByRole("main")).toContainText(/whet_\w+/);

  const visitor = await newPage(browser);
  await visitor.goto(`${url}/sign-in`);
  await expect(visitor.getByRole("button", { name: "Continue with Acme" })).toBeVisible();
  await expect(visitor.getByText("Password")).toHaveCount(0);
  await expectSoundAndLive(visitor);
});
