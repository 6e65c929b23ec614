import type { Ctx } from "@/server/platform/context";
import { createDataset, createExample } from "@/server/services/datasets";
import { storedHub } from "@/server/services/model-exports/testing/stored-hub";
import { addBaseModel } from "@/server/services/models";
import { CATALOGUE } from "@/server/services/models/base-models/catalogue";
import { storedCertificate, storedCheckpoint, storedExport } from "@/server/services/models/testing/stored-checkpoint";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { createJob } from "../jobs/create-job";
import { createTuningConfig } from "../tuning-configs/create-tuning-config";

/**
 * Stores a Dataset with one Example to train on and one held out, and returns the request for a job on it. Requires an attached
 * scripted trainer.
 */
export async function trainingChoice(ctx: Ctx, mark: string) {
  const { dataset } = await createDataset(ctx, { name: `Trained on ${mark}` });
  const answer = { role: "assistant", content: `It is with ${mark}.` };
  await createExample(ctx, {
    datasetId: dataset.id,
    split: "train",
    payload: {
      input: { type: "chat", messages: [{ role: "user", content: `Where is ${mark}?` }] },
      expectedOutput: { type: "chat_message", message: answer },
    },
  });
  // Held out, so that a checkpoint can be compared with its base model.
  await createExample(ctx, {
    datasetId: dataset.id,
    split: "test",
    payload: {
      input: { type: "chat", messages: [{ role: "user", content: `And where was ${mark}?` }] },
      expectedOutput: { type: "chat_message", message: answer },
    },
  });
  return { datasetId: dataset.id, baseModel: { id: CATALOGUE[0]!.id }, method: "sft", adapter: "lora" } as const;
}

/**
 * Creates a project with one of everything that has to do with training, all marked with a word. Requires an attached scripted
 * trainer.
 */
export async function trainingWorld(ctx: Ctx, mark: string) {
  const choice = await trainingChoice(ctx, mark);
  const { job } = await createJob(ctx, { ...choice, name: `Job ${mark}` });
  const { tuningConfig } = await createTuningConfig(ctx, { ...choice, name: `Configuration ${mark}` });
  const { baseModel } = await addBaseModel(ctx, { id: `${mark}/model`, source: "hub" });
  const checkpointId = await storedCheckpoint(ctx, job.id);
  const connectionId = await storedHub(ctx);
  const publication = {
    checkpointId,
    format: "lora-adapter",
    destination: { connectionId, repoId: `${mark}/model`, private: true },
  } as const;
  return {
    certificateId: await storedCertificate(ctx, checkpointId),
    publication,
    exportId: await storedExport(ctx, { checkpointId, connectionId, repoId: `${mark}/model` }),
    choice,
    jobId: job.id,
    checkpointId,
    evaluationId: await storedEvaluation(ctx, checkpointId, {}, { expected: mark }),
    configId: tuningConfig.id,
    baseModelId: baseModel.baseModelId as string,
  };
}
