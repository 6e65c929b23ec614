import { and, eq } from "drizzle-orm";
import { connections } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { shownTo } from "./connection-json";
import { pollProblems } from "./poll-problems";
import { connectionsReply, listConnectionsInput } from "./schemas";

export const listConnections = verb(
  {
    name: "connections.list",
    summary: "List the outside services that the project is connected to, newest first, without their secrets.",
    description: "Callers without `connections:manage` get `id`, `kind` and `name` of each.",
    capability: ["connections:manage", "workspace:read"],
    effect: "read",
    input: listConnectionsInput,
    reply: connectionsReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "connections", table: connections, filters: { project: ctx.projectId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(connections)
          .where(and(eq(connections.projectId, ctx.projectId), after)),
    );
    const problems = await pollProblems(
      ctx,
      rows.map(({ id }) => id),
    );
    return {
      connections: rows.map((row) => shownTo(ctx, row, problems.get(row.id))),
      pagination: { limit, nextCursor },
    };
  },
);
