import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { runningDatabase } from "../../testbed/product/running-database";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

type Settings = { adjudicatorConnectionId: string | null; adjudicationCacheDays: number };
const settingsOf = async (project: TestProject) =>
  (await project.read("diagnostics/settings")).settings as unknown as Settings;

test("an adjudicator is connected and chosen, and the Signal that needs one shows what is missing", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  const at = (path: string) => `/p/${project.projectId}/${path}`;
  const content = page.locator("#content");
  const needs = page.getByRole("row", { name: /unsupported_claim/ });

  await test.step("without a connection the Signal is off, and Settings link to Integrations", async () => {
    await page.goto(at("rules/ungrounded-answer"));
    await expect(needs).toContainText("Needs an adjudicator");
    await expect(needs.getByRole("switch")).not.toBeChecked();
    await expect(needs.getByRole("switch")).toBeDisabled();
    await needs.getByRole("link", { name: "choose a model in Settings" }).click();
    const missing = content.getByText("This project has no model connection.");
    await missing.getByRole("link", { name: "Integrations" }).click();
    await expect(page.getByRole("heading", { name: "Integrations", level: 1 })).toBeVisible();
  });

  const dialog = page.getByRole("dialog");
  for (const name of ["Judge", "Second judge"]) {
    await press(page.getByRole("button", { name: "Add connection" }).first(), dialog);
    await dialog.getByLabel("Kind").selectOption("model");
    await dialog.getByLabel("Name").fill(name);
    // A name that never resolves: nothing outside this machine is contacted.
    await dialog.getByLabel("Base URL").fill("https://models.invalid/v1");
    await dialog.getByLabel("Default model").fill("judge-1");
    await dialog.getByRole("button", { name: "Add connection" }).click();
    await expect(dialog).toBeHidden();
  }

  await test.step("one of two connections is chosen, and its answers are reused for seven days", async () => {
    await page.goto(at("settings"));
    await expect(content.getByText("No adjudicator is in use.")).toBeVisible();
    const select = page.getByRole("combobox", { name: "Adjudicator" });
    await select.selectOption({ label: "Second judge" });
    await expect(content.getByText(/Today \(UTC\): 0 calls, 0 tokens/)).toBeVisible();
    expect((await settingsOf(project)).adjudicatorConnectionId).not.toBeNull();
    const days = page.getByLabel("Reuse answers for");
    await days.fill("7");
    await days.press("Enter");
    await expect(page.getByRole("alert").filter({ hasText: "Answers are reused for 7 days" })).toBeVisible();
    expect((await settingsOf(project)).adjudicationCacheDays).toBe(7);
    await expectSound(page, "", "main");
    await select.selectOption({ label: "None" });
    await expect.poll(async () => (await settingsOf(project)).adjudicatorConnectionId).toBeNull();
    await expect(content.getByText("No adjudicator is in use.")).toBeVisible();
    await select.selectOption({ label: "Judge" });
    await expect(content.getByText(/Today \(UTC\)/)).toBeVisible();
  });

  await test.step("the Signal is on once its Rule asks the adjudicator", async () => {
    await page.goto(at("rules/ungrounded-answer"));
    await expect(needs).toContainText("choose “Ask the adjudicator” below");
    await page.getByLabel("Ambiguous Signals").selectOption("auto");
    await expect(needs).not.toContainText("Needs an adjudicator");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByRole("button", { name: "Save changes" })).toBeHidden();
    await expect(needs.getByRole("switch")).toBeChecked();
  });
});

test("a failed Run shows its error and is retried from its panel", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  await seed(project, [
    { id: "failing", model: "gpt-4o", ask: "Where is it?", answer: "I cannot find it.", failingTool: true },
  ]);
  const sql = runningDatabase();
  await sql`
    update rule_runs set status = 'failed', error_message = 'The detector stumbled.', result_count = null
    where project_id = ${project.projectId} and rule_id = 'tool-failure'`;
  await sql.end();
  await authenticate(page, project);
  const failed = (await project.read("diagnostics/rule-runs?status=failed")).runs as unknown as { id: string }[];
  await page.goto(`/p/${project.projectId}/rule-runs?status=failed&peek=${failed[0]!.id}`);
  const panel = page.getByRole("complementary", { name: "Rule Run" });
  await expect(panel).toContainText("The detector stumbled.");
  const queued = page.getByRole("alert").filter({ hasText: "again" });
  await press(panel.getByRole("button", { name: "Retry this Run" }), queued);
  await expect(panel).toContainText("Completed", { timeout: 60_000 });
  await expect(panel.getByRole("button", { name: "Retry this Run" })).toBeHidden();
  const { runs } = (await project.read("diagnostics/rule-runs?ruleId=tool-failure")) as unknown as {
    runs: { status: string; resultCount: number; errorMessage: string | null }[];
  };
  expect(runs).toMatchObject([{ status: "completed", resultCount: 1, errorMessage: null }]);
});
