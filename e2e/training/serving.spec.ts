import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { startProduct } from "../../testbed/product/product";
import { UNTRAINED } from "../../testbed/servers/serving-script";
import { LEARNED, STEPS, startTrainingScript } from "../../testbed/servers/training-script";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** From a finished run to a served, compared and published model. The trainer is a script that implements the HTTP contract. */

const MODEL = "Qwen/Qwen3-0.6B";
const NAME = "shop-agent";
const ASKED = "Can I return the jacket?";
const LAST_MS = 60_000;

const at = ({ url, projectId }: TestProject, path: string) => `${url}/p/${projectId}/${path}`;

async function send(page: Page, { url, projectId }: TestProject, path: string, data: object) {
  const reply = await page.request.post(`${url}/v1/projects/${projectId}/${path}`, { headers: { origin: url }, data });
  expect(reply.ok(), `${path}: ${reply.status()} ${await reply.text()}`).toBe(true);
  return reply.json();
}

/** Trains once, and returns the ids of its last two checkpoints, the newer first. */
async function train(page: Page, project: TestProject): Promise<[string, string]> {
  const { dataset } = await send(page, project, "datasets", { name: "Answers about returns" });
  for (const content of ["Can I return it?", "And without the receipt?"]) {
    await send(page, project, `datasets/${dataset.id}/examples`, {
      payload: {
        input: { type: "chat", messages: [{ role: "user", content }] },
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: LEARNED } },
      },
      split: "train",
    });
  }
  const wanted = {
    name: "First round",
    datasetId: dataset.id,
    baseModel: { id: MODEL },
    method: "sft",
    adapter: "lora",
  };
  // The trainer runs in this process, which the command line blocks: it may not have replied yet.
  let jobId = "";
  await expect(async () => {
    jobId = (await send(page, project, "fine-tuning/jobs", wanted)).job.id;
  }).toPass({ timeout: LAST_MS });
  type Checkpoints = { checkpoints: { id: string; stepNumber: number }[] };
  const stored = async () => {
    const { checkpoints } = (await project.read(`fine-tuning/checkpoints?jobId=${jobId}`)) as unknown as Checkpoints;
    return checkpoints.toSorted((a, b) => b.stepNumber - a.stepNumber);
  };
  await expect.poll(async () => (await stored())[0]?.stepNumber, { timeout: LAST_MS }).toBe(STEPS);
  const [last, before] = await stored();
  return [last!.id, before!.id];
}

/** Returns the id of the version that runs under the name. */
async function runningId(project: TestProject): Promise<string> {
  const { deployments } = (await project.read("fine-tuning/deployments?status=running")) as unknown as {
    deployments: { id: string; model: string }[];
  };
  return deployments.find(({ model }) => model === NAME)!.id;
}

/** Compares the merged model and a GGUF file with the checkpoint. */
async function certify(page: Page) {
  const dialog = page.getByRole("dialog", { name: "Compare the formats of this checkpoint" });
  await page.getByRole("button", { name: "More" }).click();
  await press(page.getByRole("menuitem", { name: "Compare formats…" }), dialog);
  await dialog.getByRole("checkbox", { name: "GGUF q4_k_m" }).check();
  await expect(dialog.getByText("The trainer can’t build it.").first()).toBeVisible();
  await dialog.getByRole("button", { name: "Compare answers" }).click();
  await expect(page.getByText("Answers match").first()).toBeVisible({ timeout: LAST_MS });
  const forms = page.getByRole("table", { name: "Compared formats" });
  await expect(forms.getByRole("row", { name: /Merged, 16-bit/ })).toContainText("220 of 220 (100%)");
  await expect(forms.getByRole("row", { name: /GGUF q4_k_m/ })).toContainText("Close");
  const answers = page.getByRole("list", { name: "Answers" });
  await expect(answers.getByText("Yes, within thirty days.")).toBeVisible();
}

/** Deploys a checkpoint in the dialog that is open, and waits until it runs. */
async function deploy(page: Page, checkpoint?: string) {
  const dialog = page.getByRole("dialog", { name: "Deploy a checkpoint" });
  if (checkpoint !== undefined) await dialog.getByLabel("Checkpoint").selectOption(checkpoint);
  await dialog.getByLabel("Name").fill(NAME);
  await expect(dialog.getByRole("radio", { name: "vLLM" })).toBeDisabled();
  await expect(dialog.getByText("vLLM needs a GPU. Attach a machine that has one.")).toBeVisible();
  await dialog.getByRole("button", { name: "Deploy", exact: true }).click();
  await expect(dialog.getByText(/Loading the model|Starting the server|Waiting for a first answer/)).toBeVisible({
    timeout: LAST_MS,
  });
}

test("without a trainer every serving page asks for one", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  for (const path of ["deployments", "playground", "exports", "lineage"]) {
    await page.goto(at(project, path));
    await expect(page.getByText("Attach a trainer")).toBeVisible();
  }
  await page.goto(at(project, "deployments/dep_x"));
  await expect(page.getByText("Deployment not found")).toBeVisible();
  await page.goto(at(project, "lineage/Qwen%2FQwen3-0.6B"));
  await expect(page.getByRole("heading", { level: 1, name: /Qwen3-0.6B/ })).toBeVisible();
});

test("a finished run is compared, deployed, called, tried, exported and rolled back", async ({ page }) => {
  test.setTimeout(420_000);
  const trainer = await startTrainingScript();
  const product = await startProduct({ env: { OUTBOUND_ALLOW: "127.0.0.1" } });
  try {
    await trainer.attachTo(product);
    const project = await newProject(product.url, product.dataDir);
    await authenticate(page, project);
    const [checkpointId, olderId] = await train(page, project);
    const { connection } = await send(page, project, "connections", {
      kind: "model-hub",
      name: "Our hub",
      baseUrl: trainer.origin,
      secret: "hf_a-token-of-nobody",
    });

    await page.goto(at(project, `checkpoints/${checkpointId}`));
    await certify(page);
    await expectSound(page, "checkpoint");

    // Deploys the older one first, and then replaces it with the newer one.
    await page.goto(at(project, `checkpoints/${olderId}?ask=deploy`));
    await deploy(page);
    // The deployment continues without the page.
    await page.goto(at(project, "deployments"));
    await expect(page.getByRole("row", { name: new RegExp(NAME) })).toContainText("Running", { timeout: LAST_MS });
    await page.goto(at(project, "deployments?deploy=new"));
    await deploy(page, checkpointId);
    await expect(page.getByRole("heading", { level: 1, name: NAME })).toBeVisible({ timeout: LAST_MS });
    await expect(page.locator("header").getByText("Running", { exact: true }).first()).toBeVisible();
    const versions = page.getByRole("table", { name: "Versions of the deployment" });
    await expect(versions.getByRole("row", { name: new RegExp(`step ${STEPS}`) })).toContainText("Running");
    await expect(versions.getByRole("row", { name: /step 30/ })).toContainText("Stopped", { timeout: LAST_MS });
    await page.getByText("Python", { exact: true }).click();
    await expect(page.getByRole("group", { name: "Call from Python" })).toContainText("base_url=");
    await expectSound(page, "deployment");

    // Called by its name with a key, as an application does, and recorded like any other call.
    const called = await page.request.post(
      `${product.url}/v1/projects/${project.projectId}/deployments/${NAME}/v1/chat/completions`,
      {
        headers: { authorization: `Bearer ${await project.newKey("telemetry:write", "workspace:read")}` },
        data: { model: NAME, messages: [{ role: "user", content: ASKED }] },
      },
    );
    expect((await called.json()).choices[0].message.content).toBe(LEARNED);
    await page.goto(at(project, `conversations?model=${NAME}`));
    const recorded = page.getByRole("link", { name: ASKED });
    await expect(recorded).toBeVisible({ timeout: LAST_MS });

    // From that call's answer to the playground, where a checkpoint is compared with its base model.
    await recorded.click();
    await page.getByRole("link", { name: /^Replay message \d+ on a model$/ }).click();
    await expect(page.getByText("1 message of a conversation")).toBeVisible({ timeout: LAST_MS });
    const replayed = new URL(page.url());
    replayed.searchParams.set("b", `checkpoint:${checkpointId}`);
    await page.goto(replayed.toString());
    await expect(page.getByText("Not loaded.").first()).toBeVisible();
    await press(
      page.getByRole("button", { name: "Answer", exact: true }),
      page.getByRole("button", { name: "Stop", exact: true }),
    );
    await expect(page.getByRole("region", { name: "Answers of the second pane" })).toContainText(LEARNED, {
      timeout: LAST_MS,
    });
    await expect(page.getByRole("region", { name: "Answers of the first pane" })).toContainText(UNTRAINED, {
      timeout: LAST_MS,
    });
    await expect(page.getByText(/5 tokens/).first()).toBeVisible();
    await expectSound(page, "playground");

    // What is tried there becomes a variant of the deployment, which gives the recorded answer again.
    replayed.searchParams.set("a", `deployment:${await runningId(project)}`);
    await page.goto(replayed.toString());
    await page.locator("summary", { hasText: "System prompt" }).click();
    await page.getByLabel("System prompt").fill("Be kind.");
    await press(
      page.getByRole("button", { name: "Save as variant…" }),
      page.getByRole("heading", { level: 1, name: "New variant" }),
    );
    await expect(page.getByLabel("Answered by").locator("option:checked")).toHaveText(NAME);
    await expect(page.getByRole("textbox", { name: "System prompt" })).toHaveValue("Be kind.");
    await page.getByRole("button", { name: "Try it" }).click();
    await expect(page.getByRole("region", { name: "With the variant" })).toContainText(LEARNED);
    await expectSound(page, "variant of a deployment");

    // Published to a hub, with the files that a trainer uploaded.
    await page.goto(at(project, `exports?export=${checkpointId}`));
    const exporting = page.getByRole("dialog", { name: "Export a model" });
    await exporting.getByLabel("Hub").selectOption(connection.id);
    await exporting.getByLabel("Repository").fill("acme/shop-agent");
    await expect(exporting.getByText(/Its answers match the checkpoint’s/)).toBeVisible();
    await exporting.getByRole("button", { name: "Export", exact: true }).click();
    const exported = page.getByRole("complementary", { name: "Export" });
    await expect(exported.getByText("Published", { exact: true })).toBeVisible({ timeout: LAST_MS });
    await expect(exported.getByText("support-q4_k_m.gguf")).toBeVisible();
    await expectSound(page, "exports");

    // Rolled back in one step, and forward again from the list.
    await page.goto(at(project, "deployments?status=running"));
    await page.getByRole("link", { name: NAME }).click();
    const rolling = page.getByRole("dialog", { name: `Roll back “${NAME}”?` });
    await press(page.getByRole("button", { name: "Roll back…" }), rolling);
    await expect(rolling).toContainText("step 30");
    await rolling.getByRole("button", { name: "Roll back" }).click();
    await expect(page.getByText(`Rolled back “${NAME}”`)).toBeVisible({ timeout: LAST_MS });
    await expect(versions.getByRole("row", { name: /step 30/ }).first()).toContainText("Running", { timeout: LAST_MS });

    // Everything is connected in the lineage.
    await page.goto(at(project, `lineage/${encodeURIComponent(MODEL)}`));
    const graph = page.getByRole("region", { name: "Lineage, scrollable" });
    await expect(graph.getByRole("link", { name: /Deployment.*shop-agent/ }).first()).toBeVisible({ timeout: LAST_MS });
    await expect(graph.getByRole("link", { name: /Export.*acme\/shop-agent/ })).toBeVisible();
    await page.getByText("Table", { exact: true }).click();
    await expect(page.getByRole("table", { name: "Lineage" })).toContainText("Answers about returns");
    await expectSound(page, "lineage");
  } finally {
    await product.stop();
    trainer.stop();
  }
});
