import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { queueRemoval, requireTrainer } from "@/server/services/trainers";
import { deleteCheckpointRows, deleteJobRows } from "./delete-rows";
import { requireDeletable } from "./read-dependents";
import { checkpointToDelete, jobToDelete } from "./schemas";
import { readCheckpointSubject, readJobSubject } from "./subjects";

const common = { effect: "write", capability: "models:manage", reply: okReply } as const;

export const deleteJob = verb(
  {
    ...common,
    name: "trainingJobs.delete",
    summary: "Delete a training job with its checkpoints.",
    description:
      "It disappears immediately, with its log and charts, and with the ended deployments, exports, evaluations and certificates of its checkpoints; files on the trainer and frozen Examples are deleted in the background. What was published stays published. 409 with the reason while it is unfinished, or while a deployment, an export, an evaluation, a certificate, a tuning configuration or another job needs one of its checkpoints: `…/dependents` lists them.",
    input: jobToDelete,
  },
  async (ctx, { jobId }) => {
    await requireTrainer(ctx);
    const { job, subject } = await readJobSubject(ctx, jobId, { lock: true });
    await requireDeletable(ctx, subject);
    const checkpointIds = subject.checkpoints.map(({ id }) => id);
    await deleteCheckpointRows(ctx, checkpointIds);
    await deleteJobRows(ctx, job);
    await queueRemoval(ctx, { kind: "job", subjectId: jobId, trainerId: job.trainerId, checkpointIds });
    auditNote(ctx, { before: { name: job.name, status: job.status, checkpoints: checkpointIds.length }, after: null });
    return { ok: true as const };
  },
);

export const deleteCheckpoint = verb(
  {
    ...common,
    name: "checkpoints.delete",
    summary: "Delete a checkpoint.",
    description:
      "It disappears immediately, with its ended deployments, exports, evaluations and certificates; its files on the trainer, and what was built from them, are deleted in the background. What was published stays published. 409 with the reason while its job is unfinished, or while a deployment, an export, an evaluation, a certificate, a tuning configuration or another job needs it: `…/dependents` lists them.",
    input: checkpointToDelete,
  },
  async (ctx, { checkpointId }) => {
    await requireTrainer(ctx);
    const { job, checkpoint, subject } = await readCheckpointSubject(ctx, checkpointId, { lock: true });
    await requireDeletable(ctx, subject);
    const checkpointIds = [checkpointId];
    await deleteCheckpointRows(ctx, checkpointIds);
    await queueRemoval(ctx, {
      kind: "checkpoint",
      subjectId: checkpointId,
      trainerId: job.trainerId,
      checkpointIds,
    });
    auditNote(ctx, {
      before: { jobId: job.id, stepNumber: checkpoint.stepNumber, bytes: checkpoint.bytes },
      after: null,
    });
    return { ok: true as const };
  },
);
