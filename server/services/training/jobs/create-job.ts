import { trainingJobs } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { insertJob } from "./insert-job";
import { prepareJob } from "./prepare-job";
import { isJob, readJob } from "./read-jobs";
import { createJobInput, jobReply, requestedJobReply } from "./schemas";

export const createJob = verb(
  {
    name: "trainingJobs.create",
    summary: "Train a model on a Dataset, in the background.",
    description:
      "Freezes the Examples of the Dataset's version: those in the `train` split are trained on, those in `validation` are evaluated, and later changes to the Dataset do not affect the job. 422: the base model is not known, the Dataset has no Examples to train on or is not of the schema chat/v1, Examples lack the `rejectedOutput` that dpo and orpo need, or no attached trainer can do what is requested; the message says why. With `output.export` the final checkpoint is published once the job has succeeded, which needs the capability project:models:manage; 422 says why the hub would refuse the token. 501: no trainer is attached. In `training`, `lora`, `baseModel` and `output` snake_case names and the usual names of other tools are accepted, too: `n_epochs`, `batch_size`, `max_seq_length`, `cutoff_len`, `sequence_len`, `lora_r` and `from_checkpoint`.",
    effect: "write",
    capability: "models:manage",
    input: createJobInput,
    reply: jobReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedJobReply },
  },
  {
    before: (ctx, input) => prepareJob(ctx, input),
    run: async (ctx, input, prepared) => {
      const { clonedFromId } = input;
      if (clonedFromId !== undefined) {
        const [found] = await ctx.db.select({ id: trainingJobs.id }).from(trainingJobs).where(isJob(ctx, clonedFromId));
        if (!found) throw notFound("The job that this one is cloned from");
      }
      const { id, name } = await insertJob(ctx, input, prepared);
      const { datasetVersion, train } = prepared.frozen;
      auditNote(ctx, {
        target: { type: "job", id },
        after: { ...input, name, datasetVersion, rows: train.rows },
      });
      return { job: await readJob(ctx, id) };
    },
  },
);
