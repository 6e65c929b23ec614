import { and, asc, eq } from "drizzle-orm";
import { connections } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { TrackerKind } from "./schemas";
import { trackerSettingsOf } from "./trackers/open-tracker";

/** Returns the project's usable connections to a tracker, oldest first: those with a secret. */
export async function trackerConnections(ctx: Pick<Ctx, "db" | "projectId">, kind: TrackerKind) {
  const rows = await ctx.db
    .select()
    .from(connections)
    .where(and(eq(connections.projectId, ctx.projectId), eq(connections.kind, kind)))
    .orderBy(asc(connections.createdAt), asc(connections.id));
  return rows
    .filter(({ secretSealed }) => secretSealed !== null)
    .map(({ id, name, createdAt, settings }) => ({ id, name, createdAt, settings: trackerSettingsOf(kind, settings) }));
}
