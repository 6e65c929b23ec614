import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { NOW } from "@/db/now";
import { checkpoints, trainingJobs, trainingManifests } from "@/db/schema";
import { auditActor } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { trainingJobDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { requireDataset } from "@/server/services/datasets";
import type { PreparedJob } from "./prepare-job";

const NAME_MAX = 200;

type Details = {
  datasetId: string;
  method: (typeof trainingJobs.$inferInsert)["method"];
  adapter: (typeof trainingJobs.$inferInsert)["adapter"];
  name?: string | undefined;
  clonedFromId?: string | undefined;
  /** The configuration whose trigger started it. */
  tuningConfigId?: string;
};

/** Queues a prepared job in the caller's transaction, with the event that starts it, and returns its id. */
export async function insertJob(
  tx: Ctx,
  details: Details,
  { start, frozen, trainerId, spec, plannedExport }: PreparedJob,
) {
  const { datasetId, method, adapter } = details;
  // Serializes with deletions of the Dataset and erasures of its Examples: such a deletion waits here, or is already committed.
  await requireDataset(tx, datasetId);
  const { train, validation, datasetName, datasetVersion } = frozen;
  await requireContent(tx, [train.sha256, ...(validation ? [validation.sha256] : [])]);
  await requireStart(tx, start.checkpoint?.id ?? null);
  const id = newId("job");
  const name =
    details.name ?? `${datasetName} v${datasetVersion}, ${shortName(start.id)}, ${method}`.slice(0, NAME_MAX);
  await tx.db.insert(trainingJobs).values({
    projectId: tx.projectId,
    id,
    name,
    status: "queued",
    datasetId,
    datasetVersion,
    method,
    adapter,
    spec,
    baseModelId: start.id,
    parentCheckpointId: start.checkpoint?.id ?? null,
    manifestSha256: train.sha256,
    validationManifestSha256: validation?.sha256 ?? null,
    tuningConfigId: details.tuningConfigId ?? null,
    plannedExport,
    clonedFromId: details.clonedFromId ?? null,
    trainerId,
    // What a checkpoint learned from a deleted user is also in every model that continues from it.
    taintedAt: start.checkpoint?.taintedAt ?? null,
    dueAt: NOW,
    actorKind: tx.actor.kind,
    actorId: auditActor(tx.actor).id,
    updatedAt: NOW,
  });
  await emit(tx.db, trainingJobDue.create({ projectId: tx.projectId, jobId: id }));
  return { id, name };
}

const shortName = (modelId: string) => modelId.split("/").filter(Boolean).at(-1) ?? modelId;

/** Serializes with the deletion of the checkpoint that it continues from. */
async function requireStart({ db, projectId }: Ctx, checkpointId: string | null) {
  if (checkpointId === null) return;
  const [found] = await db
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.id, checkpointId)))
    .for("share");
  if (!found) throw new ServiceError("conflict", "The checkpoint that it continues from has just been deleted.");
}

async function requireContent({ db, projectId }: Ctx, hashes: string[]) {
  const found = await db
    .select({ sha256: trainingManifests.sha256 })
    .from(trainingManifests)
    .where(
      and(
        eq(trainingManifests.projectId, projectId),
        inArray(trainingManifests.sha256, hashes),
        isNotNull(trainingManifests.fileId),
      ),
    )
    .for("share");
  if (found.length < new Set(hashes).size)
    throw new ServiceError("conflict", "Examples of this Dataset have just been deleted. Try again.");
}
