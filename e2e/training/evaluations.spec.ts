import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { startProduct } from "../../testbed/product/product";
import { FORGOTTEN, LEARNED, startTrainingScript, UNANSWERED } from "../../testbed/servers/training-script";
import { press } from "../support/press";
import { reviewBlind } from "../support/review-blind";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** Before/after in the browser. The trainer is a script that implements the contract over HTTP. */

const LAST_MS = 90_000;
const TALKS = UNANSWERED.map((ask, n) => ({ id: `silent-${n}`, model: "acme-small", ask, answer: "null" }));

const callsOf =
  (page: Page, { url, projectId }: TestProject) =>
  async (method: "get" | "post", path: string, data?: object) => {
    const reply = await page.request[method](`${url}/v1/projects/${projectId}/${path}`, {
      headers: { origin: url },
      ...(data ? { data } : {}),
    });
    expect(reply.ok(), `${path}: ${reply.status()} ${await reply.text()}`).toBe(true);
    return reply.json();
  };
type Call = ReturnType<typeof callsOf>;

/** Stores a Dataset with held-out Examples and completes a training on it. */
async function trained(call: Call) {
  const { dataset } = await call("post", "datasets", { name: "Answers about returns" });
  const questions = [
    ["Can I return it?", "train"],
    ["And without the receipt?", "test"],
    ["And a month later?", "validation"],
    [FORGOTTEN, "test"],
  ];
  for (const [content, split] of questions) {
    await call("post", `datasets/${dataset.id}/examples`, {
      payload: {
        input: { type: "chat", messages: [{ role: "user", content }] },
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: LEARNED } },
      },
      split,
    });
  }
  const { job } = await call("post", "fine-tuning/jobs", {
    datasetId: dataset.id,
    baseModel: { id: "Qwen/Qwen3-0.6B" },
    method: "sft",
    adapter: "lora",
    name: "Returns",
  });
  const status = async () => (await call("get", `fine-tuning/jobs/${job.id}`)).job.status;
  await expect.poll(status, { timeout: LAST_MS }).toBe("succeeded");
}

test("a Checkpoint is compared with its base model, and the fix of a Finding is proven", async ({ page }) => {
  test.setTimeout(400_000);
  const trainer = await startTrainingScript();
  const product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1" } });
  try {
    await trainer.attachTo(product);
    const project = await newProject(product.url, product.dataDir);
    await authenticate(page, project);
    const call = callsOf(page, project);
    const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
    await page.goto(at("evaluations"));
    await expect(page.getByText("Nothing compared yet")).toBeVisible();
    await expectSound(page, "evaluations-empty");
    await trained(call);

    // Started from the newest checkpoint.
    await page.goto(at("checkpoints"));
    await page.getByRole("link", { name: /^Returns, step 40/ }).click();
    const dialog = page.getByRole("dialog", { name: "Compare before and after" });
    await press(page.getByRole("button", { name: "More", exact: true }), page.getByRole("menu"));
    await page.getByRole("menuitem", { name: "Compare before and after…" }).click();
    await expect(dialog).toBeVisible();
    await expectSound(page, "evaluation-dialog", "[role=dialog]");
    await dialog.getByRole("button", { name: "Start the comparison" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Returns, step 40" })).toBeVisible({ timeout: 30_000 });

    // Updates live, also after a reload.
    await expect(page.getByRole("status", { name: "Progress" })).toContainText("of 3 rows");
    await page.reload();
    const result = page.getByRole("region", { name: "Result" });
    await expect(result.getByRole("heading", { name: "Result" })).toBeVisible({ timeout: LAST_MS });
    const outcomes = result.getByRole("list", { name: "Outcomes" });
    await expect(outcomes).toContainText("Win 2");
    await expect(outcomes).toContainText("Loss 1");
    await expect(result).toContainText("95% interval");
    await expect(result).toContainText("2 from the test split, 1 from the validation split");
    await expect(page.getByRole("region", { name: "Loss", exact: true })).toBeVisible();

    // The worst row first, with both answers; the filter is in the URL.
    const answers = page.getByRole("list", { name: "Answers", exact: true });
    const rows = answers.locator(":scope > li");
    await expect(rows).toHaveCount(3);
    await expect(rows.first()).toContainText(FORGOTTEN);
    await expect(rows.first()).toContainText("Only “Before” gave the expected answer");
    await expect(rows.first().getByRole("group", { name: "After" })).toContainText("An empty answer");
    await expect(rows.last()).toContainText("Only “After” gave the expected answer");
    await expectSound(page, "evaluation");
    await page.keyboard.press("j");
    await expect(rows.first()).toBeFocused();
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("win");
    await expect(rows).toHaveCount(2);
    await expect.poll(() => new URL(page.url()).searchParams.get("outcome")).toBe("win");
    await page.reload();
    await expect(rows).toHaveCount(2);
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("tie");
    await expect(page.getByText("No row matches")).toBeVisible();

    await page.goto(at("evaluations"));
    await expect(page.getByRole("row", { name: /Step 40 of Returns/ })).toContainText("Win 2");
    await expectSound(page, "evaluations");

    // Empty answers are a Finding, which the checkpoint no longer has.
    await seed(project, TALKS);
    const { findings } = await call("get", "diagnostics/findings?signal=empty_response");
    const findingId = findings[0].id as string;
    await page.goto(at(`findings/${findingId}`));
    const proof = page.getByRole("region", { name: "Proof" });
    await expect(proof).toContainText("No fix has been measured");
    const proving = page.getByRole("dialog", { name: "Prove a fix" });
    await press(proof.getByRole("button", { name: "Prove a fix…" }), proving);
    await expect(proving.getByRole("combobox", { name: "Checkpoint" })).toHaveValue(/_40$/);
    await proving.getByRole("button", { name: "Start the proof" }).click();
    await expect(page.getByText("Not enough yet", { exact: true }).first()).toBeVisible({ timeout: LAST_MS });
    await expect(result).toContainText("11 of 11");
    await expect(result).toContainText("0 of 11");
    await expect(result).toContainText("Nobody has said which answers are right");
    await expect(rows.first()).toContainText("Gone, and not judged whether it is right");
    await expectSound(page, "proof-without-judgement");

    // A person says which answers are right, one key each, without knowing whose they are.
    await page.getByRole("button", { name: "Review blind…" }).click();
    await expect(
      page.getByRole("region", { name: "Blind review" }).getByRole("group", { name: "First" }),
    ).toBeVisible();
    await expectSound(page, "blind-review");
    await reviewBlind(page, TALKS.length, (answer) => !answer.includes("An empty answer"));
    await expect(result).toContainText("Proven");
    await expect(result).toContainText("11 gained");
    await expect(rows.first()).toContainText("Right after, not before");
    await expectSound(page, "proof");

    await page.goto(at(`findings/${findingId}`));
    await expect(proof).toContainText("Proven");
    await expect(proof).toContainText("95% interval");
    await expectSound(page, "finding-with-proof");
    await proof.getByRole("link", { name: "Returns, step 40" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Returns, step 40" })).toBeVisible();
  } finally {
    await product.stop();
    trainer.stop();
  }
});
