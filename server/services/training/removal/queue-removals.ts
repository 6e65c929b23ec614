import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { trainers, trainingRemovals } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { trainingRemovalDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { inMs, RECORDED_TRAINER } from "@/server/services/trainers";

/** Removals wait for the end of their project's deletion, but not for one that is stuck. */
const HELD_MS = 3_600_000;
/** By then, what was being sent to a trainer while its project was deleted has arrived. */
const SETTLE_MS = 60_000;
const ROWS_A_STATEMENT = 1_000;

type Removal = Pick<typeof trainingRemovals.$inferInsert, "kind" | "subjectId" | "trainerId"> & {
  checkpointIds?: string[];
};

/** Queues the deletion of the files, in the transaction that deletes the rows. */
export async function queueRemoval({ db, projectId }: Ctx, removal: Removal): Promise<void> {
  const id = newId("rmv");
  await db.insert(trainingRemovals).values({ checkpointIds: [], ...removal, projectId, id, dueAt: NOW });
  await emit(db, trainingRemovalDue.create({ projectId, removalId: id }));
}

/** Rows of these tables have files on trainers: what a statement that deletes them has to return. */
const WITH_FILES: Partial<Record<string, { kind: Removal["kind"]; returning: SQL }>> = {
  deployments: { kind: "deployment", returning: sql`id as "subjectId", trainer_id as "trainerId"` },
  training_jobs: { kind: "job", returning: sql`id as "subjectId", trainer_id as "trainerId"` },
  training_manifests: { kind: "manifest", returning: sql`sha256 as "subjectId", null as "trainerId"` },
};

/** Returns the columns that `queueRemovalsOf` needs of a deleted row; `undefined` for a table without files on trainers. */
export const removedColumns = (table: string): SQL | undefined => WITH_FILES[table]?.returning;

/**
 * Queues the deletion of the files of a project's rows, in the transaction that deletes them. They are due once the project is
 * gone, when `releaseRemovals` is called.
 */
export async function queueRemovalsOf({ db, projectId }: Ctx, table: string, rows: readonly object[]): Promise<void> {
  const kind = WITH_FILES[table]?.kind;
  if (!kind) return;
  const named = rows as readonly Pick<Removal, "subjectId" | "trainerId">[];
  const removals = kind === "manifest" ? await onEveryTrainer(db, named) : named.filter(hasTrainer);
  for (let at = 0; at < removals.length; at += ROWS_A_STATEMENT) {
    await db.insert(trainingRemovals).values(
      removals.slice(at, at + ROWS_A_STATEMENT).map(({ subjectId, trainerId }) => ({
        ...{ projectId, id: newId("rmv"), kind, subjectId, trainerId, checkpointIds: [] },
        dueAt: inMs(HELD_MS) as never,
      })),
    );
  }
}

/** Queues the deletion of manifests on every trainer, in the transaction that erases them here. */
export async function queueManifestRemovals(tx: Ctx, hashes: readonly string[]): Promise<void> {
  const manifests = await onEveryTrainer(
    tx.db,
    hashes.map((subjectId) => ({ subjectId })),
  );
  for (const manifest of manifests) await queueRemoval(tx, { kind: "manifest", ...manifest });
}

const hasTrainer = ({ trainerId }: Pick<Removal, "trainerId">) =>
  trainerId !== null && trainerId !== undefined && trainerId !== RECORDED_TRAINER;

/** A dry run leaves no trace of where it was made, so every trainer may have a manifest. */
async function onEveryTrainer(db: Ctx["db"], named: readonly { subjectId: string }[]) {
  if (named.length === 0) return [];
  const isAgent = and(isNull(trainers.disabledAt), eq(trainers.kind, "agent"));
  const agents = await db.select({ trainerId: trainers.id }).from(trainers).where(isAgent);
  return named.flatMap(({ subjectId }) => agents.map(({ trainerId }) => ({ subjectId, trainerId })));
}

/** Makes a deleted project's removals due, in the transaction that deletes it. */
export async function releaseRemovals({ db, projectId }: Ctx): Promise<void> {
  await db
    .update(trainingRemovals)
    .set({ dueAt: inMs(SETTLE_MS) as never })
    .where(eq(trainingRemovals.projectId, projectId));
}
