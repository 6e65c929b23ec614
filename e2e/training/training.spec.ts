import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { startProduct } from "../../testbed/product/product";
import { LEARNED, STEPS, startTrainingScript } from "../../testbed/servers/training-script";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** Trainings in the browser. The trainer is a script that implements the HTTP contract: models are trained in trainer/. */

const DATASET = "Answers about returns";
const MODEL = "Qwen/Qwen3-0.6B";
const LAST_MS = 90_000;

async function storeExamples(page: Page, { url, projectId }: TestProject) {
  const send = async (path: string, data: object) => {
    const reply = await page.request.post(`${url}/v1/projects/${projectId}/${path}`, {
      headers: { origin: url },
      data,
    });
    expect(reply.ok(), `${path}: ${reply.status()} ${await reply.text()}`).toBe(true);
    return reply.json();
  };
  const { dataset } = await send("datasets", { name: DATASET });
  for (const content of ["Can I return it?", "And without the receipt?"]) {
    await send(`datasets/${dataset.id}/examples`, {
      payload: {
        input: { type: "chat", messages: [{ role: "user", content }] },
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: LEARNED } },
      },
      split: "train",
    });
  }
  return dataset.id as string;
}

/** Goes from the Dataset through the wizard to a started run. */
async function startRun(page: Page, project: TestProject, datasetId: string, name: string) {
  await page.goto(`${project.url}/p/${project.projectId}/datasets/${datasetId}`);
  await page.getByRole("link", { name: "Train", exact: true }).click();
  const next = page.getByRole("button", { name: "Continue" });
  await page.getByRole("radio", { name: MODEL }).check();
  // The draft is in the URL. What is changed faster than people do before the URL has followed can be lost.
  const inUrl = (name: string, value: string) =>
    expect.poll(() => new URL(page.url()).searchParams.get(name)).toContain(value);
  await inUrl("base", MODEL);
  await page.reload();
  await expect(page.getByRole("radio", { name: MODEL })).toBeChecked();
  await next.click();
  await expect(page.getByRole("radio", { name: "QLoRA" })).toBeDisabled();
  await expect(page.getByText("bitsandbytes is not installed.")).toBeVisible({ timeout: LAST_MS });
  await next.click();
  await inUrl("step", "settings");
  await page.getByRole("textbox", { name: "Learning rate" }).fill("3e-4");
  await inUrl("settings", "0.0003");
  await next.click();
  await expect(page.getByText("Ready to start")).toBeVisible({ timeout: 60_000 });
  await expect(page.locator("mark")).toHaveText(`${LEARNED}<|im_end|>`);
  await expect(page.getByText("There are only a few Examples.")).toBeVisible();
  await expectSound(page, "training-check");
  await page.getByLabel("Name of the run").fill(name);
  await page.getByRole("button", { name: "Start training" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible({ timeout: 30_000 });
}

test("without a trainer every training page shows how to attach one", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  for (const path of ["training", "training/new", "checkpoints", "tuning-configs", "trainers"]) {
    await page.goto(`${project.url}/p/${project.projectId}/${path}`);
    await expect(page.getByText("Attach a trainer")).toBeVisible();
    await expect(page.getByText("npx whetstone trainer")).toBeVisible();
  }
});

test("a Dataset is trained through the wizard, followed live, cloned, cancelled and deleted", async ({ page }) => {
  test.setTimeout(300_000);
  const trainer = await startTrainingScript();
  const product = await startProduct();
  try {
    await trainer.attachTo(product);
    const project = await newProject(product.url, product.dataDir);
    await authenticate(page, project);
    const datasetId = await storeExamples(page, project);
    await startRun(page, project, datasetId, "First round");

    // Updates live, also after a reload.
    const progress = page.getByRole("status", { name: "Progress" });
    await expect(progress).toContainText(/step \d+ of/, { timeout: LAST_MS });
    await page.reload();
    await expect(page.getByRole("region", { name: "Loss", exact: true })).toBeVisible({ timeout: LAST_MS });
    await expect(page.getByText("Succeeded")).toBeVisible({ timeout: LAST_MS });
    const loss = page.getByRole("region", { name: "Loss", exact: true });
    await loss.getByText("Numbers by step").click();
    await expect(loss.getByRole("rowheader", { name: String(STEPS), exact: true })).toBeVisible({ timeout: LAST_MS });
    await expectSound(page, "training-run");

    await page.getByRole("tab", { name: "Log" }).click();
    await expect(page.getByRole("log")).toContainText("It succeeded");
    await page.getByRole("tab", { name: /^Checkpoints/ }).click();
    await expect(page.getByRole("row", { name: new RegExp(`Step ${STEPS}`) })).toContainText("Final");
    await page.getByRole("tab", { name: "Settings" }).click();
    await expect(page.getByRole("row", { name: /training.learningRate/ })).toContainText("0.0003");

    // A clone has the same settings, and is cancelled while it trains.
    await page.getByRole("link", { name: "Clone" }).click();
    await expect(page.getByRole("textbox", { name: "Learning rate" })).toHaveValue("0.0003");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Start training" }).click({ timeout: 60_000 });
    await expect(page.getByRole("heading", { level: 1, name: "First round, again" })).toBeVisible({ timeout: 30_000 });
    await expect(progress).toContainText(/step \d+ of/, { timeout: LAST_MS });
    const dialog = page.getByRole("dialog", { name: "Cancel “First round, again”?" });
    await press(page.getByRole("button", { name: "Cancel…" }), dialog);
    await dialog.getByRole("button", { name: "Cancel training" }).click();
    await expect(page.getByText("Cancelled", { exact: true })).toBeVisible({ timeout: LAST_MS });

    // Both are in the list, and can be compared.
    await page.goto(`${project.url}/p/${project.projectId}/training`);
    for (const name of ["First round", "First round, again"])
      await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
    await page.getByRole("button", { name: "Compare" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Compare runs" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Loss: training" })).toBeVisible();
    await expectSound(page, "training-compare");

    // A run is deleted once what depends on it was said.
    await page.goto(`${project.url}/p/${project.projectId}/training`);
    await page.getByRole("link", { name: "First round, again" }).first().click();
    const removal = page.getByRole("dialog", { name: "Delete “First round, again”?" });
    await press(page.getByRole("button", { name: "Delete…" }), removal);
    await expect(removal).toContainText("This cannot be undone.");
    await expectSound(page, "training-delete", "[role=dialog]");
    await removal.getByRole("button", { name: "Delete run" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Training" })).toBeVisible();
    await expect(page.getByText("First round, again", { exact: true })).toBeHidden();
  } finally {
    await product.stop();
    trainer.stop();
  }
});
