import type { Page } from "@playwright/test";
import { isLong } from "../../scripts/lib/testing/amounts.mjs";
import { cli, newProject, type TestProject } from "../../testbed/data/project";
import { answersFromHome } from "../support/answers-from-home";
import { DARK, DARK_PHONE, inLooks, LIGHT, LIGHT_PHONE, showAs } from "../support/looks";
import { press } from "../support/press";
import { signIn } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

const LOAD_MS = 90_000;

async function explorer(url: string): Promise<TestProject> {
  const project = await newProject(url);
  cli(process.env.E2E_DATA_DIR ?? "", "user", "rights", "--email", project.email, "--create-projects", "on");
  return project;
}

/** Checks the accessibility of a page of the sample and saves screenshots, light and dark, wide and narrow. */
async function lookAt(page: Page, name: string) {
  await showAs(page, LIGHT);
  await inLooks(page, [LIGHT, DARK, LIGHT_PHONE, DARK_PHONE], async (look, parts) => {
    await expect(sampleBar(page)).toBeVisible();
    if (parts.length > 0) await expectSound(page, "", undefined, parts);
    await savePicture(page, `${name}-${look.scheme}-${look.width}`);
  });
}

/** For a person to look at, which nobody does after every change. */
async function savePicture(page: Page, name: string) {
  if (isLong) await test.info().attach(name, { body: await page.screenshot(), contentType: "image/png" });
}

const sampleBar = (page: Page) => page.getByRole("complementary", { name: "Sample project" });

test("a person with an empty project loads the sample, sees its Findings and removes it", async ({ page, baseURL }) => {
  test.setTimeout(300_000);
  const project = await explorer(baseURL!);
  await signIn(page, project);

  await test.step("one click in an empty project loads the sample into a separate project", async () => {
    await page.getByRole("button", { name: "Explore a sample project" }).click();
    await page.waitForURL((url) => /\/p\/prj_\w+$/.test(url.href) && !url.href.includes(project.projectId));
    await expect(sampleBar(page)).toContainText("Sample");
    await expect(sampleBar(page)).toContainText("isn’t counted in any totals", { timeout: LOAD_MS });
    await expect(page.getByRole("heading", { name: "Needs you" })).toBeVisible();
    await expect(page.getByRole("button", { name: /Project Sample shop, switch/ })).toContainText("Sample");
  });

  await test.step("its page is accessible in light and dark, wide and narrow", async () => {
    await lookAt(page, "sample");
  });

  const sampleId = /prj_\w+/.exec(page.url())![0];
  await test.step("the kinds of failure are Findings, of which one is proven fixed and one regressed", async () => {
    await page.goto(`/p/${sampleId}/findings?tab=all`);
    for (const title of [
      "The assistant replies in English where another language is expected",
      /track_parcel is called again and again with the same result/,
      /different refundable than get_order returned/,
      /The assistant ignores the user's correction/,
      "An answer is empty",
      "The assistant refuses",
    ]) {
      await expect(page.getByRole("link", { name: title }).first()).toBeVisible();
    }
    await savePicture(page, "sample-findings");
    for (const [title, verdict] of [
      ["The assistant replies in English where another language is expected", "Proven"],
      [/The assistant ignores the user's correction/, "Not enough yet"],
    ] as const) {
      await page.goto(`/p/${sampleId}/findings?tab=resolved`);
      await page.getByRole("link", { name: title }).first().click();
      await expect(page.getByRole("region", { name: "Since the fix" })).toContainText(verdict);
      await expectSound(page);
      await savePicture(page, `sample-${verdict}`);
    }
    await page.goto(`/p/${sampleId}/findings?tab=regressed`);
    await expect(page.getByRole("link", { name: /track_parcel/ }).first()).toBeVisible();
    await page
      .getByRole("link", { name: /track_parcel/ })
      .first()
      .click();
    await expect(page.getByRole("region", { name: "Since the fix" })).toContainText("Regressed");
    await savePicture(page, "sample-regressed");
    await page.goto(`/p/${sampleId}/findings?tab=review`);
    await page
      .getByRole("link", { name: /different refundable/ })
      .first()
      .click();
    await page
      .getByRole("link", { name: /message 4/ })
      .first()
      .click();
    await page.waitForURL(/\/conversations\/conv_/);
    await expect(page.getByText(/Put it into its box/).first()).toBeVisible();
    await savePicture(page, "sample-conversation");
  });

  await test.step("each of a stranger's questions has its answer on Home, or at most three clicks away", async () => {
    await answersFromHome(page, `/p/${sampleId}`);
  });

  await test.step("the fixed Finding's proof, training and Checkpoint are shown without a trainer", async () => {
    await page.goto(`/p/${sampleId}/findings?tab=resolved`);
    await page
      .getByRole("link", { name: "The assistant replies in English where another language is expected" })
      .first()
      .click();
    const proof = page.getByRole("region", { name: "Proof", exact: true });
    await expect(proof).toContainText("Proven");
    await proof
      .getByRole("link", { name: /recorded run/ })
      .first()
      .click();
    await page.waitForURL(/\/evaluations\/eval_/);
    await expect(page.getByText("Das Cairn-Hemd hat eine Garantie von 24 Monaten").first()).toBeVisible();
    await lookAt(page, "sample-proof");
    await page.goto(`/p/${sampleId}/training`);
    await page
      .getByRole("link", { name: /recorded run/ })
      .first()
      .click();
    await page.waitForURL(/\/training\/job_/);
    await expect(page.getByText("Succeeded").first()).toBeVisible();
    await lookAt(page, "sample-training");
    await page.goto(`/p/${sampleId}/checkpoints`);
    await page
      .getByRole("link", { name: /recorded run/ })
      .first()
      .click();
    await page.waitForURL(/\/checkpoints/);
    await expect(page.getByText("Recorded", { exact: true }).first()).toBeVisible();
    await expect(page.getByRole("button", { name: "Continue training…" })).toHaveCount(0);
    await lookAt(page, "sample-model");
  });

  await test.step("a prompt's fix is told from its evidence to its watch, and that no model was asked", async () => {
    await page.goto(`/p/${sampleId}/findings?tab=all`);
    await page.getByRole("link", { name: "The assistant refuses" }).first().click();
    const steps = page.getByRole("list", { name: "From evidence to a fix that holds" });
    await expect(steps).toContainText("16 conversations, confirmed");
    await expect(steps).toContainText("Answer questions about everyday risks, version 1");
    await expect(steps).toContainText("gear-advice 2");
    const proof = page.getByRole("region", { name: "Proof", exact: true });
    await proof
      .getByRole("link", { name: /Answer questions about everyday risks/ })
      .first()
      .click();
    await page.waitForURL(/\/evaluations\/eval_/);
    await expect(page.getByText("no model was asked")).toBeVisible();
    await lookAt(page, "sample-prompt-proof");
  });

  await test.step("the tour leads through seven of its pages, keeps its place when it is left, and ends", async () => {
    const stop = page.getByRole("dialog");
    const next = async (title: string, path: RegExp) => {
      await press(stop.getByRole("button", { name: "Next" }), stop.getByText(title));
      await expect(page).toHaveURL(path);
    };
    await press(sampleBar(page).getByRole("button", { name: "Take the tour" }), stop.getByText("What needs you"));
    await expect(page).toHaveURL(new RegExp(`/p/${sampleId}$`));
    await next("One failure, by day", /\/findings\/[^/]+$/);
    await next("The turn at fault", /\/conversations\/conv_/);
    await page.keyboard.press("Escape");
    await expect(stop).toHaveCount(0);
    await expect(page).toHaveURL(/\/conversations\/conv_/);
    await page.reload();
    await press(sampleBar(page).getByRole("button", { name: "Continue the tour (3 of 7)" }), stop);
    await next("Conversations become Examples", /\/datasets\/[^/]+$/);
    await next("A model is trained on them", /\/training\/job_/);
    await next("Before and after", /\/evaluations\/eval_/);
    await expectSound(page);
    await next("“Not proven” is a result too", /\/evaluations\/eval_/);
    await stop.getByRole("button", { name: "Finish" }).click();
    await expect(sampleBar(page).getByRole("button", { name: "Take the tour" })).toBeVisible();
  });

  await test.step("the sample is removed, and the person's own project is still there", async () => {
    const dialog = page.getByRole("dialog");
    await press(sampleBar(page).getByRole("button", { name: "Remove sample project" }), dialog);
    await dialog.getByRole("button", { name: "Remove sample project" }).click();
    await page.waitForURL(`**/p/${project.projectId}`);
    await expect(page.getByRole("button", { name: "Explore a sample project" })).toBeVisible();
    await page.getByRole("button", { name: /Project Journey, switch/ }).click();
    await expect(page.getByRole("menuitem", { name: "Sample shop" })).toHaveCount(0);
    const gone = await page.request.get(`/p/${sampleId}/conversations`);
    expect(gone.status()).toBe(404);
  });
});

test("the command line loads and removes a person's sample", async ({ baseURL }) => {
  test.setTimeout(180_000);
  const dataDir = process.env.E2E_DATA_DIR ?? "";
  const { email } = await explorer(baseURL!);
  const { project } = cli(dataDir, "demo", "load", "--owner", email);
  expect(project).toMatchObject({ name: "Sample shop", sample: "ready" });
  expect(cli(dataDir, "demo", "load", "--owner", email).project.id).toBe(project.id);
  expect(cli(dataDir, "demo", "remove", "--owner", email)).toEqual({ ok: true });
  expect(() => cli(dataDir, "demo", "remove", "--owner", email)).toThrow();
});
