import { and, desc, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { checkpoints, connections, modelExports, type trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { modelExportDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { holdCheckpoints } from "@/server/services/models";
import { plannedExport } from "@/server/services/training/settings/schemas";
import type { ExportRow } from "./export-rows";

/** The branch to publish to. */
const REVISION = "main";

type Input = Pick<
  ExportRow,
  | "checkpointId"
  | "hubModel"
  | "format"
  | "quantization"
  | "connectionId"
  | "endpoint"
  | "repoId"
  | "isPrivate"
  | "isForced"
  | "jobId"
  | "trainerId"
  | "actorKind"
  | "actorId"
>;

/**
 * Queues an export in the caller's transaction, with the event that starts it. Returns its id; `null` if its job's planned
 * export exists already. Throws a 409 if its checkpoint was deleted.
 */
export async function insertExport(tx: Ctx, input: Input): Promise<string | null> {
  await holdCheckpoints(tx, [input.checkpointId]);
  const id = newId("exp");
  const inserted = await tx.db
    .insert(modelExports)
    .values({
      ...input,
      projectId: tx.projectId,
      id,
      revision: REVISION,
      status: "queued",
      dueAt: NOW,
      updatedAt: NOW,
    })
    .onConflictDoNothing()
    .returning({ id: modelExports.id });
  if (inserted.length === 0) return null;
  await emit(tx.db, modelExportDue.create({ projectId: tx.projectId, exportId: id }));
  return id;
}

type Job = typeof trainingJobs.$inferSelect;

/** Queues the export that a job planned, in the transaction that ends the job; a repeated report of the end queues none. */
export async function insertPlannedExport(tx: Ctx, job: Job): Promise<void> {
  const { success, data: planned } = plannedExport.safeParse(job.plannedExport);
  if (!success || job.trainerId === null) return;
  const checkpointId = await finalCheckpoint(tx, job.id);
  if (checkpointId === null) return;
  const { format, quantization, connectionId, repoId } = planned;
  const [hub] = await tx.db
    .select({ endpoint: connections.baseUrl })
    .from(connections)
    .where(and(eq(connections.projectId, tx.projectId), eq(connections.id, connectionId)));
  await insertExport(tx, {
    checkpointId,
    hubModel: null,
    format,
    quantization: quantization ?? null,
    connectionId,
    // Without the connection, the export fails and reports why.
    endpoint: hub?.endpoint ?? "",
    repoId,
    isPrivate: planned.private,
    isForced: false,
    jobId: job.id,
    trainerId: job.trainerId,
    actorKind: job.actorKind,
    actorId: job.actorId,
  });
}

async function finalCheckpoint({ db, projectId }: Ctx, jobId: string): Promise<string | null> {
  const [found] = await db
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.jobId, jobId), eq(checkpoints.state, "stored")))
    .orderBy(desc(checkpoints.isFinal), desc(checkpoints.stepNumber), desc(checkpoints.createdAt))
    .limit(1);
  return found?.id ?? null;
}
