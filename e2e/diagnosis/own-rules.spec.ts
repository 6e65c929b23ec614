import { answering, startModel } from "@/server/services/diagnostics/adjudicator/testing";
import { newProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

const PROMISE = "It arrives on Friday.";
const PROBLEM = "Promises a delivery date without calling get_order.";

test("a Rule is described, tried on the past, created, and changed as a new version", async ({ page, baseURL }) => {
  test.setTimeout(180_000);
  const model = await startModel(({ user }) => {
    const isYes = user.includes(PROMISE);
    const reason = isYes ? "It names a day." : "It names no day.";
    return answering({
      quotes: isYes ? [PROMISE] : [],
      reason,
      verdict: isYes ? "match" : "no_match",
      confidence: 0.9,
    });
  });
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  const talk = (id: string, answer: string, failingTool = false) => ({
    ...{ id, model: "gpt-5-mini", ask: `Where is parcel ${id}?`, answer, failingTool },
  });
  await seed(project, [
    talk("one", PROMISE),
    talk("two", PROMISE),
    talk("three", "I don't know."),
    talk("four", PROMISE, true),
  ]);
  const headers = { origin: baseURL! };
  const v1 = `/v1/projects/${project.projectId}`;

  await page.goto(`/p/${project.projectId}/rules`);
  await press(page.getByRole("link", { name: "Describe a Rule" }), page.getByLabel("What is wrong"));
  const result = page.getByRole("status", { name: "Result of the trial" });

  await test.step("its filter is proposed from its words, and a trial without a model says what is missing", async () => {
    await page.getByLabel("What is wrong").fill(PROBLEM);
    await page.getByRole("button", { name: "Propose from the description" }).click();
    await expect(page.getByText("The description says that get_order was not called.")).toBeVisible();
    await page.getByRole("button", { name: "Try on the past" }).click();
    await expect(result).toContainText("3 of 4 conversations passed the filter");
    await expect(result).toContainText("No model is connected");
  });

  await test.step("with a model it shows what would be caught, near misses, and the cost", async () => {
    const settings = { defaultModel: "gpt-5-mini" };
    const connection = { kind: "model", name: "Judge", baseUrl: model.url, secret: "sk-of-the-judge", settings };
    expect((await page.request.post(`${v1}/connections`, { headers, data: connection })).ok()).toBe(true);
    await page.getByRole("button", { name: "Try on the past" }).click();
    await expect(result).toContainText("Of 3 that were judged, it caught 2");
    await expect(result).toContainText("Of 1 that the filter leaves out, the model would have caught 1");
    await expect(result.getByRole("list", { name: "Would have been caught" })).toContainText(PROMISE);
    await expect(result.getByRole("list", { name: "Near misses" })).toContainText("It names no day.");
    await expect(result).toContainText("For 1,000 conversations: about");
    await expectSound(page, "", "main");
  });

  await test.step("it is created, and listed with the others", async () => {
    await page.getByLabel("Name").fill("Unchecked delivery date");
    await page.getByRole("button", { name: "Create Rule" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Unchecked delivery date");
    await expect(page.getByRole("heading", { name: "Description, version 1" })).toBeVisible();
    await expectSound(page, "", "main");
  });

  await test.step("a change of its words is a new version", async () => {
    await page.getByLabel("When it applies").fill("The user asks where a parcel is.");
    await page.getByRole("button", { name: "Save version 2" }).click();
    await expect(page.getByRole("heading", { name: "Description, version 2" })).toBeVisible();
    await page.goto(`/p/${project.projectId}/rules`);
    await expect(page.getByRole("row", { name: /Unchecked delivery date/ })).toContainText(PROBLEM);
  });
  await model.stop();
});
