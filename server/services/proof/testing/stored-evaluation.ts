import { NOW } from "@/db/now";
import { evaluationRows, evaluations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

type Row = Partial<typeof evaluationRows.$inferInsert>;

/** Stores a comparison of a checkpoint on one prompt, without choosing what to compare. Returns its id. */
export async function storedEvaluation(
  { db, projectId }: Ctx,
  checkpointId: string,
  changes: Partial<typeof evaluations.$inferInsert> = {},
  row: Row = {},
): Promise<string> {
  const id = newId("eval");
  await db.insert(evaluations).values({
    projectId,
    id,
    kind: "examples",
    checkpointId,
    status: "queued",
    total: 1,
    trainerId: "trn_test",
    actorKind: "operator",
    updatedAt: NOW as never,
    ...changes,
  });
  await db.insert(evaluationRows).values({
    projectId,
    evaluationId: id,
    n: 0,
    prompt: [{ role: "user", content: "Where is order 4711?" }],
    expected: "It arrives tomorrow.",
    ...row,
  });
  return id;
}
