import { and, eq, inArray } from "drizzle-orm";
import { collectionPasses } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { CollectionPass } from "./schemas";

export type PassRow = typeof collectionPasses.$inferSelect;

/** The statuses of an unfinished pass. */
export const UNFINISHED_PASS_STATUSES = ["queued", "running"] as const;

export const isFinished = ({ status }: PassRow) => !UNFINISHED_PASS_STATUSES.some((one) => one === status);

export const passJson = ({ projectId: _, cursor: __, rate: ___, ...row }: PassRow): CollectionPass => row;

export const isPass = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(collectionPasses.projectId, projectId), eq(collectionPasses.id, id));

export async function updatePass(
  tx: Ctx,
  id: string,
  changes: Parameters<ReturnType<Ctx["db"]["update"]>["set"]>[0],
): Promise<PassRow> {
  const [row] = await tx.db
    .update(collectionPasses)
    .set(changes as Partial<PassRow>)
    .where(isPass(tx, id))
    .returning();
  if (!row) throw notFound("The collection pass");
  return row;
}

/** Returns the requested passes in progress in all projects, oldest first. */
export const unfinishedCollectionPasses = (db: Ctx["db"]) =>
  db
    .select({ id: collectionPasses.id, projectId: collectionPasses.projectId })
    .from(collectionPasses)
    .where(
      and(inArray(collectionPasses.status, [...UNFINISHED_PASS_STATUSES]), eq(collectionPasses.origin, "backfill")),
    )
    .orderBy(collectionPasses.createdAt, collectionPasses.id);
