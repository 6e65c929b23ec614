import { and, asc, eq, inArray, isNotNull } from "drizzle-orm";
import { trackerCursors } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { Connection } from "./schemas";

/** Returns the destinations whose changes could not be read, with the problem, by connection id. */
export async function pollProblems(ctx: Ctx, connectionIds: readonly string[]) {
  const { connectionId, destination, error } = trackerCursors;
  const rows = await ctx.db
    .select({ connectionId, destination, error })
    .from(trackerCursors)
    .where(and(eq(trackerCursors.projectId, ctx.projectId), inArray(connectionId, connectionIds), isNotNull(error)))
    .orderBy(asc(destination));
  const byConnection = new Map<string, Connection["pollProblems"]>();
  for (const { connectionId: id, destination: at, error: problem } of rows)
    byConnection.set(id, [...(byConnection.get(id) ?? []), { destination: at, problem: problem ?? "" }]);
  return byConnection;
}
