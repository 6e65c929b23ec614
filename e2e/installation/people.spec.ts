import type { Page } from "@playwright/test";
import { cli, newProject } from "../../testbed/data/project";
import { seen } from "../support/seen";
import { authenticate, signIn } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** How an owner of the installation manages people, in a browser. */

const DATA_DIR = process.env.E2E_DATA_DIR ?? "";

async function choose(page: Page, email: string, item: string) {
  await page.getByRole("button", { name: `Actions for ${email}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("only an owner of the installation can let a person create projects, disable them and erase them", async ({
  browser,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const [mine, theirs] = [await newProject(baseURL!), await newProject(baseURL!)];
  cli(DATA_DIR, "user", "rights", "--email", mine.email, "--installation-owner", "on");
  const owner = await (await browser.newContext()).newPage();
  const guest = await (await browser.newContext()).newPage();
  await authenticate(guest, theirs);
  const people = (project: typeof mine) => `${project.url}/p/${project.projectId}/people`;

  // The guest has no right outside their project.
  await guest.goto(people(theirs));
  await expect(seen(guest, "For owners of the installation only")).toBeVisible();
  const newProjectItem = guest.getByRole("menuitem", { name: "New project…" });
  await guest.getByRole("button", { name: /^Project .*switch$/ }).click();
  await expect(guest.getByText("Projects", { exact: true }).first()).toBeVisible();
  await expect(newProjectItem).toHaveCount(0);

  await signIn(owner, mine);
  await owner.getByRole("button", { name: `Account ${mine.email}` }).click();
  await owner.getByRole("menuitem", { name: "People" }).click();
  await owner.waitForURL("**/people");
  const row = owner.getByRole("row").filter({ hasText: theirs.email });
  await expect(row).toContainText("Journey (owner)");
  await expectSound(owner);

  await choose(owner, theirs.email, "Allow project creation");
  await expect(row.getByText("Can create projects")).toBeVisible();
  await guest.reload();
  await guest.getByRole("button", { name: /^Project .*switch$/ }).click();
  await expect(newProjectItem).toBeVisible();

  await choose(owner, theirs.email, "Disable…");
  await owner.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await expect(row.getByText("Disabled")).toBeVisible();
  // Their open page updates automatically, and the password no longer works.
  await expect(guest.getByText(/signed out/i).first()).toBeVisible({ timeout: 20_000 });
  await guest.goto(`${theirs.url}/sign-in`);
  await guest.getByLabel("E-mail").fill(theirs.email);
  await guest.getByLabel("Password", { exact: true }).fill(theirs.password);
  await guest.getByRole("button", { name: "Sign in" }).click();
  await expect(guest.getByText("This account is disabled.")).toBeVisible();

  await choose(owner, theirs.email, "Erase…");
  const dialog = owner.getByRole("dialog");
  await dialog.getByLabel(/^Type/).fill(theirs.email);
  const erase = dialog.getByRole("button", { name: "Erase permanently" });
  await expect(erase).toBeDisabled();
  await dialog.getByLabel(/Nobody else owns “Journey”/).fill(mine.email);
  await owner.getByRole("option", { name: mine.email }).click();
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await expect(dialog.getByText(/Nobody else owns/)).toHaveCount(0);
  await dialog.getByLabel(/^Type/).fill(theirs.email);
  await erase.click();
  await expect(row).toHaveCount(0);
  await owner.goto(`${theirs.url}/p/${theirs.projectId}/members`);
  await expect(owner.getByRole("row").filter({ hasText: mine.email })).toContainText("Owner");
  await owner.context().close();
  await guest.context().close();
});
