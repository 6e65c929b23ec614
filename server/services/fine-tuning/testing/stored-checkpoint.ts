import { checkpoints } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

/** Stores a checkpoint of a job without asking any trainer for it. Returns its id. */
export async function storedCheckpoint(
  { db, projectId }: Ctx,
  jobId: string,
  changes: Partial<typeof checkpoints.$inferInsert> = {},
): Promise<string> {
  const id = newId("ckpt");
  await db.insert(checkpoints).values({
    projectId,
    id,
    jobId,
    attempt: 1,
    stepNumber: 12,
    epoch: 1,
    kind: "adapter",
    state: "stored",
    isBest: false,
    isFinal: true,
    resumable: true,
    metrics: { train_loss: 0.5 },
    files: [{ path: "model/adapter_model.safetensors", size: 10, sha256: "a".repeat(64) }],
    bytes: 10,
    contentSha256: "b".repeat(64),
    baseModel: { id: "acme/tiny", revision: null },
    createdAt: Date.UTC(2026, 10, 24),
    ...changes,
  });
  return id;
}
