import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { parkedTraces } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { listParkedTracesInput, parkedTracesReply, replayedTracesReply } from "../schemas";
import { replayParked } from "./retry-traces";

export const listParkedTraces = verb(
  {
    name: "parkedTraces.list",
    summary: "List stored traces that could not be turned into conversations, newest first.",
    description:
      "A trace is quarantined after its retries fail. It is retried when a newer version starts or when a replay is requested. Its spans remain readable.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: listParkedTracesInput,
    reply: parkedTracesReply,
  },
  async (ctx, { limit, cursor }) => {
    const list = newestFirst({
      name: "parked-traces",
      filters: { project: ctx.projectId },
      time: parkedTraces.createdAt,
      id: parkedTraces.traceId,
      limit,
      cursor,
    });
    const found = await ctx.db
      .select()
      .from(parkedTraces)
      .where(and(eq(parkedTraces.projectId, ctx.projectId), list.after))
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, (row) => [row.createdAt, row.traceId]);
    return { parkedTraces: rows, pagination: { limit, nextCursor } };
  },
);

export const replayParkedTraces = verb(
  {
    name: "parkedTraces.replay",
    summary: "Retry all quarantined traces.",
    description:
      "They are queued in the order of their arrival and become conversations in the background; those that fail again are quarantined again. `replayed` is their number.",
    effect: "write",
    capability: "project:admin",
    input: z.strictObject({}),
    reply: replayedTracesReply,
  },
  async (ctx) => {
    const replayed = await replayParked(ctx.db, { projectId: ctx.projectId });
    auditNote(ctx, { target: null, after: { replayed } });
    return { replayed };
  },
);
