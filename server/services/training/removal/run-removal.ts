import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trainers, trainingRemovals } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { trainingRemovalDue } from "@/server/platform/jobs/events";
import { eraseMarkedFiles } from "@/server/services/files";
import {
  NOT_THERE,
  openTrainer,
  RECORDED_TRAINER,
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

type Row = typeof trainingRemovals.$inferSelect;

const isRemoval = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(trainingRemovals.projectId, projectId), eq(trainingRemovals.id, id));

/**
 * Deletes the files of a deleted job or checkpoint: those that we store, then those of its trainer, until the trainer has
 * confirmed it. Every step can be interrupted and repeated; what is already gone is no error.
 */
export async function runRemoval(ctx: Ctx, removalId: string): Promise<Turn & { waits?: boolean }> {
  const [row] = await ctx.db.select().from(trainingRemovals).where(isRemoval(ctx, removalId));
  if (!row) return { done: true };
  await eraseMarkedFiles(ctx);
  try {
    if (await hasFiles(ctx, row)) await removeFrom(await openTrainer(ctx.db, row.trainerId ?? ""), row);
  } catch (error) {
    if (!(error instanceof TrainerUnreachable || error instanceof TrainerRefused)) throw error;
    await retryLater(ctx, row, error.message);
    return { done: false, waits: true };
  }
  await ctx.db.delete(trainingRemovals).where(isRemoval(ctx, removalId));
  return { done: true };
}

/** A recorded training has no files on any trainer, and an agent that was removed cannot be called again. */
async function hasFiles({ db }: Ctx, { trainerId }: Row): Promise<boolean> {
  if (trainerId === null || trainerId === RECORDED_TRAINER) return false;
  const [trainer] = await db
    .select({ disabledAt: trainers.disabledAt })
    .from(trainers)
    .where(eq(trainers.id, trainerId));
  return trainer !== undefined && trainer.disabledAt === null;
}

async function removeFrom(trainer: TrainerClient, { projectId, kind, subjectId, checkpointIds }: Row): Promise<void> {
  const remove = async (path: string) => {
    try {
      await trainer.request({ method: "DELETE", path, timeoutMs: REPLY_MS, projectId });
    } catch (error) {
      if (!(error instanceof TrainerRefused) || error.status !== NOT_THERE) throw error;
    }
  };
  const removeCheckpoints = async () => {
    for (const id of checkpointIds) await remove(`/checkpoints/${encodeURIComponent(id)}`);
  };
  if (kind === "checkpoint") return removeCheckpoints();
  try {
    await remove(`/jobs/${encodeURIComponent(subjectId)}`);
  } catch (error) {
    if (!(error instanceof TrainerRefused) || error.status !== METHOD_NOT_ALLOWED) throw error;
    await removeCheckpoints();
  }
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
