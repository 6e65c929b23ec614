import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { openTrainer } from "../open-trainer";
import { RECORDED_TRAINER } from "./recorded-trainer";
import { checkpointId, RECORDED_FILES, RECORDING } from "./recording";

const { ctx } = await testProject();
const { projectId } = ctx;
const trainer = await openTrainer(db(), RECORDED_TRAINER);
const jobId = await storedJob(ctx, { trainerId: RECORDED_TRAINER });
const [kept] = RECORDING.checkpoints.filter(({ id }) => id === RECORDING.kept.id);
const WEIGHTS = "model/model.safetensors";
const fileOf = (id: string, name = WEIGHTS) => ({
  method: "GET" as const,
  path: `/checkpoints/${id}/files/${name}`,
  projectId,
});

test("the files in the repository are those of the recorded checkpoint", () => {
  for (const { path: name, sha256, size } of RECORDING.kept.files) {
    const content = readFileSync(path.join(RECORDED_FILES, name));
    expect([name, content.length, createHash("sha256").update(content).digest("hex")]).toEqual([name, size, sha256]);
  }
});

test("a job with other settings or Examples than the recorded ones is refused", async () => {
  const put = (spec: object) => trainer.request({ method: "PUT", path: `/jobs/${jobId}`, json: spec, projectId });
  const manifest = { ...(RECORDING.spec.manifest as object), sha256: "a".repeat(64) };
  expect((await put({ ...RECORDING.spec, manifest })).status).toBe(200);
  const faster = { ...(RECORDING.spec.training as object), learning_rate: 0.01 };
  await expect(put({ ...RECORDING.spec, training: faster })).rejects.toThrow("No training with these settings");
  async function* content() {
    yield Buffer.from(`{"rows":1}\n{"example_id":"ex_1","messages":[]}\n`);
  }
  const sent = trainer.sendManifest({ projectId, sha256: "a".repeat(64), bytes: 1, content });
  await expect(sent).rejects.toThrow("No training on these Examples");
});

test("a prompt that was not recorded is refused", async () => {
  const messages = [{ role: "user", content: "Wo ist mein Paket?" }];
  const json = { targets: [{}, {}], prompts: [{ messages }], max_new_tokens: 10 };
  await expect(trainer.request({ method: "POST", path: "/samples", json, projectId })).rejects.toThrow("not recorded");
  const deployed = trainer.request({ method: "PUT", path: "/deployments/dep_1", json: {}, projectId });
  await expect(deployed).rejects.toThrow("was recorded");
});

test("a requested range of a file is sent, and only to the project that has the job", async () => {
  const asked = fileOf(checkpointId(jobId, kept!));
  const { status, body } = await trainer.download({ ...asked, headers: { range: "bytes=8-15" } });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  expect(status).toBe(206);
  expect(Buffer.concat(parts)).toEqual(readFileSync(path.join(RECORDED_FILES, WEIGHTS)).subarray(8, 16));
  const { ctx: neighbour } = await testProject();
  await expect(trainer.download({ ...asked, projectId: neighbour.projectId })).rejects.toThrow("not in the recording");
  await expect(trainer.download(fileOf("ckpt_other"))).rejects.toThrow("not in the recording");
  const outside = fileOf(checkpointId(jobId, kept!), "model/../../recording.generated.json");
  await expect(trainer.download(outside)).rejects.toThrow("not in the recording");
});
