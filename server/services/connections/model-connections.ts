import { and, asc, eq } from "drizzle-orm";
import { connections } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DEFAULT_SETTINGS, SETTINGS } from "./schemas";

/** Returns the project's model connections, oldest first, for services that choose one. */
export async function modelConnections(ctx: Pick<Ctx, "db" | "projectId">) {
  const rows = await ctx.db
    .select({ id: connections.id, name: connections.name, settings: connections.settings })
    .from(connections)
    .where(and(eq(connections.projectId, ctx.projectId), eq(connections.kind, "model")))
    .orderBy(asc(connections.createdAt), asc(connections.id));
  return rows.map((row) => ({
    ...row,
    settings: SETTINGS.model.parse({ ...DEFAULT_SETTINGS.model, ...row.settings }),
  }));
}
