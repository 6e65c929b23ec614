import { setTimeout as sleep } from "node:timers/promises";
import type { Trainer } from "../../testbed/servers/real-trainer";

/** A reply; the code that uses it knows its fields. */
// biome-ignore lint/suspicious/noExplicitAny: a client without types reads replies
export type Json = Record<string, any>;
export type Call = (method: "GET" | "POST", path: string, body?: object) => Promise<Json>;

const EXAMPLES = 12;
const LOOK_MS = 500;
const WITHIN_MS = 600_000;

/** Returns a client of `/v1/projects/<id>` that throws on every reply that is not a success. */
export const clientOf =
  (base: string, secret: string): Call =>
  async (method, path, body) => {
    const reply = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const begun = Date.now(); Date.now() - begun < WITHIN_MS; await sleep(LOOK_MS)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`${what}: not within ${WITHIN_MS / 1000} s`);
}

/** Trains the tiny model once for each seed, and returns a checkpoint of each that can be deployed. */
export async function trainCheckpoints(call: Call, trainer: Trainer, seeds: readonly number[]): Promise<string[]> {
  const { dataset } = await call("POST", "/datasets", { name: "Weather" });
  const message = { role: "assistant", content: "sunny hello world" };
  for (let n = 0; n < EXAMPLES; n += 1) {
    const input = { type: "chat", messages: [{ role: "user", content: `weather ${n}` }] };
    const payload = { input, expectedOutput: { type: "chat_message", message } };
    await call("POST", `/datasets/${dataset.id}/examples`, { payload, split: "train" });
  }
  await until("the trainer's capabilities", async () => {
    const { trainers } = await call("GET", "/fine-tuning/trainers");
    return trainers[0]?.online || undefined;
  });
  const baseModel = { id: trainer.model, source: "local" };
  await call("POST", "/fine-tuning/base-models", baseModel);
  const checkpoints: string[] = [];
  for (const seed of seeds) {
    const training = {
      numTrainEpochs: 2,
      learningRate: 0.001,
      perDeviceTrainBatchSize: 4,
      gradientAccumulationSteps: 1,
      seed,
    };
    const { job } = await call("POST", "/fine-tuning/jobs", {
      datasetId: dataset.id,
      baseModel,
      method: "sft",
      adapter: "full",
      training,
    });
    const status = await until("training", async () => {
      const now = (await call("GET", `/fine-tuning/jobs/${job.id}`)).job;
      return ["succeeded", "failed", "cancelled"].includes(now.status) ? (now.status as string) : undefined;
    });
    if (status !== "succeeded") throw new Error(`Training ended as ${status}.`);
    const found = await call("GET", `/fine-tuning/checkpoints?jobId=${job.id}`);
    checkpoints.push(found.checkpoints.find((one: Json) => one.isFinal && one.inferenceProfile).id);
  }
  return checkpoints;
}
