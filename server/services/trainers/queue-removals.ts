import { and, eq, isNull } from "drizzle-orm";
import { NOW } from "@/db/now";
import { trainers, trainingRemovals } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { trainingRemovalDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";

/** What is to be deleted on a trainer, or on none if it has no files. */
export type Removal = Pick<typeof trainingRemovals.$inferInsert, "kind" | "subjectId" | "trainerId"> & {
  checkpointIds?: string[];
};

/** Queues the deletion of the files, in the transaction that deletes the rows. */
export async function queueRemoval({ db, projectId }: Ctx, removal: Removal): Promise<void> {
  const id = newId("rmv");
  await db.insert(trainingRemovals).values({ checkpointIds: [], ...removal, projectId, id, dueAt: NOW });
  await emit(db, trainingRemovalDue.create({ projectId, removalId: id }));
}

/** Queues the deletion of manifests on every trainer, in the transaction that erases them here. */
export async function queueManifestRemovals(tx: Ctx, hashes: readonly string[]): Promise<void> {
  for (const removal of await manifestRemovals(tx.db, hashes)) await queueRemoval(tx, removal);
}

/** Returns the removals of manifests. A dry run leaves no trace of where it was made, so every trainer may have one. */
export async function manifestRemovals(db: Ctx["db"], hashes: readonly string[]): Promise<Removal[]> {
  if (hashes.length === 0) return [];
  const isAgent = and(isNull(trainers.disabledAt), eq(trainers.kind, "agent"));
  const agents = await db.select({ trainerId: trainers.id }).from(trainers).where(isAgent);
  return hashes.flatMap((subjectId) => agents.map(({ trainerId }) => ({ kind: "manifest", subjectId, trainerId })));
}
