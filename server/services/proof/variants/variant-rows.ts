import { and, eq } from "drizzle-orm";
import { connections, variants } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { Variant } from "./schemas";

export type VariantRow = typeof variants.$inferSelect;

/** Stands for the connection of a variant whose answers were written down, as the sample's were. */
export const RECORDED_CONNECTION = { id: "conn_recorded", name: "None: answers written for the sample" };

/** Condition: a variant of the project. */
export const isVariant = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(variants.projectId, projectId), eq(variants.id, id));

export const connectionOfVariant = and(
  eq(connections.projectId, variants.projectId),
  eq(connections.id, variants.connectionId),
);

export const variantJson = (
  { projectId: _, parameters, ...row }: VariantRow,
  connectionName: string | null,
): Variant => ({
  ...row,
  parameters: parameters as Variant["parameters"],
  connectionName: row.connectionId === RECORDED_CONNECTION.id ? RECORDED_CONNECTION.name : connectionName,
});

/** Returns a variant, or throws a 404. */
export async function readVariant(ctx: Ctx, id: string): Promise<Variant> {
  const [found] = await ctx.db
    .select({ row: variants, connectionName: connections.name })
    .from(variants)
    .leftJoin(connections, connectionOfVariant)
    .where(isVariant(ctx, id));
  if (!found) throw notFound("The variant");
  return variantJson(found.row, found.connectionName);
}
