import { and, eq, isNull } from "drizzle-orm";
import { datasets } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { Dataset } from "./schemas";

type Row = typeof datasets.$inferSelect;

/** Condition: a Dataset of the project that is not deleted. */
export const isDataset = (ctx: Ctx, datasetId: string) =>
  and(eq(datasets.projectId, ctx.projectId), eq(datasets.id, datasetId), isNull(datasets.deletedAt));

export const datasetJson = ({ schemaType, ...row }: Row): Dataset => ({
  ...row,
  schema: { type: schemaType, version: 1 },
});

/** Returns a Dataset's row, or throws a 404. */
export async function readDatasetRow(ctx: Ctx, datasetId: string): Promise<Row> {
  const [row] = await ctx.db.select().from(datasets).where(isDataset(ctx, datasetId));
  if (!row) throw notFound("The Dataset");
  return row;
}
