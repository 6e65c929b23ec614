import { deleteConversation } from "@/server/services/deletion";
import {
  changeLabels,
  conversationFacets,
  findSpan,
  getConversation,
  getMasking,
  getReceipt,
  getTrace,
  listConversations,
  listLogs,
  listMessages,
  listModelCalls,
  listParkedTraces,
  listSpans,
  listToolCalls,
  replayParkedTraces,
  telemetryStatus,
  updateMasking,
} from "@/server/services/telemetry";
import type { RawOperation } from "../operation";
import { otlpLogs, otlpTraces } from "../otlp";
import { about, get, type Line, patch, post, project, remove } from "./line";

const otlp = (signal: string, what: string, list: string, raw: RawOperation["raw"]): Line => ({
  method: "POST",
  path: `/otlp/v1/${signal}`,
  name: `otlp.${signal}`,
  summary: `Send ${what} (OTLP/HTTP). An answer of 200 means that they are stored.`,
  description:
    "JSON or protobuf, plain, gzip or deflate, up to 16 MiB. `X-Whetstone-Receipt` names the receipt of the batch. Sending a batch again changes nothing: a span is known by its trace and span id, a log record by its content.",
  capability: ["telemetry:write"],
  consumes: ["application/x-protobuf", "application/json"],
  jsonBody: {
    type: "object",
    // An empty message is `{}` and says nothing; one that says something has the list.
    anyOf: [{ required: [list] }, { maxProperties: 0 }],
    properties: { [list]: { type: "array" } },
  },
  raw,
});

export const TELEMETRY = [
  ...about("Ingest", [
    otlp("traces", "spans", "resourceSpans", otlpTraces),
    otlp("logs", "log records", "resourceLogs", otlpLogs),
    get(`${project}/ingest-receipts/:receiptId`, getReceipt),
    get(`${project}/telemetry-status`, telemetryStatus),
    get(`${project}/masking`, getMasking),
    patch(`${project}/masking`, updateMasking),
    get(`${project}/parked-traces`, listParkedTraces),
    post(`${project}/parked-trace-replays`, replayParkedTraces, 202),
  ]),
  ...about("Conversations", [
    get(`${project}/conversations`, listConversations),
    get(`${project}/conversations/:conversationId`, getConversation),
    get(`${project}/conversations/:conversationId/messages`, listMessages),
    get(`${project}/conversations/:conversationId/model-calls`, listModelCalls),
    get(`${project}/conversations/:conversationId/tool-calls`, listToolCalls),
    remove(`${project}/conversations/:conversationId`, deleteConversation),
    patch(`${project}/conversations/:conversationId/labels`, changeLabels),
    get(`${project}/conversations/:conversationId/spans/:spanId`, findSpan),
    get(`${project}/conversation-facets`, conversationFacets),
    get(`${project}/traces/:traceId`, getTrace),
    get(`${project}/traces/:traceId/spans`, listSpans),
    get(`${project}/traces/:traceId/logs`, listLogs),
  ]),
];
