import { and, eq, getTableColumns } from "drizzle-orm";
import { connections, ringKeys } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { type SecretLocation, unsealSecret } from "@/server/platform/key-ring";

type Row = typeof connections.$inferSelect;
export type ConnectionRow = Row & { wrapped: string | null };

const mine = ({ projectId }: Ctx, id: string) => and(eq(connections.projectId, projectId), eq(connections.id, id));

export const locationOf = ({ projectId, id }: Pick<Row, "projectId" | "id">): SecretLocation => ({
  projectId,
  id,
  field: "connections.secret",
});

/** Reads a connection and the ring key of its secret in one query, so that they are consistent. */
export async function readConnection(ctx: Ctx, id: string): Promise<ConnectionRow> {
  const [row] = await ctx.db
    .select({ ...getTableColumns(connections), wrapped: ringKeys.wrapped })
    .from(connections)
    .leftJoin(ringKeys, eq(ringKeys.id, connections.secretRingKey))
    .where(mine(ctx, id));
  if (!row) throw notFound("The connection");
  return row;
}

/** Reads and locks a connection that the transaction is about to change or delete. */
export async function lockConnection(ctx: Ctx, id: string): Promise<Row> {
  const [row] = await ctx.db.select().from(connections).where(mine(ctx, id)).for("update");
  if (!row) throw notFound("The connection");
  return row;
}

/**
 * Decrypts the secret; `undefined` without one. It is passed only to the client built with it, or to the trainer that
 * publishes.
 */
export function openSecret(row: ConnectionRow): string | undefined {
  const { secretSealed: sealed, secretDataKey: dataKey, secretRingKey: ringKey, wrapped } = row;
  if (sealed === null || dataKey === null || ringKey === null || wrapped === null) return undefined;
  return unsealSecret(locationOf(row), { sealed, dataKey, ringKey, wrapped });
}
