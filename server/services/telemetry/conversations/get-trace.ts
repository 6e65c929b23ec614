import { verb } from "@/server/platform/verb";
import { getTraceInput, traceReply } from "../schemas";
import { embeddedNote, firstParts } from "./parts-page";
import { countParts, findTrace, logsPage, spansPage } from "./trace-parts";

export const getTrace = verb(
  {
    name: "traces.get",
    summary: "Get a trace: its spans as stored with their interpretation, and its log records.",
    description: `\`traceId\` is 32 hex digits. \`unmapped\` lists the attributes of a span that no reader recognised. ${embeddedNote("spans and log records", "To continue, pass `spansCursor` and `logsCursor` as `cursor` to `…/spans` and `…/logs`.")}`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: getTraceInput,
    reply: traceReply,
  },
  async (ctx, input) => {
    const { id: traceId, conversationId } = await findTrace(ctx, input.traceId);
    const { parts } = input;
    const first = { traceId, limit: parts };
    const [counts, spans, logs] = await Promise.all([
      countParts(ctx, traceId),
      firstParts(parts, () => spansPage(ctx, first)),
      firstParts(parts, () => logsPage(ctx, first)),
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
