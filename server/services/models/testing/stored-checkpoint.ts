import { checkpoints, modelExports, parityCertificates } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

/** Stores a checkpoint of a job without calling any trainer. Returns its id. */
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

/** Stores a ready certificate of a checkpoint with a prompt and its answer. Returns its id. */
export async function storedCertificate(
  { db, projectId }: Ctx,
  checkpointId: string,
  changes: Partial<typeof parityCertificates.$inferInsert> = {},
): Promise<string> {
  const id = newId("cert");
  const reference = { content: "A", tokens: 1 };
  await db.insert(parityCertificates).values({
    projectId,
    id,
    checkpointId,
    forms: [{ kind: "merged-16bit", quantization: null }],
    status: "ready",
    verdict: "passed",
    subjects: [],
    answers: [{ messages: [{ role: "user", content: "Question 0" }], reference, subjects: [] }],
    trainerId: "trn_test",
    actorKind: "operator",
    createdAt: Date.UTC(2026, 10, 24),
    finishedAt: Date.UTC(2026, 10, 24),
    updatedAt: Date.UTC(2026, 10, 24),
    ...changes,
  });
  return id;
}

/** Stores a queued export that no background job handles. Returns its id. */
export async function storedExport(
  { db, projectId }: Ctx,
  changes: Partial<typeof modelExports.$inferInsert>,
): Promise<string> {
  const id = newId("exp");
  await db.insert(modelExports).values({
    projectId,
    id,
    format: "lora-adapter",
    connectionId: "conn_test",
    endpoint: "https://hub.example.com",
    repoId: "acme/support",
    isPrivate: true,
    revision: "main",
    status: "queued",
    trainerId: "trn_test",
    actorKind: "operator",
    createdAt: Date.UTC(2026, 10, 24),
    updatedAt: Date.UTC(2026, 10, 24),
    ...changes,
  });
  return id;
}
