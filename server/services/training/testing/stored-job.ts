import { createHash, randomUUID } from "node:crypto";
import { NOW } from "@/db/now";
import { trainingJobs, trainingManifests } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

/** For tests of what happens to a job later: stores a running job with a manifest that has no file. Returns its id. */
export async function storedJob(
  { db, projectId }: Ctx,
  changes: Partial<typeof trainingJobs.$inferInsert> = {},
): Promise<string> {
  const sha256 = createHash("sha256").update(randomUUID()).digest("hex");
  const id = newId("job");
  await db.insert(trainingManifests).values({
    projectId,
    sha256,
    datasetId: "ds_test",
    datasetVersion: 1,
    split: "train",
    method: "sft",
    rows: 24,
    bytes: 1_000,
    fileId: "fil_test",
  });
  await db.insert(trainingJobs).values({
    projectId,
    id,
    name: "Test",
    status: "running",
    datasetId: "ds_test",
    datasetVersion: 1,
    method: "sft",
    adapter: "lora",
    spec: {},
    baseModelId: "acme/tiny",
    manifestSha256: sha256,
    actorKind: "operator",
    updatedAt: NOW as never,
    ...changes,
  });
  return id;
}
