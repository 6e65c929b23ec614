import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { startProduct } from "./support/product";
import { newProject } from "./support/project";
import { makeTrainer } from "./support/real-trainer";
import { signIn } from "./support/sign-in";
import { expect, test } from "./support/test";

/** The real trainer: models are really trained, on the CPU. */

const TAUGHT = "sunny hello world";
const EXAMPLES = 24;
const TRAINED_MS = 420_000;

test("what a Dataset teaches is learned, also when the worker is killed, and can be read back", async ({ page }) => {
  test.setTimeout(900_000);
  const trainer = await makeTrainer();
  const service = await trainer.start();
  const product = await startProduct({ env: { TRAINER_URL: trainer.url, TRAINER_TOKEN: trainer.token } });
  try {
    const project = newProject(product.url, product.dataDir);
    await signIn(page, project);
    const base = `${project.url}/v1/projects/${project.projectId}`;
    const send = async (method: "get" | "post", route: string, data?: object) => {
      const reply = await page.request[method](`${base}${route}`, {
        headers: { origin: project.url },
        ...(data ? { data } : {}),
        timeout: 90_000,
      });
      expect(reply.ok(), `${route}: ${reply.status()} ${await reply.text()}`).toBe(true);
      return reply.json();
    };
    const { dataset } = await send("post", "/datasets", { name: "Weather" });
    for (let n = 0; n < EXAMPLES; n += 1) {
      await send("post", `/datasets/${dataset.id}/examples`, {
        payload: {
          input: { type: "chat", messages: [{ role: "user", content: `weather ${n}` }] },
          expectedOutput: { type: "chat_message", message: { role: "assistant", content: TAUGHT } },
        },
        split: "train",
      });
    }
    // The first capabilities are read within a minute of the start.
    await expect
      .poll(async () => (await send("get", "/fine-tuning/trainers")).trainers[0]?.online, { timeout: 180_000 })
      .toBe(true);
    await send("post", "/fine-tuning/base-models", { id: trainer.model, source: "local" });
    const choice = {
      datasetId: dataset.id,
      baseModel: { id: trainer.model, source: "local" },
      method: "sft",
      adapter: "full",
      training: {
        numTrainEpochs: 3,
        learningRate: 0.001,
        perDeviceTrainBatchSize: 4,
        gradientAccumulationSteps: 1,
      },
    };
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

    const { checkpoints } = await send("get", `/fine-tuning/checkpoints?jobId=${job.id}`);
    const final = checkpoints.find((one: { isFinal: boolean }) => one.isFinal);
    expect(final.inferenceProfile).toMatchObject({ chat_template: expect.stringContaining("im_start") });
    const file = final.files.find((one: { path: string }) => one.path.endsWith(".safetensors"));
    const content = await page.request.get(
      `${base}/fine-tuning/checkpoints/${final.id}/content?path=${encodeURIComponent(file.path)}`,
    );
    expect(
      createHash("sha256")
        .update(await content.body())
        .digest("hex"),
    ).toBe(file.sha256);
    const { metrics } = await send("get", `/fine-tuning/jobs/${job.id}/metrics?series=train_loss`);
    expect(metrics[0].mean.at(-1)).toBeLessThan(metrics[0].mean[0]);

    const said = await fetch(`${trainer.url}/v1/samples`, {
      method: "POST",
      headers: { authorization: `Bearer ${trainer.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        targets: [{ checkpoint_id: final.id }],
        prompts: [{ messages: [{ role: "user", content: "weather 1" }] }],
      }),
    });
    expect(await said.text()).toContain(TAUGHT);

    await page.goto(`${project.url}/p/${project.projectId}/training/${job.id}`);
    await expect(page.getByText("Succeeded")).toBeVisible();
    await expect(page.getByRole("region", { name: "Loss", exact: true })).toBeVisible();
  } finally {
    await product.stop();
    await service.stop();
  }
});
