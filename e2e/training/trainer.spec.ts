import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { APIRequestContext, Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { startProduct } from "../../testbed/product/product";
import { startHub } from "../../testbed/servers/real-hub";
import { makeTrainer, type Trainer } from "../../testbed/servers/real-trainer";
import { press } from "../support/press";
import { reviewBlind } from "../support/review-blind";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** The real trainer: models are really trained, compared, served and published, on the CPU. */
test.describe.configure({ mode: "serial" });

const TAUGHT = "sunny hello world";
const CORRECTED = "hello tiny weather";
const EXAMPLES = 24;
const HELD_OUT = 4;
const CALLS = 12;
const NAME = "weather-desk";
const TRAINED_MS = 420_000;
const SERVED_MS = 300_000;

let trainer: Trainer;
let service: Awaited<ReturnType<Trainer["start"]>>;
let hub: Awaited<ReturnType<typeof startHub>>;
let product: Awaited<ReturnType<typeof startProduct>>;
let project: TestProject;
/** Final checkpoints: that of the first training, and that of the one that continued it. */
let first: string;
let second: string;
let datasetId: string;
let findingId: string;
let hubId: string;

test.beforeAll(async () => {
  test.setTimeout(600_000);
  trainer = await makeTrainer();
  hub = await startHub(trainer);
  product = await startProduct({
    env: {
      OUTBOUND_ALLOW: "127.0.0.1",
      DIAGNOSE_AFTER_QUIET_SECONDS: "1",
    },
  });
  project = await newProject(product.url, product.dataDir);
  service = await trainer.start(product);
});
test.afterAll(async () => {
  await product?.stop();
  hub?.stop();
  await service?.stop();
});

const at = (address: string) => `${project.url}/p/${project.projectId}/${address}`;
const v1 = (route: string) => `${project.url}/v1/projects/${project.projectId}${route}`;

/** Calls `/v1` as the person signed in to the browser or, with a key, as a program. */
const caller = (request: APIRequestContext, key?: string) => {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : { origin: project.url };
  return async (method: "get" | "post" | "patch", route: string, data?: object) => {
    const reply = await request[method](v1(route), { headers, ...(data ? { data } : {}), timeout: SERVED_MS });
    expect(reply.ok(), `${route}: ${reply.status()} ${await reply.text()}`).toBe(true);
    return reply.json();
  };
};
type Send = ReturnType<typeof caller>;

const addExample = (send: Send, dataset: string, asked: string, content: string, split: string) =>
  send("post", `/datasets/${dataset}/examples`, {
    payload: {
      input: { type: "chat", messages: [{ role: "user", content: asked }] },
      expectedOutput: { type: "chat_message", message: { role: "assistant", content } },
    },
    split,
  });

const BUILT = { formats: ["safetensors", "gguf"], ggufQuantizations: ["q8_0"] };
const choiceOf = (dataset: string, baseModel: object, built: object = {}) => ({
  datasetId: dataset,
  baseModel,
  method: "sft",
  adapter: "full",
  training: { numTrainEpochs: 3, learningRate: 0.001, perDeviceTrainBatchSize: 4, gradientAccumulationSteps: 1 },
  // The tokenizer has a dozen words and is unknown to llama.cpp's converter.
  output: { tokenizerPre: "gpt-2", ...built },
});

const finalOf = async (send: Send, jobId: string) => {
  const { checkpoints } = await send("get", `/fine-tuning/checkpoints?jobId=${jobId}`);
  return checkpoints.find((one: { isFinal: boolean }) => one.isFinal);
};

/** Asks like an application: by the deployment's name and with a key that may do nothing else. */
const ask = async (request: APIRequestContext, key: string, content: string) => {
  const reply = await request.post(v1(`/deployments/${NAME}/v1/chat/completions`), {
    headers: { authorization: `Bearer ${key}` },
    data: { model: NAME, messages: [{ role: "user", content }], max_tokens: 16, temperature: 0 },
    timeout: 60_000,
  });
  expect(reply.ok(), `${reply.status()} ${await reply.text()}`).toBe(true);
  return (await reply.json()).choices[0].message.content.trim();
};

test("a model learns a Dataset although its worker is killed, and its files are downloaded", async ({ page }) => {
  test.setTimeout(1_500_000);
  await authenticate(page, project);
  const send = caller(page.request);
  const { dataset } = await send("post", "/datasets", { name: "Weather" });
  for (let n = 0; n < EXAMPLES; n += 1) await addExample(send, dataset.id, `weather ${n}`, TAUGHT, "train");
  await send("post", "/fine-tuning/base-models", { id: trainer.model, source: "local" });
  const choice = choiceOf(dataset.id, { id: trainer.model, source: "local" });
  const { validation } = await send("post", "/fine-tuning/validate", choice);
  expect(validation).toMatchObject({ ok: true, rows: { usable: EXAMPLES } });
  const learned = validation.renderedExamples[0].segments.filter((one: { trained: boolean }) => one.trained);
  expect(learned.map(({ text }: { text: string }) => text).join("")).toContain(TAUGHT);

  const { job } = await send("post", "/fine-tuning/jobs", choice);
  const read = async () => (await send("get", `/fine-tuning/jobs/${job.id}`)).job;
  const folder = path.join(trainer.home, "jobs", job.id);
  const checkpointsThere = () => {
    try {
      return readdirSync(path.join(folder, "checkpoints")).filter((name) => name.startsWith("ckpt_")).length;
    } catch {
      return 0;
    }
  };
  await expect.poll(checkpointsThere, { timeout: TRAINED_MS, intervals: [50] }).toBeGreaterThan(0);
  const { pid } = JSON.parse(readFileSync(path.join(folder, "job.json"), "utf8"));
  if (pid) process.kill(pid, "SIGKILL");
  await expect.poll(async () => (await read()).status, { timeout: TRAINED_MS }).toBe("succeeded");
  expect(await read()).toMatchObject({
    attempt: 2,
    error: null,
    stopReason: "completed",
    manifest: { rows: EXAMPLES },
  });

  const final = await finalOf(send, job.id);
  first = final.id;
  expect(final.inferenceProfile).toMatchObject({ chat_template: expect.stringContaining("im_start") });
  const file = final.files.find((one: { path: string }) => one.path.endsWith(".safetensors"));
  const content = await page.request.get(
    v1(`/fine-tuning/checkpoints/${final.id}/content?path=${encodeURIComponent(file.path)}`),
  );
  expect(
    createHash("sha256")
      .update(await content.body())
      .digest("hex"),
  ).toBe(file.sha256);
  const { metrics } = await send("get", `/fine-tuning/jobs/${job.id}/metrics?series=train_loss`);
  expect(metrics[0].mean.at(-1)).toBeLessThan(metrics[0].mean[0]);

  await page.goto(at(`training/${job.id}`));
  await expect(page.getByText("Succeeded")).toBeVisible();
  await expect(page.getByRole("region", { name: "Loss", exact: true })).toBeVisible();
});

/** Deploys a checkpoint in the given form through the dialog, and waits for the deployment's page. */
async function deploy(page: Page, checkpointId: string, form: string) {
  await page.goto(at(`checkpoints/${checkpointId}?ask=deploy`));
  const dialog = page.getByRole("dialog", { name: "Deploy a checkpoint" });
  await dialog.getByLabel("Name").fill(NAME);
  await dialog.getByLabel("Format", { exact: true }).selectOption(form);
  await dialog.getByRole("button", { name: "Deploy", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: NAME })).toBeVisible({ timeout: SERVED_MS });
  await expect(page.locator("header").getByText("Running", { exact: true }).first()).toBeVisible();
}

test("a model's failure is found, and its fix is trained, proven, published and rolled back", async ({ page }) => {
  test.setTimeout(1_500_000);
  await authenticate(page, project);
  const send = caller(page.request);
  const key = await project.newKey("telemetry:write", "workspace:read");
  await send("patch", "/diagnostics/rules/broken-response", { configuration: { keywords: ["sunny"] } });

  await deploy(page, first, "As trained");
  for (let n = 0; n < CALLS; n += 1) expect(await ask(page.request, key, `weather ${100 + n}`)).toBe(TAUGHT);
  const found = async () => (await send("get", "/diagnostics/findings?signal=keyword")).findings[0];
  await expect.poll(async () => (await found())?.occurrenceCount, { timeout: 120_000 }).toBe(CALLS);
  findingId = (await found()).id;

  // Trains the corrected answer, continuing from the end of the first training.
  const { dataset } = await send("post", "/datasets", { name: "Weather, corrected" });
  datasetId = dataset.id;
  for (let n = 0; n < EXAMPLES; n += 1)
    await addExample(send, datasetId, `weather ${200 + n}`, CORRECTED, n < HELD_OUT ? "test" : "train");
  const { job } = await send("post", "/fine-tuning/jobs", choiceOf(datasetId, { checkpointId: first }, BUILT));
  const status = async () => (await send("get", `/fine-tuning/jobs/${job.id}`)).job.status;
  await expect.poll(status, { timeout: TRAINED_MS }).toBe("succeeded");
  second = (await finalOf(send, job.id)).id;

  // A GGUF file is built, compared with the checkpoint, and replaces the running version.
  await deploy(page, second, "q8_0");
  expect(await ask(page.request, key, "weather 300")).toBe(CORRECTED);
  const versions = page.getByRole("table", { name: "Versions of the deployment" });
  await expect(versions.getByRole("row").filter({ hasText: "Stopped" })).toHaveCount(1, { timeout: SERVED_MS });
  await page.goto(at(`checkpoints/${second}`));
  await expect(page.getByText("Answers match").first()).toBeVisible();
  await expect(
    page.getByRole("table", { name: "Compared formats" }).getByRole("row", { name: /GGUF q8_0/ }),
  ).toContainText(/Same|Close/);

  // Before and after, on held-out Examples.
  const comparing = page.getByRole("dialog", { name: "Compare before and after" });
  await press(page.getByRole("button", { name: "More", exact: true }), page.getByRole("menu"));
  await press(page.getByRole("menuitem", { name: "Compare before and after…" }), comparing);
  await comparing.getByRole("button", { name: "Start the comparison" }).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect(result.getByRole("list", { name: "Outcomes" })).toContainText(`Win ${HELD_OUT}`, { timeout: SERVED_MS });

  // And on the conversations of the Finding.
  await page.goto(at(`findings/${findingId}`));
  const proof = page.getByRole("region", { name: "Proof" });
  const proving = page.getByRole("dialog", { name: "Prove a fix" });
  await press(proof.getByRole("button", { name: "Prove a fix…" }), proving);
  await proving.getByRole("combobox", { name: "Checkpoint" }).selectOption(second);
  await proving.getByRole("button", { name: "Start the proof" }).click();
  await expect(result).toContainText("Not enough yet", { timeout: SERVED_MS });
  await expect(result).toContainText(`${CALLS} of ${CALLS}`);
  await expect(result).toContainText(`0 of ${CALLS}`);
  await page.getByRole("button", { name: "Review blind…" }).click();
  await reviewBlind(page, CALLS, (answer) => answer.includes(CORRECTED));
  await expect(result).toContainText("Proven");
  await page.goto(at(`findings/${findingId}`));
  await expect(proof).toContainText("95% interval");

  // Published, and downloaded by someone who has nothing but the token.
  const { connection } = await send("post", "/connections", {
    kind: "model-hub",
    name: "Our hub",
    baseUrl: hub.url,
    secret: hub.token,
  });
  hubId = connection.id;
  await page.goto(at(`exports?export=${second}`));
  const exporting = page.getByRole("dialog", { name: "Export a model" });
  await exporting.getByRole("radio", { name: "Merged, 16-bit" }).check();
  await exporting.getByLabel("Hub").selectOption(hubId);
  await exporting.getByLabel("Repository").fill("tester/weather-desk");
  await exporting.getByRole("button", { name: "Export", exact: true }).click();
  const exported = page.getByRole("complementary", { name: "Export" });
  await expect(exported.getByText("Published", { exact: true })).toBeVisible({ timeout: SERVED_MS });
  expect(hub.answerOf(hub.download("tester/weather-desk"), "weather 301")).toBe(CORRECTED);

  await page.goto(at("deployments?status=running"));
  await page.getByRole("link", { name: NAME }).click();
  const rolling = page.getByRole("dialog", { name: `Roll back “${NAME}”?` });
  await press(page.getByRole("button", { name: "Roll back…" }), rolling);
  await rolling.getByRole("button", { name: "Roll back" }).click();
  await expect(page.getByText(`Rolled back “${NAME}”`)).toBeVisible({ timeout: SERVED_MS });
  expect(await ask(page.request, key, "weather 302")).toBe(TAUGHT);

  await page.goto(at(`lineage/${encodeURIComponent(trainer.model)}`));
  const graph = page.getByRole("region", { name: "Lineage, scrollable" });
  await expect(graph.getByRole("link", { name: /Export.*tester\/weather-desk/ })).toBeVisible();
  await expect(graph.getByRole("link", { name: /Deployment.*weather-desk/ }).first()).toBeVisible();
});

test("over /v1 with a key, models are deployed, rolled back, compared and published", async ({ request }) => {
  test.setTimeout(1_500_000);
  const key = await project.newKey(
    "workspace:read",
    "models:manage",
    "project:models:manage",
    "diagnostics:read",
    "telemetry:write",
  );
  const send = caller(request, key);
  const deployAs = async (checkpointId: string) =>
    (await send("post", `/fine-tuning/checkpoints/${checkpointId}/deploy`, { name: NAME })).deployment;

  // The request returns once the model answers.
  const newer = await deployAs(second);
  expect(newer).toMatchObject({ status: "running", backend: "transformers", checkpointId: second });
  expect(await ask(request, key, "weather 303")).toBe(CORRECTED);
  const older = await deployAs(first);
  expect(older).toMatchObject({ status: "running", replacesId: newer.id });
  expect(await ask(request, key, "weather 304")).toBe(TAUGHT);
  const { deployment } = await send("post", `/fine-tuning/deployments/${older.id}/roll-back`, {});
  expect(deployment).toMatchObject({ status: "running", checkpointId: second });
  expect(await ask(request, key, "weather 305")).toBe(CORRECTED);
  const running = async () =>
    (await send("get", `/fine-tuning/deployments?status=running&name=${NAME}`)).deployments.map(
      ({ id }: { id: string }) => id,
    );
  expect(await running()).toEqual([deployment.id]);

  const ended = async (route: string, name: string) => {
    let last: Record<string, unknown> = {};
    await expect
      .poll(
        async () => {
          last = (await send("get", route))[name];
          return last.status;
        },
        { timeout: SERVED_MS },
      )
      .toMatch(/^(ready|succeeded)$/);
    return last;
  };
  const { certificate } = await send("post", `/fine-tuning/checkpoints/${second}/certificates`, {
    forms: [{ kind: "gguf", quantization: "q4_k_m" }],
    deploymentId: deployment.id,
  });
  expect(await ended(`/fine-tuning/certificates/${certificate.id}`, "certificate")).toMatchObject({
    verdict: "passed",
  });

  const { evaluation } = await send("post", "/fine-tuning/evaluations", {
    checkpointId: second,
    kind: "finding",
    findingId,
  });
  const { verdict, proof } = (await ended(`/fine-tuning/evaluations/${evaluation.id}`, "evaluation")) as {
    verdict: string;
    proof: { n: number; foundBefore: number; foundAfter: number; difference: { high: number } };
  };
  // Answers of the first version after the roll-back may have been found by now.
  expect(proof.n).toBeGreaterThanOrEqual(CALLS);
  expect(proof).toMatchObject({ foundBefore: proof.n, foundAfter: 0 });
  expect(proof.difference.high).toBeLessThan(0);
  // The failure is gone; nobody has said of these answers whether they are right.
  expect(verdict).toBe("not_enough");

  const { export: asked } = await send("post", "/fine-tuning/export", {
    checkpointId: second,
    format: "gguf",
    quantization: "q4_k_m",
    destination: { connectionId: hubId, repoId: "tester/weather-desk-gguf", private: true },
  });
  const published = await ended(`/fine-tuning/exports/${asked.id}`, "export");
  expect(published.commitOid).toMatch(/^[0-9a-f]{40}$/);
  const folder = hub.download("tester/weather-desk-gguf");
  const weights = readdirSync(folder).find((name) => name.endsWith(".gguf")) ?? "";
  expect(await hub.answerOfGguf(path.join(folder, weights), "weather 306")).toBe(CORRECTED);

  await send("post", `/fine-tuning/deployments/${deployment.id}/stop`, {});
  const status = async () => (await send("get", `/fine-tuning/deployments/${deployment.id}`)).deployment.status;
  await expect.poll(status, { timeout: SERVED_MS }).toBe("stopped");
  expect(await running()).toEqual([]);

  const { lineage } = await send("get", `/fine-tuning/lineage/${encodeURIComponent(second)}`);
  const kinds = new Set(lineage.nodes.map(({ kind }: { kind: string }) => kind));
  for (const kind of ["baseModel", "datasetVersion", "job", "checkpoint", "artifact", "deployment", "export"])
    expect(kinds).toContain(kind);
  expect(lineage.edges).toContainEqual({ from: expect.any(String), to: first, type: "continued_from" });
});
