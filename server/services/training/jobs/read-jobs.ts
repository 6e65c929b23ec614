import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { z } from "zod";
import { textArray } from "@/db/rows";
import { checkpoints, trainingArtifacts, trainingJobs, trainingManifests } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { JOB_DISK_BYTES } from "@/server/services/trainers";
import { trainerProblem } from "@/server/services/trainers/schemas";
import { plannedExport } from "../settings/schemas";
import { camelCased } from "./job-spec";
import { type artifact, progress, type TrainingJob } from "./schemas";

export type JobRow = typeof trainingJobs.$inferSelect;

/** Condition: a training job of the project. */
export const isJob = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.id, id));

export const isUnfinished = ({ finishedAt }: Pick<JobRow, "finishedAt">) => finishedAt === null;

/** Returns a job's row, locked until the end of the transaction, or throws a 404. */
export async function lockJob(tx: Ctx, id: string): Promise<JobRow> {
  const [row] = await tx.db.select().from(trainingJobs).where(isJob(tx, id)).for("update");
  if (!row) throw notFound("The job");
  return row;
}

const validationManifests = alias(trainingManifests, "validation_manifests");
type Manifest = typeof trainingManifests.$inferSelect;
const frozenJson = ({ sha256, rows, rowsErased }: Manifest) => ({ sha256, rows, rowsErased });

const RESUMABLE = sql<boolean>`exists (select 1 from ${checkpoints} where ${checkpoints.projectId} = ${trainingJobs.projectId}
  and ${checkpoints.jobId} = ${trainingJobs.id} and ${checkpoints.resumable} and ${checkpoints.state} = 'stored')`;

/** Returns jobs of the project. */
export async function readJobs(
  ctx: Ctx,
  condition: SQL | undefined,
  { order = [], limit = 1 }: { order?: SQL[]; limit?: number } = {},
): Promise<TrainingJob[]> {
  const rows = await ctx.db
    .select({
      row: trainingJobs,
      manifest: trainingManifests,
      validation: validationManifests,
      resumable: RESUMABLE,
      diskBytes: JOB_DISK_BYTES,
    })
    .from(trainingJobs)
    .innerJoin(
      trainingManifests,
      and(
        eq(trainingManifests.projectId, trainingJobs.projectId),
        eq(trainingManifests.sha256, trainingJobs.manifestSha256),
      ),
    )
    .leftJoin(
      validationManifests,
      and(
        eq(validationManifests.projectId, trainingJobs.projectId),
        eq(validationManifests.sha256, trainingJobs.validationManifestSha256),
      ),
    )
    .where(and(eq(trainingJobs.projectId, ctx.projectId), condition))
    .orderBy(...order)
    .limit(limit);
  const metrics = await lastMetrics(
    ctx,
    rows.map(({ row }) => row.id),
  );
  return rows.map(({ row, manifest, validation, resumable, diskBytes }) => ({
    ...row,
    spec: camelCased(row.spec),
    resolvedSpec: row.resolvedSpec && camelCased(row.resolvedSpec),
    progress: progressOf(row.progress),
    error: row.error && trainerProblem.parse(row.error),
    plannedExport: row.plannedExport && plannedExport.parse(row.plannedExport),
    baseModel: {
      id: row.baseModelId,
      revision: revisionOf(row),
      checkpointId: row.parentCheckpointId,
    },
    diskBytes: diskBytes === null ? null : Number(diskBytes),
    manifest: frozenJson(manifest),
    validationManifest: validation && frozenJson(validation),
    lastMetrics: metrics.get(row.id) ?? {},
    ...resumability(row, {
      resumable,
      erased: manifest.fileId === null || (validation !== null && validation.fileId === null),
    }),
  }));
}

/** A trainer of another version may report less; an unknown number is `null`. */
function progressOf(stored: JobRow["progress"]) {
  const names = Object.keys(progress.shape).map((name) => [name, null] as const);
  const parsed = progress.safeParse({ ...Object.fromEntries(names), ...(stored && camelCased(stored)) });
  return stored && parsed.success ? parsed.data : null;
}

function revisionOf({ spec, resolvedSpec }: JobRow): string | null {
  const { revision } = ((resolvedSpec ?? spec).base_model ?? {}) as { revision?: unknown };
  return typeof revision === "string" ? revision : null;
}

const STARTED = "It is queued or in progress.";

/** Returns whether a job can be resumed, and why not. */
export function resumability(
  { status, dispatchedAt }: Pick<JobRow, "status" | "dispatchedAt">,
  { resumable, erased }: { resumable: boolean; erased: boolean },
): { canResume: boolean; resumeBlockedReason: string | null } {
  const reason = () => {
    if (status === "succeeded") return "It has finished. Train a new job from one of its checkpoints to continue.";
    if (status !== "paused" && status !== "failed" && status !== "cancelled") return STARTED;
    if (erased) return "Examples that it trains on were deleted with their user or conversation. Start a new job.";
    if (dispatchedAt === null) return "It was never sent to a trainer. Clone it instead.";
    if (!resumable && status !== "paused") return "It has no checkpoint to resume from. Clone it instead.";
    return null;
  };
  const resumeBlockedReason = reason();
  return { canResume: resumeBlockedReason === null, resumeBlockedReason };
}

/** Returns the newest value of each chart of these jobs, reading one index entry per chart. */
async function lastMetrics({ db, projectId }: Ctx, jobIds: string[]): Promise<Map<string, Record<string, number>>> {
  const found = new Map<string, Record<string, number>>();
  if (jobIds.length === 0) return found;
  const rows = await db.execute<{ job_id: string; series: string; value: number }>(sql`
    with recursive charts(job_id, series) as (
      select j, (select min(p.series) from training_points p where p.project_id = ${projectId} and p.job_id = j)
      from unnest(${textArray(jobIds)}) j
      union all
      select c.job_id, (select min(p.series) from training_points p
        where p.project_id = ${projectId} and p.job_id = c.job_id and p.series > c.series)
      from charts c where c.series is not null
    )
    select c.job_id, c.series, p.value from charts c cross join lateral (
      select value from training_points p
      where p.project_id = ${projectId} and p.job_id = c.job_id and p.series = c.series and p.level = 0
      order by p.bucket desc limit 1) p
    where c.series is not null`);
  for (const { job_id, series, value } of rows) found.set(job_id, { ...found.get(job_id), [series]: value });
  return found;
}

async function readArtifacts({ db, projectId }: Ctx, jobId: string): Promise<z.input<typeof artifact>[]> {
  const rows = await db
    .select()
    .from(trainingArtifacts)
    .where(and(eq(trainingArtifacts.projectId, projectId), eq(trainingArtifacts.jobId, jobId)))
    .orderBy(asc(trainingArtifacts.createdAt), asc(trainingArtifacts.id));
  return rows.map((row) => ({
    ...row,
    warnings: row.warnings.map((one) => (typeof one === "string" ? one : messageOf(one))),
    error: row.error && trainerProblem.parse(row.error),
  }));
}

const messageOf = (warning: unknown) => {
  const { message } = (warning ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : JSON.stringify(warning);
};

/** Returns one job with its artifacts, or throws a 404. */
export async function readJob(ctx: Ctx, id: string) {
  const [job] = await readJobs(ctx, eq(trainingJobs.id, id));
  if (!job) throw notFound("The job");
  return { ...job, artifacts: await readArtifacts(ctx, id) };
}
