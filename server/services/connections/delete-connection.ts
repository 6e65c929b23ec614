import { and, eq } from "drizzle-orm";
import { connections } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { audited } from "./connection-json";
import { lockConnection } from "./read-connection";
import { connectionIdInput } from "./schemas";

export const deleteConnection = verb(
  {
    name: "connections.delete",
    summary: "Delete a connection and its secret.",
    description:
      "What depends on it stops: its notification and handoff rules and its messages are deleted with it, and an adjudicator is no longer called. Tickets and work items stay, but are no longer synchronised.",
    capability: "connections:manage",
    effect: "write",
    input: connectionIdInput,
    reply: okReply,
  },
  async (ctx, { connectionId }) => {
    const before = await lockConnection(ctx, connectionId);
    await ctx.db
      .delete(connections)
      .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, connectionId)));
    auditNote(ctx, { before: audited(before), after: null });
    return { ok: true as const };
  },
);
