import { NOW } from "@/db/now";
import { deployments } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

/** Stores a running deployment of a checkpoint without calling any trainer. Returns its id. */
export async function storedDeployment(
  { db, projectId }: Ctx,
  checkpointId: string,
  changes: Partial<typeof deployments.$inferInsert> = {},
): Promise<string> {
  const id = newId("dep");
  const at = Date.now();
  await db.insert(deployments).values({
    projectId,
    id,
    purpose: "service",
    name: "shop-agent",
    checkpointId,
    backend: "transformers",
    status: "running",
    trainerId: "trn_test",
    dispatchedAt: at,
    verifiedAt: at,
    startedAt: at,
    timeoutSeconds: 1200,
    deadlineAt: at + 1_200_000,
    actorKind: "operator",
    updatedAt: NOW as never,
    ...changes,
  });
  return id;
}
