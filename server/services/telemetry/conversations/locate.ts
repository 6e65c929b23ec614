import { and, eq, sql } from "drizzle-orm";
import { spans, traces } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { locatedReply, locateInput } from "../schemas";
import { lookUpConversation } from "./find-conversation";

/** Ids are stored as lower-case digits; some tools write those of traces as UUIDs. */
const asStored = (id: string) => id.toLowerCase().replaceAll("-", "");

export const locate = verb(
  {
    name: "conversations.locate",
    summary: "Find the conversation, trace or span with an id.",
    description:
      "`telemetryId` is a conversation's (Whetstone's or the client's own), a trace's or a span's. If it is several of these, the first in this order is returned; if several spans have the id, the newest.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: locateInput,
    reply: locatedReply,
  },
  async (ctx, { telemetryId: id }) => {
    const location =
      (await locateConversation(ctx, id)) ??
      (await locateTrace(ctx, asStored(id))) ??
      (await locateSpan(ctx, asStored(id)));
    if (!location) throw notFound("Conversation, trace or span");
    return { location };
  },
);

async function locateConversation(ctx: Ctx, id: string) {
  const row = await lookUpConversation(ctx, id);
  return row && { conversationId: row.id, traceId: null, spanId: null };
}

async function locateTrace(ctx: Ctx, id: string) {
  const [row] = await ctx.db
    .select({ conversationId: traces.conversationId })
    .from(traces)
    .where(and(eq(traces.projectId, ctx.projectId), eq(traces.id, id)));
  return row?.conversationId ? { conversationId: row.conversationId, traceId: id, spanId: null } : undefined;
}

async function locateSpan(ctx: Ctx, id: string) {
  const [row] = await ctx.db
    .select({ traceId: spans.traceId, conversationId: traces.conversationId })
    .from(spans)
    .innerJoin(traces, and(eq(traces.projectId, spans.projectId), eq(traces.id, spans.traceId)))
    .where(and(eq(spans.projectId, ctx.projectId), eq(spans.spanId, id), sql`${traces.conversationId} is not null`))
    .orderBy(sql`${spans.startedUs} desc`)
    .limit(1);
  return row?.conversationId ? { conversationId: row.conversationId, traceId: row.traceId, spanId: id } : undefined;
}
