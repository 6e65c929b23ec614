import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { NOW } from "@/db/now";
import { checkpoints, trainingJobs } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { trainingJobDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { isJob, isUnfinished, type JobRow, lockJob, readJob } from "./read-jobs";
import { cancelJobInput, jobIdInput, jobReply, requestedJobReply, resumeJobInput } from "./schemas";

/** A user's request that the trainer has not confirmed yet. */
export type Requested =
  | { id: string; action: "cancel"; mode: "save" | "discard" }
  | { id: string; action: "pause" }
  | { id: string; action: "resume"; from: string };

const common = {
  effect: "write",
  capability: "models:manage",
  reply: jobReply,
  writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedJobReply },
} as const;

const conflict = (message: string) => new ServiceError("conflict", message);

type Change = PgUpdateSetSource<typeof trainingJobs>;

async function change(tx: Ctx, { id, status }: JobRow, changed: Change, after: Record<string, unknown>) {
  await tx.db
    .update(trainingJobs)
    .set({ ...changed, updatedAt: NOW })
    .where(isJob(tx, id));
  auditNote(tx, { target: { type: "job", id }, before: { status }, after });
  if (changed.requested) await emit(tx.db, trainingJobDue.create({ projectId: tx.projectId, jobId: id }));
  return { job: await readJob(tx, id) };
}

/** Records a request to the trainer; the job's background function sends it. */
const request = (tx: Ctx, row: JobRow, status: JobRow["status"], input: Requested, more: Change = {}) => {
  const { id: _, ...after } = input;
  return change(tx, row, { status, requested: input, dueAt: NOW, ...more }, after);
};

/** Cancels an unfinished job in the caller's transaction: immediately if no trainer knows about it. */
export async function requestCancel(tx: Ctx, row: JobRow, mode: "save" | "discard") {
  if (row.dispatchedAt === null && row.phase === null) {
    const ended: Change = { status: "cancelled", stopReason: "user", finishedAt: NOW, requested: null, dueAt: null };
    return change(tx, row, ended, { status: "cancelled" });
  }
  return request(tx, row, "cancelling", { id: randomUUID(), action: "cancel", mode });
}

export const cancelJob = verb(
  {
    ...common,
    name: "trainingJobs.cancel",
    summary: "Cancel a training job.",
    description:
      "With `mode: save`, the default, what was trained so far is saved as a checkpoint first. A job that has ended is unchanged (200). Until the trainer has confirmed it, the status is `cancelling`, even while the trainer is unreachable.",
    input: cancelJobInput,
  },
  async (ctx, { jobId, mode }) => {
    await requireTrainer(ctx);
    const row = await lockJob(ctx, jobId);
    const input = row.requested as Requested | null;
    if (!isUnfinished(row) || (input?.action === "cancel" && input.mode === mode)) {
      auditNote(ctx, { target: { type: "job", id: jobId }, after: { status: row.status } });
      return { job: await readJob(ctx, jobId) };
    }
    return requestCancel(ctx, row, mode);
  },
);

export const pauseJob = verb(
  {
    ...common,
    name: "trainingJobs.pause",
    summary: "Pause a training job.",
    description: "It stores a checkpoint, frees its device and can be resumed. 409 unless it is running.",
    input: jobIdInput,
  },
  async (ctx, { jobId }) => {
    await requireTrainer(ctx);
    const row = await lockJob(ctx, jobId);
    if (row.status !== "running" && row.status !== "validating") {
      throw conflict(`Only a running job can be paused; this one is ${row.status}.`);
    }
    return request(ctx, row, "pausing", { id: randomUUID(), action: "pause" });
  },
);

export const resumeJob = verb(
  {
    ...common,
    name: "trainingJobs.resume",
    summary: "Resume a paused, failed or cancelled training job.",
    description:
      "Continues from its newest checkpoint, or from `checkpointId`. 409 with the reason if that is not possible: the job's `canResume` and `resumeBlockedReason` say the same.",
    input: resumeJobInput,
  },
  async (ctx, { jobId, checkpointId }) => {
    await requireTrainer(ctx);
    const row = await lockJob(ctx, jobId);
    const { canResume, resumeBlockedReason } = await readJob(ctx, jobId);
    if (!canResume) throw conflict(resumeBlockedReason ?? "It cannot be resumed.");
    if (checkpointId !== undefined) await requireResumable(ctx, jobId, checkpointId);
    const input: Requested = { id: randomUUID(), action: "resume", from: checkpointId ?? "latest" };
    const unended = { stopReason: null, error: null, finishedAt: null };
    return request(ctx, row, "queued", input, unended);
  },
);

async function requireResumable({ db, projectId }: Ctx, jobId: string, checkpointId: string) {
  const [found] = await db
    .select({ resumable: checkpoints.resumable, state: checkpoints.state })
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.jobId, jobId), eq(checkpoints.id, checkpointId)));
  if (!found) throw unprocessable("/checkpointId", "The job has no such checkpoint.");
  if (found.state !== "stored" || !found.resumable) {
    throw unprocessable("/checkpointId", "A job cannot be resumed from this checkpoint. Choose another.");
  }
}
