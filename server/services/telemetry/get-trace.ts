import { and, eq } from "drizzle-orm";
import { modelCalls, traces } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { loadLogs, loadSpans } from "./load-spans";
import { readSpan } from "./otlp";
import { getTraceInput, traceReply } from "./schemas";

const US_PER_MS = 1000;

export const getTrace = verb(
  {
    name: "traces.get",
    summary: "Read one trace: its spans as they were stored and how each was read.",
    description: "`traceId` is 32 hex digits. `unmapped` names the attributes of a span that no reader took.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: getTraceInput,
    reply: traceReply,
  },
  async (ctx, input) => {
    const traceId = input.traceId.toLowerCase();
    const [trace] = await ctx.db
      .select()
      .from(traces)
      .where(and(eq(traces.projectId, ctx.projectId), eq(traces.id, traceId)));
    if (!trace) throw notFound("Trace");

    const [counted, logs] = await Promise.all([
      ctx.db
        .select({ spanId: modelCalls.spanId })
        .from(modelCalls)
        .where(and(eq(modelCalls.projectId, ctx.projectId), eq(modelCalls.traceId, traceId))),
      loadLogs(ctx.db, ctx.projectId, [traceId]),
    ]);
    const countedIds = new Set(counted.map((call) => call.spanId));

    const spans = [];
    for await (const page of loadSpans(ctx.db, ctx.projectId, [traceId])) {
      for (const span of page) {
        const { type, unmapped } = readSpan(
          span,
          logs.filter((record) => record.spanId === span.spanId),
        );
        spans.push({
          spanId: span.spanId,
          parentSpanId: span.parentSpanId,
          name: span.name,
          type,
          counted: countedIds.has(span.spanId),
          status: span.status.code === 2 ? ("error" as const) : ("ok" as const),
          startedAt: span.startedUs / US_PER_MS,
          endedAt: span.endedUs / US_PER_MS,
          attributes: span.attributes,
          events: span.events.map((event) => ({
            name: event.name,
            at: event.timeUs / US_PER_MS,
            attributes: event.attributes,
          })),
          resource: span.resource,
          scope: span.scope,
          unmapped,
        });
      }
    }
    spans.sort((a, b) => a.startedAt - b.startedAt || a.endedAt - b.endedAt || (a.spanId < b.spanId ? -1 : 1));
    return { trace: { traceId, conversationId: trace.conversationId, spans } };
  },
);
