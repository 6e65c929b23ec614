import { and, asc, eq, inArray } from "drizzle-orm";
import { connections } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { isTracker, TRACKER_KINDS, type TrackerKind } from "./schemas";
import { trackerSettingsOf } from "./trackers/open-tracker";

/** Returns the project's usable connections to these trackers, oldest first: those with a secret. */
export async function trackerConnections(
  ctx: Pick<Ctx, "db" | "projectId">,
  kinds: readonly TrackerKind[] = TRACKER_KINDS,
) {
  const rows = await ctx.db
    .select()
    .from(connections)
    .where(and(eq(connections.projectId, ctx.projectId), inArray(connections.kind, kinds)))
    .orderBy(asc(connections.createdAt), asc(connections.id));
  return rows.flatMap(({ id, name, kind, settings, secretSealed }) =>
    secretSealed === null || !isTracker(kind) ? [] : [{ id, name, kind, settings: trackerSettingsOf(kind, settings) }],
  );
}
