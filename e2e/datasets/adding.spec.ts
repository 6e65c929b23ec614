import type { Page } from "@playwright/test";
import { LESSONS, sendLessons } from "../../testbed/data/lessons";
import { newProject, type TestProject } from "../../testbed/data/project";
import type { Row } from "../support/data/collected";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** Examples that people add: from conversations and Findings, by a correction, and by an objective, previewed beforehand. */

const SETTLES = { timeout: 120_000, intervals: [500] };
const NAMES = ["Good answers", "Everything"];
const OBJECTIVE = "preserve_successful_behavior";

let project: TestProject;
let ids: string[];
const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
const examplesOf = async (id: string) => ((await project.read(`datasets/${id}/examples`)) as Row).examples as Row[];

test.beforeAll(async ({ baseURL }) => {
  project = await newProject(baseURL!);
  await sendLessons(project);
});
test.beforeEach(async ({ page }) => {
  test.setTimeout(240_000);
  await signIn(page, project);
  ids = [];
  for (const name of NAMES) {
    const made = await page.request.post(`/v1/projects/${project.projectId}/datasets`, {
      headers: { origin: project.url },
      data: { name },
    });
    ids.push((await made.json()).dataset.id);
  }
  const settled = async () => {
    const reply = await page.request.post(`/v1/projects/${project.projectId}/datasets/${ids[0]}/collection-preview`, {
      headers: { origin: project.url },
      data: { objective: OBJECTIVE },
    });
    const { preview } = (await reply.json()) as Row;
    return [preview.conversations, preview.left.has_finding];
  };
  await expect.poll(settled, SETTLES).toEqual([LESSONS.length, 2]);
});
/** The next test makes Datasets of the same names, and knows of no goals. */
test.afterEach(async ({ page }) => {
  const remove = async (path: string) => {
    const reply = await page.request.delete(`/v1/projects/${project.projectId}/${path}`, {
      headers: { origin: project.url },
    });
    expect(reply.ok(), `${path}: ${reply.status()}`).toBe(true);
  };
  const { datasets } = (await project.read("datasets")) as Row;
  for (const { id } of datasets) await remove(`datasets/${id}`);
  const { knowledgeGoals } = (await project.read("knowledge-goals")) as Row;
  for (const { id } of knowledgeGoals) await remove(`knowledge-goals/${id}`);
});

/** Chooses both Datasets in the dialog for adding Examples, and confirms. */
async function addToBoth(page: Page, button: string) {
  const dialog = page.getByRole("dialog", { name: "Add to Datasets" });
  await dialog.getByRole("combobox", { name: "Datasets" }).click();
  for (const name of NAMES) await page.getByRole("option", { name }).click();
  await page.keyboard.press("Tab");
  await dialog.getByRole("button", { name: button }).click();
  return dialog;
}

test("choosing an objective previews what it would have collected and why other conversations are left out", async ({
  page,
}) => {
  await page.goto(at(`datasets/${ids[0]}?tab=settings`));
  const preview = page.getByRole("region", { name: "Preview of the last 30 days" });
  await expect(preview).toBeHidden();
  await page.getByLabel("Objective").selectOption(OBJECTIVE);
  await expect(preview.getByRole("status")).toHaveText(
    "From 4 conversations of the last 30 days it would have collected 1 Example.",
  );
  const count = (reason: string) => preview.getByText(reason, { exact: true }).locator("xpath=following-sibling::dd");
  await expect(count("Accepted by the user")).toHaveText("1");
  await expect(count("Has a Finding")).toHaveText("2");
  await expect(count("No sign that it went well")).toHaveText("1");
  await preview.getByText("The user accepted this answer: “Perfect, that worked, thank you!”.").click();
  await expect(preview.getByRole("region", { name: "Expected output" })).toContainText("Hold the power button");

  await page.getByLabel("Objective").selectOption("teach_project_knowledge");
  await expect(preview.getByRole("status")).toHaveText(
    "From 4 conversations of the last 30 days it would have collected 0 Examples.",
  );
  await expect(count("Not about a Knowledge goal")).toHaveText("4");
  await expect(seen(page, "This project has no Knowledge goals yet")).toBeVisible();

  await page.getByLabel("Objective").selectOption(OBJECTIVE);
  await page.getByLabel("Collect automatically").check();
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(seen(page, "Saved “Good answers”")).toBeVisible();
  const { dataset } = (await project.read(`datasets/${ids[0]}`)) as Row;
  expect(dataset).toMatchObject({ collectionObjective: OBJECTIVE, collectionEnabled: true, exampleCount: 0 });
});

test("the New Dataset dialog previews what its objective would have collected", async ({ page }) => {
  await page.goto(at("datasets"));
  const dialog = page.getByRole("dialog", { name: "New Dataset" });
  await press(page.getByRole("button", { name: "New Dataset" }).first(), dialog);
  const preview = dialog.getByRole("region", { name: "Preview of the last 30 days" });
  await expect(preview).toBeHidden();
  await dialog.getByLabel("Objective").selectOption(OBJECTIVE);
  await expect(preview.getByRole("status")).toHaveText(
    "From 4 conversations of the last 30 days it would have collected 1 Example.",
  );
  await expect(preview).toContainText("Accepted by the user");
  await expect(preview).toContainText("Has a Finding");
  await expectSound(page, "new Dataset", "[role=dialog]");
  await dialog.getByLabel("Name").fill("What went well");
  await dialog.getByRole("button", { name: "Create Dataset" }).click();
  await page.waitForURL("**/datasets/ds_*");
});

test("a Dataset of corrections can ask the connected model, and one of successful answers cannot", async ({ page }) => {
  await page.goto(at(`datasets/${ids[0]}?tab=settings`));
  const asks = page.getByLabel("Ask the connected model for better answers");
  const objective = page.getByLabel("Objective");
  const saved = async (collectionObjective: string, collectionAsksModel: boolean) => {
    await page.getByRole("button", { name: "Save settings" }).click();
    const dataset = async () => ((await project.read(`datasets/${ids[0]}`)) as Row).dataset;
    await expect.poll(dataset).toMatchObject({ collectionObjective, collectionAsksModel });
    // When the response arrives, the form drops its changes and shows what is stored.
    await expect(page.getByRole("button", { name: "Discard" })).toBeHidden();
    await expect(objective).toHaveValue(collectionObjective);
  };
  await objective.selectOption("correct_failed_conversations");
  await asks.check();
  await expect(asks).toHaveAccessibleDescription(/always wait for review/);
  await expect(seen(page, "This project uses no adjudicator, so no model is asked.")).toBeVisible();
  await saved("correct_failed_conversations", true);
  await objective.selectOption(OBJECTIVE);
  await expect(asks).toBeHidden();
  await saved(OBJECTIVE, false);
});

test("collection can be limited to chosen Knowledge goals", async ({ page }) => {
  const goal = async (title: string) => {
    const made = await page.request.post(`/v1/projects/${project.projectId}/knowledge-goals`, {
      headers: { origin: project.url },
      data: { title },
    });
    return (await made.json()).knowledgeGoal.id as string;
  };
  const returns = await goal("Return window");
  await goal("Warranty");
  await page.goto(at(`datasets/${ids[0]}?tab=settings`));
  const preview = page.getByRole("region", { name: "Preview of the last 30 days" });
  const collects = (count: string) => expect(preview.getByRole("status")).toContainText(`collected ${count}.`);
  await page.getByLabel("Objective").selectOption("teach_project_knowledge");
  await collects("1 Example");
  await page.getByLabel("Only for chosen Knowledge goals").check();
  await expect(seen(page, "Choose a goal: nothing is collected without one.")).toBeVisible();
  await collects("0 Examples");
  const goals = page.getByRole("combobox", { name: "Knowledge goals" });
  await goals.click();
  await page.getByRole("option", { name: "Warranty" }).click();
  await collects("0 Examples");
  await page.getByRole("option", { name: "Return window" }).click();
  await collects("1 Example");
  await page.getByRole("option", { name: "Warranty" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(seen(page, "Saved “Good answers”")).toBeVisible();
  const { dataset } = (await project.read(`datasets/${ids[0]}`)) as Row;
  expect(dataset.collectionFilters).toEqual({ knowledgeGoalIds: [returns] });
});

test("selected conversations and those of a Finding are added to several Datasets after a preview of their messages", async ({
  page,
}) => {
  await page.goto(at("conversations"));
  const rows = page.getByRole("table", { name: "Conversations" });
  for (const words of ["pair my Aurora lamp", "the return window"])
    await rows.getByRole("row").filter({ hasText: words }).getByRole("checkbox").check();
  const dialog = page.getByRole("dialog", { name: "Add to Datasets" });
  await press(page.getByRole("toolbar").getByRole("button", { name: "Add to Datasets…" }), dialog);
  const messages = dialog.getByRole("region", { name: "Messages included" });
  await messages.getByText("How long is the return window?").first().click();
  await expect(messages).toContainText("You can return lamps within 30 days");
  await addToBoth(page, "Add 2 Examples");
  await expect(dialog.getByRole("status")).toHaveText("Added 4 Examples.");
  await expect(dialog.getByRole("list", { name: "Results" }).getByRole("listitem")).toHaveCount(4);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();

  const { findings } = (await project.read("diagnostics/findings?limit=50")) as Row;
  const failure = findings.find(({ ruleId }: Row) => ruleId === "tool-failure");
  await page.goto(at(`findings/${failure.id}`));
  await press(page.getByRole("button", { name: "Add to Datasets…" }), dialog);
  await expect(messages).toContainText("Where is my order #W4711?");
  await addToBoth(page, "Add 1 Example");
  await expect(dialog.getByRole("status")).toHaveText("Added 2 Examples.");

  for (const id of ids) {
    const examples = await examplesOf(id);
    expect(examples.map(({ source }) => source.kind).sort()).toEqual(["conversation", "conversation", "finding"]);
    expect(examples.find(({ source }) => source.kind === "finding")).toMatchObject({ findingId: failure.id });
  }
});

test("an answer is corrected in its conversation, and the original answer becomes the rejected one", async ({
  page,
}) => {
  await page.goto(at("conversations/goal"));
  const dialog = page.getByRole("dialog", { name: "Correct this answer" });
  await press(page.getByRole("button", { name: "Correct message 1" }), dialog);
  const better = dialog.getByLabel("Better answer");
  await expect(better).toHaveValue("You can return lamps within 30 days, with the receipt.");
  await expect(dialog.getByRole("button", { name: "Save correction" })).toBeDisabled();
  await better.fill("Within 60 days, with or without the receipt.");
  await dialog.getByRole("combobox", { name: "Dataset" }).selectOption({ label: "Everything" });
  await dialog.getByRole("button", { name: "Save correction" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("link", { name: "Everything" }).click();
  await page.waitForURL(`**/datasets/${ids[1]}`);
  await expect(page.getByRole("table", { name: "Examples" })).toContainText("the return window");
  const [example] = await examplesOf(ids[1]!);
  expect(example).toMatchObject({
    source: { kind: "correction" },
    turn: 1,
    payload: {
      expectedOutput: { message: { content: "Within 60 days, with or without the receipt." } },
      rejectedOutput: { message: { content: "You can return lamps within 30 days, with the receipt." } },
    },
  });
  expect(await examplesOf(ids[0]!)).toEqual([]);
  await page.goto(at(`datasets/${ids[1]}/examples/${example!.id}`));
  await expect(page.getByLabel("About the Example")).toContainText(`Reviewed by${project.email.replace(/@.*/, "")}`);
});
