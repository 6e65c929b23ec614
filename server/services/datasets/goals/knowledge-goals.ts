import { and, eq } from "drizzle-orm";
import { knowledgeGoals } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { KnowledgeGoal } from "./schemas";

type Row = typeof knowledgeGoals.$inferSelect;

export const goalJson = ({ projectId: _, actorKind: __, actorId: ___, ...row }: Row): KnowledgeGoal => row;

/** Returns what the audit log records of a goal. */
export const audited = ({ title, description, keyPhrases }: Row) => ({ title, description, keyPhrases });

export const isGoal = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(knowledgeGoals.projectId, projectId), eq(knowledgeGoals.id, id));

/** Reads a goal that the transaction is about to change or delete. */
export async function lockGoal(tx: Ctx, id: string): Promise<Row> {
  const [row] = await tx.db.select().from(knowledgeGoals).where(isGoal(tx, id)).for("update");
  if (!row) throw notFound("The knowledge goal");
  return row;
}
