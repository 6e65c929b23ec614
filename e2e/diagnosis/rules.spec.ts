import { newProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

const PASTED = `user: Where is my order 1042?
assistant: I am looking it up.
tool: Error: order not found
assistant: I cannot find it.`;

test("a Rule is tried on conversations, changed after a preview, restored by undo, and turned off", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const project = await newProject(baseURL!);
  await seed(project, [
    {
      id: "order",
      model: "gpt-4o-mini",
      ask: "Where is my order 1042?",
      answer: "I cannot find it.",
      failingTool: true,
    },
    { id: "refund", model: "gpt-4o-mini", ask: "I want a chargeback now.", answer: "I will see to it." },
  ]);
  await authenticate(page, project);
  await page.goto(`/p/${project.projectId}/rules`);
  await expect(page.getByRole("row", { name: /Agent loop/ })).toBeVisible();
  await page.getByRole("link", { name: /Tool failure/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Tool failure");
  const signals = page.getByRole("table", { name: "Signals", exact: true });
  await expect(signals.getByRole("row", { name: /tool_error\b/ }).first()).toBeVisible();
  const result = page.getByRole("status", { name: "Result" });

  await test.step("trying it on a stored conversation and on pasted messages shows each Signal's result", async () => {
    await page.getByLabel("Conversation ID").fill("order");
    await press(page.getByRole("button", { name: "Try the Rule" }), result);
    await expect(result.getByRole("row", { name: /^tool_error / })).toContainText("Found");
    await expect(result.getByRole("row", { name: /^tool_timeout / })).toContainText("Nothing detected");
    await page.getByText("Pasted messages").click();
    await page.getByRole("textbox", { name: "Messages" }).fill(PASTED);
    await page.getByRole("button", { name: "Try the Rule" }).click();
    await expect(result).toContainText("in 4 messages");
  });

  const preview = page.getByRole("status", { name: "Preview of the changes" });
  await test.step("a change previews what it would have found before it is saved", async () => {
    await page.getByRole("combobox", { name: "Keywords" }).fill("chargeback");
    await page.keyboard.press("Enter");
    await press(page.getByRole("button", { name: "Preview the last 7 days" }), preview);
    await expect(preview.getByRole("row", { name: /^keyword / })).toContainText("1");
    await expect(preview.getByRole("listitem").first()).toContainText("would be found");
    await signals.getByRole("switch", { name: "tool_error is on" }).click({ force: true });
    await page.getByRole("button", { name: "Preview the last 7 days" }).click();
    await expect(preview).toContainText("would no longer be found");
  });

  const stored = async () => {
    const { rules } = (await project.read("diagnostics/rules")) as unknown as {
      rules: { id: string; enabled: boolean; configuration: { keywords: string[]; signalOverrides: object } }[];
    };
    return rules.find(({ id }) => id === "tool-failure")!;
  };
  await test.step("the change is saved and undone", async () => {
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect.poll(stored).toMatchObject({
      configuration: { keywords: ["chargeback"], signalOverrides: { tool_error: { enabled: false } } },
    });
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(stored).toMatchObject({ configuration: { keywords: [], signalOverrides: {} } });
  });

  await test.step("once the Rule is turned off, its backfill cannot start and the dialog shows the reason", async () => {
    await page.getByRole("switch", { name: "Tool failure is on" }).click({ force: true });
    await expect.poll(async () => (await stored()).enabled).toBe(false);
    await page.getByRole("link", { name: "Backfill…" }).click();
    const dialog = page.getByRole("dialog", { name: "New backfill" });
    await expect(dialog).toContainText("This Rule is turned off");
    await expect(dialog.getByRole("button", { name: "Start backfill" })).toBeDisabled();
  });
});
