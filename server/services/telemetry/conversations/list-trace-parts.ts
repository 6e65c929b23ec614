import { verb } from "@/server/platform/verb";
import { listLogsInput, listSpansInput, logsReply, spansReply } from "../schemas";
import { PAGE_SIZE_NOTE } from "./parts-page";
import { findTrace, logsPage, spansPage } from "./trace-parts";

const CAPABILITY = ["diagnostics:read", "project:data:read"] as const;

export const listSpans = verb(
  {
    name: "traces.spans",
    summary: "List the spans of a trace as stored with their interpretation, earliest start first.",
    description: `\`fromSpanId\` starts at that span. ${PAGE_SIZE_NOTE}`,
    effect: "read",
    capability: CAPABILITY,
    input: listSpansInput,
    reply: spansReply,
  },
  async (ctx, { limit, ...input }) => {
    const { id } = await findTrace(ctx, input.traceId);
    const { rows, nextCursor } = await spansPage(ctx, { ...input, traceId: id, limit });
    return { spans: rows, pagination: { limit, nextCursor } };
  },
);

export const listLogs = verb(
  {
    name: "traces.logs",
    summary: "List the log records of a trace, or of one of its spans, oldest first.",
    description: PAGE_SIZE_NOTE,
    effect: "read",
    capability: CAPABILITY,
    input: listLogsInput,
    reply: logsReply,
  },
  async (ctx, { limit, ...input }) => {
    const { id } = await findTrace(ctx, input.traceId);
    const { rows, nextCursor } = await logsPage(ctx, { ...input, traceId: id, limit });
    return { logs: rows, pagination: { limit, nextCursor } };
  },
);
