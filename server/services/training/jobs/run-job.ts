import { and, eq, isNull, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trainingJobs, trainingManifests } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { trainingJobDue } from "@/server/platform/jobs/events";
import { openFile } from "@/server/services/files";
import { hubAccess } from "@/server/services/models";
import {
  inMs,
  isForNow,
  NOT_THERE,
  openTrainer,
  POLL_MS,
  problemOf,
  RETRY_MS,
  type TrainerClient,
  TrainerRefused,
  TrainerUnreachable,
  type Turn,
  wakeDue,
} from "@/server/services/trainers";
import { storeEvents } from "../events";
import type { Requested } from "./change-jobs";
import { isJob, type JobRow } from "./read-jobs";

const EVENTS_PER_CALL = 500;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Performs the next step of a job: sends it to its trainer, passes on requests, and stores the outcome. Every call is
 * idempotent by the job's id or the request's id, so a step can be interrupted anywhere and repeated. If the trainer is
 * unreachable, the job stays as it is, with `staleSince`.
 */
export async function runTrainingJob(ctx: Ctx, jobId: string): Promise<Turn> {
  const row = await readRow(ctx, jobId);
  if (!row || row.finishedAt !== null) return { done: true };
  try {
    const trainer = await openTrainer(ctx.db, row.trainerId ?? "");
    if (row.dispatchedAt === null && !(await dispatch(ctx, trainer, row))) return { done: true };
    await deliverRequest(ctx, trainer, row);
    await follow(ctx, trainer, row);
  } catch (error) {
    if (error instanceof TrainerUnreachable) await markStale(ctx, jobId);
    else if (error instanceof TrainerRefused) await refused(ctx, row, error);
    else throw error;
  }
  const now = await readRow(ctx, jobId);
  return { done: !now || now.finishedAt !== null };
}

async function readRow({ db, ...ctx }: Ctx, jobId: string): Promise<JobRow | undefined> {
  const [row] = await db.select().from(trainingJobs).where(isJob(ctx, jobId));
  return row;
}

const update = (ctx: Ctx, jobId: string, changed: PgUpdateSetSource<typeof trainingJobs>) =>
  ctx.db
    .update(trainingJobs)
    .set({ ...changed, updatedAt: NOW })
    .where(and(isJob(ctx, jobId), isNull(trainingJobs.finishedAt)))
    .returning({ id: trainingJobs.id });

const SENDING = "dispatching";

/** Sends the job; a no-op if the trainer already has it. Returns `false` if it has ended in the meantime. */
async function dispatch(ctx: Ctx, trainer: TrainerClient, { id, spec, ...row }: JobRow): Promise<boolean> {
  // From here on the trainer may know the job, even if its reply is lost, so a cancellation must be sent there too.
  const [wanted] = await update(ctx, id, { phase: SENDING });
  if (!wanted) return false;
  for (const sha256 of [row.manifestSha256, row.validationManifestSha256]) {
    if (sha256 !== null) await sendManifest(ctx, trainer, sha256);
  }
  const { source } = (spec.base_model ?? {}) as { source?: unknown };
  const { json: hub, ...secret } = await hubAccess(ctx, trainer.trainerId, source);
  await trainer.request({
    method: "PUT",
    path: `/jobs/${id}`,
    json: { ...spec, ...hub },
    ...secret,
    projectId: ctx.projectId,
  });
  // The first report may have arrived before this reply.
  await update(ctx, id, { dispatchedAt: NOW, phase: sql`nullif(${trainingJobs.phase}, ${SENDING})` });
  return true;
}

/** Sends a frozen manifest to a trainer that does not have it yet. */
export async function sendManifest(ctx: Ctx, trainer: TrainerClient, sha256: string): Promise<void> {
  const { projectId } = ctx;
  const [manifest] = await ctx.db
    .select()
    .from(trainingManifests)
    .where(and(eq(trainingManifests.projectId, projectId), eq(trainingManifests.sha256, sha256)));
  if (!manifest || manifest.fileId === null) throw erasedManifest();
  const { fileId, bytes } = manifest;
  await trainer.sendManifest({ projectId, sha256, bytes, content: () => bytesOf(ctx, fileId) });
}

async function* bytesOf(ctx: Ctx, fileId: string): AsyncGenerator<Uint8Array> {
  const file = await openFile(ctx, fileId);
  for (let at = 0; at < file.size; at += CHUNK_BYTES) yield file.read(at, Math.min(file.size, at + CHUNK_BYTES));
}

const GONE = 410;
const erasedManifest = () =>
  new TrainerRefused(
    GONE,
    problemOf(
      "manifest_not_found",
      "Examples that this job trains on were deleted with their user or conversation.",
      "Create a new job: it trains on the remaining Examples.",
    ),
  );

/** Passes on a resume once, or a cancellation or pause repeatedly until an event confirms it. */
async function deliverRequest(ctx: Ctx, trainer: TrainerClient, { id }: JobRow): Promise<void> {
  const row = await readRow(ctx, id);
  const input = row?.requested as Requested | null | undefined;
  if (!input) return;
  const { id: requestId, action, ...settings } = input;
  try {
    await trainer.request({
      method: "POST",
      path: `/jobs/${id}/${action}`,
      json: { request_id: requestId, ...settings },
      projectId: ctx.projectId,
    });
  } catch (error) {
    if (!(error instanceof TrainerRefused) || isForNow(error)) throw error;
    // It ended before it was paused or cancelled: its events show the outcome.
    if (action === "resume" || error.status === NOT_THERE) throw error;
  }
  if (action !== "resume") return;
  await ctx.db
    .update(trainingJobs)
    .set({ requested: null, updatedAt: NOW })
    .where(and(isJob(ctx, id), sql`${trainingJobs.requested} ->> 'id' = ${requestId}`));
}

type Snapshot = { last_seq?: number; resolved_spec?: Record<string, unknown> | null };

/** Stores the events after the newest stored one, and what only the trainer's snapshot contains. */
async function follow(ctx: Ctx, trainer: TrainerClient, row: JobRow): Promise<void> {
  const { projectId } = ctx;
  const { json } = await trainer.request({ method: "GET", path: `/jobs/${row.id}`, projectId });
  const { job: snapshot } = json as { job: Snapshot };
  let after = row.lastSeq;
  while (after < (snapshot.last_seq ?? 0)) {
    const query = { after, limit: EVENTS_PER_CALL };
    const reply = await trainer.request({ method: "GET", path: `/jobs/${row.id}/events`, query, projectId });
    const { events } = reply.json as { events: readonly unknown[] };
    const { lastSeq } = await inTransaction(ctx, (tx) => storeEvents(tx, row, events));
    // None of the events follow without a gap: the next poll retries.
    if (lastSeq <= after) break;
    after = lastSeq;
  }
  await update(ctx, row.id, {
    staleSince: null,
    dueAt: sql`case when ${trainingJobs.status} = 'paused' then null else ${inMs(POLL_MS)} end`,
    ...(snapshot.resolved_spec ? { resolvedSpec: snapshot.resolved_spec } : {}),
  });
}

const markStale = (ctx: Ctx, jobId: string) =>
  update(ctx, jobId, {
    staleSince: sql<number>`coalesce(${trainingJobs.staleSince}, ${NOW})`,
    dueAt: inMs(RETRY_MS),
  });

/** Ends a job that its trainer refuses or has lost; after a temporary refusal it is sent again. */
async function refused(ctx: Ctx, { id }: JobRow, { status, problem: said }: TrainerRefused): Promise<void> {
  if (isForNow({ status, problem: said })) {
    await markStale(ctx, id);
    return;
  }
  const row = await readRow(ctx, id);
  const input = row?.requested as Requested | null | undefined;
  if (status === NOT_THERE && (row?.dispatchedAt === null || input?.action === "cancel")) {
    await end(ctx, id, { status: "cancelled", stopReason: "user" });
    return;
  }
  const lost = problemOf(
    "worker_vanished",
    "The trainer no longer knows this job.",
    "Its home folder was deleted or replaced. Clone the job to train again.",
  );
  await end(ctx, id, { status: "failed", error: status === NOT_THERE ? lost : said });
}

const end = (ctx: Ctx, id: string, changed: PgUpdateSetSource<typeof trainingJobs>) =>
  update(ctx, id, { ...changed, phase: null, requested: null, dueAt: null, finishedAt: NOW });

/** Wakes the due jobs of all projects, oldest first: a trainer's calls to us may be lost. */
export const wakeTrainingJobs = (db: Db): Promise<number> =>
  wakeDue(db, trainingJobs, ({ projectId, id }) => trainingJobDue.create({ projectId, jobId: id }));
