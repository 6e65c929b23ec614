import { and, eq, isNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { datasets, datasetVersions } from "@/db/schema";
import type { DATASET_VERSION_KINDS } from "@/db/schema/enumerations";
import { auditActor } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import type { LockedDataset } from "../examples/lock-dataset";

/** An edit, or the writes of an import, a collection pass or a restore: all writes with the same cause form one version. */
export type Cause = { kind: (typeof DATASET_VERSION_KINDS)[number]; causeId?: string };
export type VersionCounts = { added: number; changed: number; removed: number };

/** How long one person's edits are collected in one version. */
const EDIT_SESSION_MS = 30 * 60_000;

type Version = typeof datasetVersions.$inferSelect;

const RUNNING = {
  edit: "This Dataset is being edited. Retry in a moment.",
  import: "An import is being stored in this Dataset. Wait until it has ended, or cancel it.",
  collection: "Collected Examples are being written into this Dataset. Wait until that has ended.",
  restore: "A version of this Dataset is being restored. Wait until that has ended.",
};

const conflict = (message: string) => new ServiceError("conflict", message);

const isVersion = (tx: Ctx, datasetId: string, number: number) =>
  and(
    eq(datasetVersions.projectId, tx.projectId),
    eq(datasetVersions.datasetId, datasetId),
    eq(datasetVersions.number, number),
  );

/**
 * Returns the number of the version that the cause's changes belong to, and whether it exists: the open version of the same
 * cause or of the same person's edits, otherwise the next one. Throws `conflict` while another cause's version is open, or once
 * the cause's own is closed.
 */
export async function versionFor(
  tx: Ctx,
  { id, version, now }: LockedDataset,
  cause: Cause,
): Promise<{ number: number; exists: boolean }> {
  const [newest] = await tx.db
    .select()
    .from(datasetVersions)
    .where(isVersion(tx, id, version));
  if (!newest) return { number: version + 1, exists: false };
  const isOpen = newest.closedAt === null;
  if (isOpen && newest.causeId !== null) {
    if (newest.kind === cause.kind && newest.causeId === cause.causeId) return { number: version, exists: true };
    throw conflict(RUNNING[newest.kind]);
  }
  if (isOpen && cause.kind === "edit" && cause.causeId === undefined && isSession(tx, newest, now)) {
    return { number: version, exists: true };
  }
  if (cause.causeId !== undefined && cause.kind !== "restore") await requireNotEnded(tx, id, cause);
  return { number: version + 1, exists: false };
}

function isSession(tx: Ctx, newest: Version, now: number) {
  const { kind, id } = auditActor(tx.actor);
  return newest.actorKind === kind && newest.actorId === id && newest.createdAt > now - EDIT_SESSION_MS;
}

async function requireNotEnded(tx: Ctx, datasetId: string, { kind, causeId = "" }: Cause) {
  const ended = await tx.db.$count(
    datasetVersions,
    and(
      eq(datasetVersions.projectId, tx.projectId),
      eq(datasetVersions.datasetId, datasetId),
      eq(datasetVersions.kind, kind),
      eq(datasetVersions.causeId, causeId),
    ),
  );
  if (ended > 0) throw conflict("This has ended: its version is closed.");
}

/**
 * Adds the changes to the counts of the version from `versionFor`, creating it if necessary, and to the Dataset's own counts.
 */
export async function recordChanges(
  tx: Ctx,
  dataset: LockedDataset,
  { number, exists }: { number: number; exists: boolean },
  { cause, counts, closed }: { cause: Cause; counts: VersionCounts; closed?: true },
) {
  const { id, exampleCount, lastOrdinal, now } = dataset;
  if (exists) {
    await tx.db.execute(sql`
      update dataset_versions set added = added + ${counts.added}, changed = changed + ${counts.changed},
        removed = removed + ${counts.removed}, example_count = ${exampleCount}, updated_at = ${now}::bigint
      where project_id = ${tx.projectId} and dataset_id = ${id} and number = ${number}`);
  } else {
    await closeVersion(tx, dataset);
    await tx.db.insert(datasetVersions).values({
      projectId: tx.projectId,
      datasetId: id,
      number,
      kind: cause.kind,
      causeId: cause.causeId ?? null,
      ...counts,
      exampleCount,
      actorKind: tx.actor.kind,
      actorId: auditActor(tx.actor).id,
      closedAt: closed ? now : null,
    });
    dataset.version = number;
  }
  await tx.db
    .update(datasets)
    .set({ exampleCount, lastOrdinal, version: number, updatedAt: NOW })
    .where(and(eq(datasets.projectId, tx.projectId), eq(datasets.id, id)));
}

/**
 * Closes the newest version to further changes. With `causeId`, only if it has that cause, for a job that may have written
 * nothing.
 */
export async function closeVersion(tx: Ctx, dataset: LockedDataset, causeId?: string): Promise<void> {
  await tx.db
    .update(datasetVersions)
    .set({ closedAt: NOW })
    .where(
      and(
        isVersion(tx, dataset.id, dataset.version),
        isNull(datasetVersions.closedAt),
        causeId === undefined ? undefined : eq(datasetVersions.causeId, causeId),
      ),
    );
}
