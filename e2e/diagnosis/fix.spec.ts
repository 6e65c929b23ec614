import { startModel } from "@/server/services/diagnostics/adjudicator/testing";
import { newProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { startGithub } from "../../testbed/trackers/github-server";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

const RULE = { configuration: { keywords: ["sunny"] } };
const MEND = "Say what you know, and never talk about the weather.";

test("a prompt is tried and proven on a Finding's conversations by keyboard, and handed to a coding agent", async ({
  page,
  context,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const model = await startModel(({ system, user }) => ({
    content: system.includes(MEND) ? `About “${user}”: it is in Bern.` : "Sunny.",
  }));
  const github = await startGithub();
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  const headers = { origin: baseURL! };
  const v1 = `/v1/projects/${project.projectId}`;
  await page.request.patch(`${v1}/diagnostics/rules/broken-response`, { headers, data: RULE });
  const connection = { kind: "model", name: "A provider", baseUrl: model.url, secret: "sk-of-the-provider" };
  expect((await page.request.post(`${v1}/connections`, { headers, data: connection })).ok()).toBe(true);
  const talks = Array.from({ length: 4 }, (_, n) => ({
    id: `asked-${n}`,
    model: "gpt-5-mini",
    ask: `${["Where", "When", "Why", "How"][n]} is order ${n}?`,
    answer: "Sunny.",
  }));
  const tooled = { id: "tooled", model: "gpt-5-mini", ask: "And this one?", answer: "It is late.", failingTool: true };
  await seed(project, [...talks, tooled]);
  const { findings } = (await project.read("diagnostics/findings?signal=keyword")) as unknown as {
    findings: { id: string }[];
  };

  await test.step("the change is written beside the faulty answer, and tried on it", async () => {
    await page.goto(`/p/${project.projectId}/findings/${findings[0]!.id}`);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy for a coding agent" }).press("Enter");
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain(`# Finding ${findings[0]!.id}`);
    await page.getByRole("link", { name: "Try a fix…" }).press("Enter");
    const turn = page.getByRole("region", { name: "A recorded answer" });
    await expect(turn.getByRole("region", { name: "Recorded" })).toContainText("Sunny.");
    await page.getByLabel("System prompt").fill(MEND);
    await turn.getByRole("button", { name: "Try it" }).press("Enter");
    await expect(turn.getByRole("region", { name: "With the variant" })).toContainText("it is in Bern");
    await expectSound(page, "", "main");
    await page.getByLabel("Name").fill("No weather");
    await page.getByLabel("Name").press("Enter");
    await expect(page.getByRole("heading", { level: 1, name: "No weather" })).toBeVisible();
  });

  await test.step("it is copied with its diff", async () => {
    await page.getByRole("button", { name: "Copy for a coding agent" }).press("Enter");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`+${MEND}`);
  });

  await test.step("it goes into the Finding's ticket, which is created first", async () => {
    const handOff = page.getByRole("button", { name: "Hand off as a ticket…" });
    await handOff.press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Hand off/ });
    await expect(dialog.getByText("no connection to an issue tracker")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).last().press("Enter");
    const { baseUrl, secret, destination } = github;
    const tracker = { kind: "github", name: "Ours", baseUrl, secret, settings: { defaultDestination: destination } };
    expect((await page.request.post(`${v1}/connections`, { headers, data: tracker })).ok()).toBe(true);
    await page.reload();
    await expect(async () => {
      await handOff.press("Enter");
      await expect(dialog).toBeVisible({ timeout: 2000 });
    }).toPass();
    const create = dialog.getByRole("button", { name: "Create ticket" });
    await expect(create).toBeEnabled();
    await create.press("Enter");
    await expect(page.getByText("Added “No weather” to acme/shop#1")).toBeVisible();
    expect(github.tickets()[0]!.comments).toEqual([expect.stringContaining(`+${MEND}`)]);
    await handOff.press("Enter");
    const adding = page.getByRole("dialog", { name: "Add “No weather” to acme/shop#1?" });
    await adding.getByRole("button", { name: "Cancel" }).press("Enter");
    await expect(adding).toBeHidden();
  });

  await test.step("the proof says what it takes, asks both anew, and leaves out the conversation that was open", async () => {
    await page.getByRole("button", { name: "Prove…" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Prove “No weather”" });
    await expect(dialog.getByRole("status")).toContainText("3 rows, 6 requests");
    await dialog.getByRole("button", { name: "Start the proof" }).press("Enter");
    const result = page.getByRole("region", { name: "Result" });
    await expect(result).toContainText("3 of 3", { timeout: 60_000 });
    await expect(result).toContainText("0 of 3");
    await expect(page.getByText("because the variant was written with them")).toBeVisible();
    expect(model.asked.filter(({ system }) => system === "")).toHaveLength(3);
  });

  await test.step("its prompt becomes a version of a prompt, which is watched as the fix", async () => {
    await page.goto(`/p/${project.projectId}/variants`);
    await page.getByRole("link", { name: /No weather/ }).press("Enter");
    await page.getByRole("button", { name: "More" }).press("Enter");
    await page.getByRole("menuitem", { name: "Save as a prompt…" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Save “No weather” as a prompt" });
    await dialog.getByRole("combobox", { name: "Prompt" }).fill("weather");
    await expect(dialog.getByLabel("Text")).toHaveValue(MEND);
    await expect(dialog.getByLabel("Watch it as the fix")).toBeChecked();
    await expectSound(page, "", '[role="dialog"]');
    await dialog.getByRole("button", { name: "Save version" }).press("Enter");
    await expect(page.getByRole("complementary", { name: "Version of the prompt" })).toContainText(
      "No weather, version 1",
    );
  });

  await page.goto(`/p/${project.projectId}/findings/${findings[0]!.id}`);
  await expect(
    page.getByRole("region", { name: "Proof" }).getByRole("link", { name: "No weather, version 1" }).first(),
  ).toBeVisible();

  await test.step("the steps say what is next, and the release is waited for until a conversation has it", async () => {
    const steps = page.getByRole("list", { name: "From evidence to a fix that holds" });
    await expect(steps.getByRole("link", { name: "Evidence, done: 4 conversations, confirmed" })).toBeVisible();
    await expect(steps.getByRole("link", { name: "Fix, done: No weather, version 1" })).toBeVisible();
    await expect(steps.getByRole("link", { name: "Proof, under way: Not enough yet" })).toBeVisible();
    await expect(steps.getByRole("link", { name: "Release, under way: Waiting: Prompt weather 1" })).toBeVisible();
    await page.getByRole("button", { name: "Watch a fix…" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Watch a fix" });
    await dialog.getByLabel("How it went out").selectOption("prompt");
    await dialog.getByRole("combobox", { name: "Prompt and version" }).fill("weather 2");
    await expectSound(page, "", '[role="dialog"]');
    await dialog.getByLabel("What it changed").fill("It talks no more of the weather.");
    await dialog.getByRole("button", { name: "Watch" }).press("Enter");
    await expect(steps.getByRole("link", { name: "Release, under way: Waiting: Prompt weather 2" })).toBeVisible();
    await page.goto(`/p/${project.projectId}/fixes`);
    await page.getByRole("link", { name: /Prompt weather 2$/ }).press("Enter");
    await expect(page.getByText("No conversation has it yet.")).toBeVisible();
    await expect(page.getByText("It talks no more of the weather.")).toBeVisible();
  });

  await test.step("a fix is tried on an answer of a conversation, and one that calls tools says why not", async () => {
    const { conversations } = (await project.read("conversations")) as unknown as {
      conversations: { id: string; externalId: string }[];
    };
    const open = (name: string) =>
      page.goto(
        `/p/${project.projectId}/conversations/${conversations.find(({ externalId }) => externalId === name)!.id}`,
      );
    await open("asked-0");
    await page.getByRole("button", { name: "Try a fix of message 1" }).press("Enter");
    await expect(page.getByRole("region", { name: "Recorded", exact: true })).toContainText("Sunny.");
    await open("tooled");
    const button = page.getByRole("button", { name: "Try a fix of message 1" });
    await button.focus();
    await expect(button).toBeDisabled();
    await expect(page.getByRole("tooltip")).toHaveText("This answer calls tools, so it cannot be given again.");
    // What came before this one was recorded without the tools' definitions.
    const last = page.getByRole("button", { name: "Try a fix of message 3" });
    await last.press("Enter");
    await expect(page.getByText("which tools the model had is not recorded")).toBeVisible();
    await expect(last).toBeFocused();
  });
  await Promise.all([model.stop(), github.stop()]);
});
