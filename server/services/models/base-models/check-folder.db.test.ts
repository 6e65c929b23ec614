import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { checkpoints, trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { problem, ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { addBaseModel, getBaseModel, getCheckpoint, setTokenizerPre } from "..";
import { storedCheckpoint } from "../testing/stored-checkpoint";

const CHECK = "POST /base-models/check";
const FOUND = {
  template: { has_template: true, training_compatible: true, stop_token_trained: true, supports_tools: false },
  parameters: 600_000_000,
  context_length: 4_096,
  license: "apache-2.0",
  bytes: 1_500_000_000,
  weights_bytes: 1_400_000_000,
};
let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  trainer.answers.clear();
  trainer.calls.length = 0;
  trainer.isReachable = true;
  trainer.features = ["check_base_model", "tokenizer_pre"];
});

async function world() {
  await attachScripted(trainer);
  const { ctx } = await testProject();
  return ctx;
}

test("a folder is checked when it is added, and the model shows what was found", async () => {
  const ctx = await world();
  trainer.answers.set(CHECK, { status: 200, body: { check: FOUND, error: null } });
  const { baseModel } = await addBaseModel(ctx, { id: "/models/mine", source: "local" });
  expect(baseModel).toMatchObject({
    parameters: 0.6,
    contextLength: 4_096,
    license: "apache-2.0",
    diskBytes: 1_500_000_000,
    template: { hasTemplate: true, trainingCompatible: true, toolCalls: false },
  });
  const baseModelId = baseModel.baseModelId as string;
  expect((await getBaseModel(ctx, { baseModelId })).baseModel).toEqual(baseModel);
});

test("a folder that cannot be trained is refused with the trainer's reason, and not added", async () => {
  const ctx = await world();
  const { body } = problem(422, "base_model_corrupt", "The weights cannot be used: they are truncated", {
    hint: "Copy the model again.",
  }) as { body: { error: object } };
  trainer.answers.set(CHECK, { status: 200, body: { check: null, error: body.error } });
  const added = () => addBaseModel(ctx, { id: "/models/mine", source: "local" });
  await expect(added()).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/id", message: "The weights cannot be used: they are truncated. Copy the model again." }],
  });
  trainer.answers.set(CHECK, { status: 200, body: { check: FOUND, error: null } });
  await expect(added()).resolves.toBeTruthy();
});

test("a trainer that cannot check or be reached leaves what is in a folder unknown", async () => {
  trainer.features = [];
  const ctx = await world();
  const unknown = { parameters: null, contextLength: null, license: null, diskBytes: null };
  const before = await addBaseModel(ctx, { id: "/models/first", source: "local" });
  expect(before.baseModel).toMatchObject(unknown);
  expect(trainer.calls).not.toContain(CHECK);
  trainer.features = ["check_base_model"];
  await attachScripted(trainer);
  trainer.isReachable = false;
  const unreachable = await addBaseModel(ctx, { id: "/models/second", source: "local" });
  expect(unreachable.baseModel).toMatchObject(unknown);
});

test("a pre-tokenizer is stored with its checkpoint, on its trainer and here, once", async () => {
  const ctx = await world();
  const [attached] = await ctx.db.select({ id: trainers.id }).from(trainers);
  const jobId = await storedJob(ctx, { status: "succeeded", finishedAt: 1, trainerId: attached!.id });
  const checkpointId = await storedCheckpoint(ctx, jobId, { inferenceProfile: { tokenizer_pre: null, stop: [] } });
  const call = `PUT /checkpoints/${checkpointId}/tokenizer-pre`;
  trainer.answers.set(call, { status: 200, body: { checkpoint: {} } });
  await setTokenizerPre(ctx, checkpointId, "qwen2");
  await setTokenizerPre(ctx, checkpointId, "qwen2");
  expect(trainer.calls.filter((one) => one === call)).toHaveLength(1);
  const { checkpoint } = await getCheckpoint(ctx, { checkpointId });
  expect(checkpoint.inferenceProfile).toEqual({ tokenizer_pre: "qwen2", stop: [] });
  const { ctx: stranger } = await testProject();
  await expect(setTokenizerPre(stranger, checkpointId, "llama-bpe")).rejects.toMatchObject({ code: "not_found" });
});

test("a trainer of before, or a checkpoint without a profile, refuses a pre-tokenizer", async () => {
  trainer.features = [];
  const ctx = await world();
  const [attached] = await ctx.db.select({ id: trainers.id }).from(trainers);
  const jobId = await storedJob(ctx, { status: "succeeded", finishedAt: 1, trainerId: attached!.id });
  const refused = { code: "unprocessable", errors: [{ path: "/tokenizerPre", message: expect.any(String) }] };
  const checkpointId = await storedCheckpoint(ctx, jobId);
  await expect(setTokenizerPre(ctx, checkpointId, "qwen2")).rejects.toMatchObject(refused);
  await ctx.db.update(checkpoints).set({ inferenceProfile: { tokenizer_pre: null } });
  await expect(setTokenizerPre(ctx, checkpointId, "qwen2")).rejects.toMatchObject(refused);
});
