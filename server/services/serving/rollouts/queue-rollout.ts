import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rolloutDecisions, type trainingJobs, tuningConfigs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { rolloutDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";

/**
 * Queues the decision about a job that has just succeeded, in the caller's transaction and once per job, if its configuration
 * deploys automatically.
 */
export async function queueRollout(
  tx: Ctx,
  { id: jobId, tuningConfigId }: Pick<typeof trainingJobs.$inferSelect, "id" | "tuningConfigId">,
): Promise<void> {
  if (tuningConfigId === null) return;
  const [config] = await tx.db
    .select({ deployment: tuningConfigs.deployment })
    .from(tuningConfigs)
    .where(and(eq(tuningConfigs.projectId, tx.projectId), eq(tuningConfigs.id, tuningConfigId)))
    .for("share");
  if (!config?.deployment.enabled) return;
  const id = newId("rod");
  const [queued] = await tx.db
    .insert(rolloutDecisions)
    .values({
      projectId: tx.projectId,
      id,
      configId: tuningConfigId,
      jobId,
      gates: [],
      dueAt: NOW as never,
      updatedAt: NOW as never,
    })
    .onConflictDoNothing()
    .returning({ id: rolloutDecisions.id });
  if (queued) await emit(tx.db, rolloutDue.create({ projectId: tx.projectId, decisionId: id }));
}
