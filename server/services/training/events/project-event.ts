import { and, eq, ne } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { checkpoints, trainingArtifacts, type trainingJobs } from "@/db/schema";
import {
  ARTIFACT_KINDS,
  CHECKPOINT_KINDS,
  TRAINING_JOB_STATUSES,
  TRAINING_STOP_REASONS,
} from "@/db/schema/enumerations";
import { ownValue } from "@/server/platform/json/own-value";
import { trainerProblemOf } from "@/server/services/trainers";
import type { WireEvent } from "./wire-event";

export type JobRow = typeof trainingJobs.$inferSelect;
type Change = Partial<JobRow>;

const ENDED: readonly string[] = ["succeeded", "failed", "cancelled"];
export const isEnded = (status: string) => ENDED.includes(status);

const count = z.int().min(0).nullish().catch(null);
const amount = z.number().nullish().catch(null);
const text = z.string().max(500);
/** The range of a column for steps. */
const STEP_MAX = 2_147_483_647;
const bytes = z.int().min(0);
/** A path that stays below its folder, whoever appends it to one. */
const filePath = text.refine(
  (path) => path.split("/").every((part) => !["", ".", ".."].includes(part)) && !/[\\\p{Cc}]/u.test(path),
);
const files = z.array(z.object({ path: filePath, size: bytes, sha256: text })).max(10_000);

const progressData = z.object({
  step: z.int().min(0),
  total_steps: count,
  epoch: amount,
  percent: amount,
  elapsed_seconds: amount,
  eta_seconds: amount,
  tokens_seen: amount,
  tokens_per_second: amount,
});
const checkpointData = z.object({
  checkpoint_id: text.min(1),
  attempt: z.int().min(0).optional(),
  step_number: z.int().min(0).max(STEP_MAX),
  epoch: amount,
  created_at: z.string().optional(),
  kind: z.enum(CHECKPOINT_KINDS),
  metrics: z.record(z.string(), z.number().nullable()).catch({}),
  files,
  content_sha256: text,
  base_model: z.object({ id: text, revision: text.nullish() }),
  parent_checkpoint_id: text.nullish(),
  resumable: z.boolean().catch(false),
  bytes,
  is_best: z.boolean().catch(false),
  is_final: z.boolean().catch(false),
  inference_profile: z.record(z.string(), z.unknown()).nullish().catch(null),
});
const artifactData = z.object({
  artifact_id: text.min(1),
  checkpoint_id: text.min(1),
  kind: z.enum(ARTIFACT_KINDS),
  quantization: text.nullish(),
  files: files.catch([]),
  bytes: bytes.catch(0),
  warnings: z.array(z.unknown()).max(100).catch([]),
});

const UNEXPLAINED = {
  code: "worker_vanished",
  message: "The trainer did not say why the job failed.",
  param: null,
  retryable: true,
  blame: "platform",
  phase: null,
  hint: "See the job's events.",
  logTail: [],
};

function statusChange(job: JobRow, { data }: WireEvent): Change {
  const status = TRAINING_JOB_STATUSES.find((one) => one === (data.status ?? data.outcome));
  const phase = typeof data.phase === "string" ? data.phase.slice(0, 100) : data.phase === null ? null : job.phase;
  const resolved = data.resolved_spec;
  const common: Change = {
    phase,
    ...(typeof resolved === "object" && resolved !== null ? { resolvedSpec: resolved as JobRow["resolvedSpec"] } : {}),
  };
  if (!status) return common;
  const stopReason = TRAINING_STOP_REASONS.find((one) => one === data.stop_reason) ?? null;
  if (isEnded(status) || status === "paused") {
    const error = status === "failed" ? (trainerProblemOf(data.error) ?? UNEXPLAINED) : null;
    return { ...common, status, phase: null, stopReason, error };
  }
  // A requested change that is not confirmed yet is not undone by what the trainer did before.
  const isAsked = job.requested !== null && (job.status === "cancelling" || job.status === "pausing");
  return { ...common, ...(isAsked ? {} : { status }), stopReason: null, error: null };
}

/** Phases within the training, after which it continues. */
const INNER_PHASES: readonly unknown[] = ["saving", "evaluating", "baseline_eval"];

function progressChange(job: JobRow, { data }: WireEvent): Change {
  const phase = typeof data.phase === "string" ? data.phase.slice(0, 100) : job.phase;
  const parsed = progressData.safeParse(data);
  if (!parsed.success) return { phase };
  const { total_steps, elapsed_seconds, eta_seconds, tokens_seen, tokens_per_second, step, epoch, percent } =
    parsed.data;
  const progress = {
    step,
    totalSteps: total_steps ?? null,
    epoch: epoch ?? null,
    percent: percent ?? null,
    elapsedSeconds: elapsed_seconds ?? null,
    etaSeconds: eta_seconds ?? null,
    tokensSeen: tokens_seen ?? null,
    tokensPerSecond: tokens_per_second ?? null,
  };
  return { phase, progress };
}

async function saveCheckpoint(db: Db, job: JobRow, event: WireEvent): Promise<void> {
  const parsed = checkpointData.safeParse(event.data);
  if (!parsed.success) return;
  const { checkpoint_id: id, ...given } = parsed.data;
  const ofJob = and(eq(checkpoints.projectId, job.projectId), eq(checkpoints.jobId, job.id), ne(checkpoints.id, id));
  if (given.is_best)
    await db
      .update(checkpoints)
      .set({ isBest: false })
      .where(and(ofJob, eq(checkpoints.isBest, true)));
  if (given.is_final)
    await db
      .update(checkpoints)
      .set({ isFinal: false })
      .where(and(ofJob, eq(checkpoints.isFinal, true)));
  const changing = {
    isBest: given.is_best,
    isFinal: given.is_final,
    resumable: given.resumable,
    metrics: given.metrics,
    files: given.files,
    bytes: given.bytes,
    ...(given.inference_profile ? { inferenceProfile: given.inference_profile } : {}),
  };
  const createdAt = Date.parse(given.created_at ?? "");
  await db
    .insert(checkpoints)
    .values({
      ...changing,
      projectId: job.projectId,
      id,
      jobId: job.id,
      attempt: event.attempt,
      stepNumber: given.step_number,
      epoch: given.epoch ?? null,
      kind: given.kind,
      state: "stored",
      contentSha256: given.content_sha256,
      baseModel: { id: given.base_model.id, revision: given.base_model.revision ?? null },
      parentCheckpointId: given.parent_checkpoint_id ?? job.parentCheckpointId,
      taintedAt: job.taintedAt,
      createdAt: Number.isNaN(createdAt) ? event.ts : createdAt,
    })
    .onConflictDoUpdate({
      target: [checkpoints.projectId, checkpoints.id],
      set: changing,
      setWhere: eq(checkpoints.jobId, job.id),
    });
}

async function changeCheckpoint(db: Db, job: JobRow, { type, data }: WireEvent): Promise<void> {
  if (typeof data.checkpoint_id !== "string") return;
  await db
    .update(checkpoints)
    .set(type === "checkpoint.pruned" ? { state: "pruned", resumable: false } : { resumable: false })
    .where(
      and(
        eq(checkpoints.projectId, job.projectId),
        eq(checkpoints.jobId, job.id),
        eq(checkpoints.id, data.checkpoint_id),
      ),
    );
}

const warningOf = (warning: unknown): string => {
  if (typeof warning === "string") return warning;
  const { message } = (warning ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : JSON.stringify(warning);
};

async function saveArtifact(db: Db, job: JobRow, { type, data, ts }: WireEvent): Promise<void> {
  const parsed = artifactData.safeParse(data);
  if (!parsed.success) return;
  const { artifact_id: id, checkpoint_id: checkpointId, kind, quantization, warnings, ...given } = parsed.data;
  const isOwn = and(
    eq(checkpoints.projectId, job.projectId),
    eq(checkpoints.jobId, job.id),
    eq(checkpoints.id, checkpointId),
  );
  if ((await db.$count(checkpoints, isOwn)) === 0) return;
  const isReady = type === "artifact.ready";
  const changing = {
    state: isReady ? ("ready" as const) : ("failed" as const),
    files: given.files,
    bytes: given.bytes,
    warnings: warnings.map(warningOf),
    error: isReady ? null : (trainerProblemOf(data.error) ?? UNEXPLAINED),
  };
  await db
    .insert(trainingArtifacts)
    .values({
      ...changing,
      projectId: job.projectId,
      id,
      jobId: job.id,
      checkpointId,
      kind,
      quantization: quantization ?? null,
      createdAt: ts,
    })
    .onConflictDoUpdate({
      target: [trainingArtifacts.projectId, trainingArtifacts.id],
      set: changing,
      setWhere: eq(trainingArtifacts.jobId, job.id),
    });
}

type Projection = (db: Db, job: JobRow, event: WireEvent) => Change | Promise<void>;

/** Returns what an event changes in its job, by event type. Other types are only stored. */
const PROJECTIONS: Partial<Record<string, Projection>> = {
  "job.accepted": (_db, job, event) => statusChange(job, event),
  "job.status": (_db, job, event) => statusChange(job, event),
  "job.finished": (_db, job, event) => statusChange(job, event),
  "phase.started": (_db, job, { data }) => ({
    phase: typeof data.phase === "string" ? data.phase.slice(0, 100) : job.phase,
  }),
  "phase.progress": (_db, job, event) => progressChange(job, event),
  "phase.finished": (_db, job, { data }) =>
    INNER_PHASES.includes(data.phase) && job.phase === data.phase ? { phase: "training" } : {},
  "checkpoint.saved": saveCheckpoint,
  "checkpoint.pruned": changeCheckpoint,
  "checkpoint.invalid": changeCheckpoint,
  "artifact.ready": saveArtifact,
  "artifact.failed": saveArtifact,
};

/** Applies an event to its job, its checkpoints and artifacts; returns the changes to the job's row. */
export const projectEvent = async (db: Db, job: JobRow, event: WireEvent): Promise<Change> =>
  (await ownValue(PROJECTIONS, event.type)?.(db, job, event)) || {};
