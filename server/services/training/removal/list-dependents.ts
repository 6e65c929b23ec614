import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { readDependents } from "./read-dependents";
import { checkpointToDelete, dependentsReply, jobToDelete } from "./schemas";
import { readCheckpointSubject, readJobSubject } from "./subjects";

const common = { effect: "read", capability: FINE_TUNING_READERS, reply: dependentsReply } as const;
const ABOUT =
  "`blocks`: it must end or be deleted first; `deleted`: it is deleted too; `kept`: it stays, with an id that leads nowhere. `blockedReason` says why a deletion would be refused.";

export const listJobDependents = verb(
  {
    ...common,
    name: "trainingJobs.dependents",
    summary: "List what depends on a training job and its checkpoints, before deleting it.",
    description: ABOUT,
    input: jobToDelete,
  },
  async (ctx, { jobId }) => {
    const { subject } = await readJobSubject(ctx, jobId);
    return { dependents: await readDependents(ctx, subject) };
  },
);

export const listCheckpointDependents = verb(
  {
    ...common,
    name: "checkpoints.dependents",
    summary: "List what depends on a checkpoint, before deleting it.",
    description: ABOUT,
    input: checkpointToDelete,
  },
  async (ctx, { checkpointId }) => {
    const { subject } = await readCheckpointSubject(ctx, checkpointId);
    return { dependents: await readDependents(ctx, subject) };
  },
);
