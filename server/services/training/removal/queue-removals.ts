import { eq, type SQL, sql } from "drizzle-orm";
import { trainingRemovals } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { inMs, manifestRemovals, RECORDED_TRAINER, type Removal } from "@/server/services/trainers";

/** Removals wait for the end of their project's deletion, but not for one that is stuck. */
const HELD_MS = 3_600_000;
/** By then, what was being sent to a trainer while its project was deleted has arrived. */
const SETTLE_MS = 60_000;
const ROWS_A_STATEMENT = 1_000;

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
  const removals =
    kind === "manifest"
      ? await manifestRemovals(
          db,
          named.map(({ subjectId }) => subjectId),
        )
      : named.filter(hasTrainer);
  for (let at = 0; at < removals.length; at += ROWS_A_STATEMENT) {
    await db.insert(trainingRemovals).values(
      removals.slice(at, at + ROWS_A_STATEMENT).map(({ subjectId, trainerId }) => ({
        ...{ projectId, id: newId("rmv"), kind, subjectId, trainerId, checkpointIds: [] },
        dueAt: inMs(HELD_MS) as never,
      })),
    );
  }
}

const hasTrainer = ({ trainerId }: Pick<Removal, "trainerId">) =>
  trainerId !== null && trainerId !== undefined && trainerId !== RECORDED_TRAINER;

/** Makes a deleted project's removals due, in the transaction that deletes it. */
export async function releaseRemovals({ db, projectId }: Ctx): Promise<void> {
  await db
    .update(trainingRemovals)
    .set({ dueAt: inMs(SETTLE_MS) as never })
    .where(eq(trainingRemovals.projectId, projectId));
}
