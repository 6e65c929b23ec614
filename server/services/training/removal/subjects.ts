import { and, eq } from "drizzle-orm";
import { checkpoints, trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { isJob, isUnfinished, type JobRow } from "../jobs/read-jobs";
import type { Subject } from "./read-dependents";

type Lock = { lock?: boolean };

const STARTED = (status: string) => `The job is ${status}. Cancel it, or wait until it has ended.`;

/** Returns a job with its checkpoints, locked if asked; throws a 404. */
export async function readJobSubject({ db, ...ctx }: Ctx, id: string, { lock = false }: Lock = {}) {
  const rows = db.select().from(trainingJobs).where(isJob(ctx, id));
  const [job] = await (lock ? rows.for("update") : rows);
  if (!job) throw notFound("The job");
  const saved = db
    .select()
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, ctx.projectId), eq(checkpoints.jobId, id)))
    .orderBy(checkpoints.id);
  const found = await (lock ? saved.for("update") : saved);
  const subject: Subject = {
    jobId: id,
    checkpoints: found.map((one) => ({ id: one.id, bytes: sizeOf(one) })),
    obstacle: isUnfinished(job) ? STARTED(job.status) : null,
  };
  return { job, subject };
}

/** Returns a checkpoint with its job, locked if asked; throws a 404. */
export async function readCheckpointSubject({ db, projectId }: Ctx, id: string, { lock = false }: Lock = {}) {
  const isIt = and(eq(checkpoints.projectId, projectId), eq(checkpoints.id, id));
  const [known] = await db.select({ jobId: checkpoints.jobId }).from(checkpoints).where(isIt);
  if (!known) throw notFound("The checkpoint");
  // The job first, as everywhere.
  const jobs = db.select().from(trainingJobs).where(isJob({ projectId }, known.jobId));
  const [job] = await (lock ? jobs.for("update") : jobs);
  const rows = db.select().from(checkpoints).where(isIt);
  const [checkpoint] = await (lock ? rows.for("update") : rows);
  if (!job || !checkpoint) throw notFound("The checkpoint");
  const subject: Subject = {
    jobId: null,
    checkpoints: [{ id, bytes: sizeOf(checkpoint) }],
    obstacle: isUnfinished(job) ? unfinished(job) : null,
  };
  return { job, checkpoint, subject };
}

const unfinished = ({ name, status }: JobRow) =>
  `Its training job “${name}” is ${status} and may resume from it. Cancel the job, or wait until it has ended.`;

const sizeOf = ({ bytes, state }: { bytes: number; state: string }) => (state === "pruned" ? 0 : bytes);
