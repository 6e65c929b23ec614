import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { deletionReceipts, trainers, trainingManifests, trainingRemovals } from "@/db/schema";
import { auditActor, recordAudit } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { trainingRemovalDue } from "@/server/platform/jobs/events";
import { eraseMarkedFiles } from "@/server/services/files";
import {
  NOT_THERE,
  openTrainer,
  RECORDED_TRAINER,
  type TrainerCall,
  type TrainerClient,
  TrainerRefused,
  TrainerUnreachable,
  type Turn,
  wakeDue,
} from "@/server/services/trainers";

const RETRY_MS = 20_000;
/** A trainer may be off for weeks; its files wait for it. */
const RETRY_MS_MAX = 3_600_000;
const REPLY_MS = 60_000;
const ERROR_CHARACTERS = 1_000;
/** What a trainer of before replies, which can delete checkpoints but no jobs. */
const METHOD_NOT_ALLOWED = 405;
const IN_USE = "in_use";
const STILL_STOPPING = 202;
/** How long one call waits for a deployment's process to end. */
const STOP_SECONDS = 20;

type Row = typeof trainingRemovals.$inferSelect;

const isRemoval = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(trainingRemovals.projectId, projectId), eq(trainingRemovals.id, id));

/**
 * Deletes the files of what was trained or served and is deleted: those that we store, then those of its trainer, until the
 * trainer has confirmed it. Every step can be interrupted and repeated; what is already gone is no error.
 */
export async function runRemoval(ctx: Ctx, removalId: string): Promise<Turn & { waits?: boolean }> {
  const [row] = await ctx.db.select().from(trainingRemovals).where(isRemoval(ctx, removalId));
  if (!row) {
    await recordLastOfProject(ctx);
    return { done: true };
  }
  await eraseMarkedFiles(ctx);
  try {
    if (await hasFiles(ctx, row)) await removeFrom(await openTrainer(ctx.db, row.trainerId ?? ""), row);
  } catch (error) {
    if (!(error instanceof TrainerUnreachable || error instanceof TrainerRefused)) throw error;
    await retryLater(ctx, row, error.message);
    return { done: false, waits: true };
  }
  await ctx.db.delete(trainingRemovals).where(isRemoval(ctx, removalId));
  await recordLastOfProject(ctx);
  return { done: true };
}

/**
 * A recorded training has no files on any trainer, and an agent that was removed cannot be called again. A manifest is named by
 * its content, which another job may train on.
 */
async function hasFiles({ db }: Ctx, { trainerId, kind, subjectId }: Row): Promise<boolean> {
  if (trainerId === null || trainerId === RECORDED_TRAINER) return false;
  if (kind === "manifest") {
    const isStored = and(eq(trainingManifests.sha256, subjectId), isNotNull(trainingManifests.fileId));
    if ((await db.$count(trainingManifests, isStored)) > 0) return false;
  }
  const [trainer] = await db
    .select({ disabledAt: trainers.disabledAt })
    .from(trainers)
    .where(eq(trainers.id, trainerId));
  return trainer !== undefined && trainer.disabledAt === null;
}

async function removeFrom(trainer: TrainerClient, row: Row): Promise<void> {
  const { projectId, kind, subjectId, checkpointIds } = row;
  const id = encodeURIComponent(subjectId);
  const remove = async (path: string, more: Pick<TrainerCall, "query" | "headers"> = {}) => {
    try {
      const call = { method: "DELETE", path, timeoutMs: REPLY_MS, projectId, ...more } as const;
      const { status } = await trainer.request(call);
      if (status === STILL_STOPPING) throw new TrainerUnreachable("The trainer is still stopping it.");
    } catch (error) {
      if (!(error instanceof TrainerRefused) || error.status !== NOT_THERE) throw error;
    }
  };
  const removeCheckpoints = async () => {
    for (const one of checkpointIds) await remove(`/checkpoints/${encodeURIComponent(one)}`);
  };
  if (kind === "checkpoint") return removeCheckpoints();
  if (kind === "manifest") return remove(`/manifests/${id}`);
  if (kind === "deployment") {
    return remove(`/deployments/${id}`, { query: { remove: 1 }, headers: { prefer: `wait=${STOP_SECONDS}` } });
  }
  try {
    await remove(`/jobs/${id}`);
  } catch (error) {
    if (!(error instanceof TrainerRefused)) throw error;
    if (error.status === METHOD_NOT_ALLOWED) return removeCheckpoints();
    // It may still be training: its project was deleted meanwhile.
    if (error.problem.code === IN_USE) await discard(trainer, row);
    throw error;
  }
}

/** Cancels a job without saving; one that has ended stays as it is. */
async function discard(trainer: TrainerClient, { projectId, id, subjectId }: Row): Promise<void> {
  const path = `/jobs/${encodeURIComponent(subjectId)}/cancel`;
  try {
    await trainer.request({ method: "POST", path, json: { request_id: id, mode: "discard" }, projectId });
  } catch (error) {
    // What is in use is then something else, which is asked for again.
    if (!(error instanceof TrainerRefused)) throw error;
  }
}

/**
 * Records that nothing of a deleted project is left on trainers, in the log of the person who deleted it. Every caller that sees
 * none left records it, under the same id: of two that end at once, neither may see it otherwise.
 */
async function recordLastOfProject({ db, projectId, actor }: Ctx): Promise<void> {
  const [left] = await db.execute(sql`
    select 1 from training_removals where project_id = ${projectId}
    union all select 1 from projects where id = ${projectId} limit 1`);
  if (left) return;
  const [deletion] = await db
    .select({ userId: deletionReceipts.actorId })
    .from(deletionReceipts)
    .where(
      and(
        eq(deletionReceipts.projectId, projectId),
        eq(deletionReceipts.scope, "project"),
        eq(deletionReceipts.actorKind, "user"),
      ),
    );
  await recordAudit(db, {
    id: `aud_files_of_${projectId}`,
    action: "projects.removeFromTrainers",
    projectId,
    userId: deletion?.userId ?? null,
    actor: auditActor(actor),
    target: { type: "project", id: projectId },
    after: null,
  });
}

/** Retries less and less often. */
async function retryLater(ctx: Ctx, { id, attempts }: Row, error: string): Promise<void> {
  const pauseMs = Math.min(RETRY_MS * 2 ** Math.min(attempts, 20), RETRY_MS_MAX);
  await ctx.db
    .update(trainingRemovals)
    .set({
      attempts: attempts + 1,
      error: error.slice(0, ERROR_CHARACTERS),
      dueAt: sql`${NOW} + ${pauseMs}::bigint`,
    })
    .where(isRemoval(ctx, id));
}

/** Wakes the due removals of all projects. */
export const wakeRemovals = (db: Db): Promise<number> =>
  wakeDue(db, trainingRemovals, ({ projectId, id }) => trainingRemovalDue.create({ projectId, removalId: id }));
