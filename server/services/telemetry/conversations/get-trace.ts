import { verb } from "@/server/platform/verb";
import { getTraceInput, traceReply } from "../schemas";
import { EMBEDDED_PARTS_MAX } from "./parts-page";
import { countParts, findTrace, logsPage, spansPage } from "./trace-parts";

export const getTrace = verb(
  {
    name: "traces.get",
    summary: "Read one trace: its spans as they were stored and how each was read, and its log records.",
    description: `\`traceId\` is 32 hex digits. \`unmapped\` names the attributes of a span that no reader took. At most the first ${EMBEDDED_PARTS_MAX.toLocaleString("en")} spans and log records are here, fewer where they are long; \`spansCursor\` and \`logsCursor\` continue them as \`cursor\` of \`…/spans\` and \`…/logs\`.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: getTraceInput,
    reply: traceReply,
  },
  async (ctx, input) => {
    const { id: traceId, conversationId } = await findTrace(ctx, input.traceId);
    const first = { traceId, limit: EMBEDDED_PARTS_MAX };
    const [counts, spans, logs] = await Promise.all([
      countParts(ctx, traceId),
      spansPage(ctx, first),
      logsPage(ctx, first),
    ]);
    return {
      trace: {
        traceId,
        conversationId,
        ...counts,
        spans: spans.rows,
        spansCursor: spans.nextCursor,
        logs: logs.rows,
        logsCursor: logs.nextCursor,
      },
    };
  },
);
