import { and, eq } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { knowledgeGoals } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";

/**
 * Throws a 422 for the first of `ids` that is not a Knowledge goal of the project. Locks the others against deletion until the
 * transaction ends, because deleting a goal removes it from every Dataset that names it.
 */
export async function requireKnowledgeGoals({ db, projectId }: Ctx, ids: readonly string[] = []): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db
    .select({ id: knowledgeGoals.id })
    .from(knowledgeGoals)
    .where(and(eq(knowledgeGoals.projectId, projectId), isOneOf(knowledgeGoals.id, ids)))
    .orderBy(knowledgeGoals.id)
    .for("key share");
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0) {
    throw unprocessable(`/collectionFilters/knowledgeGoalIds/${unknown}`, "There is no Knowledge goal with this id.");
  }
}
