import { deleteConversation } from "@/server/services/deletion";
import { joinConversation } from "@/server/services/diagnostics";
import {
  changeLabels,
  conversationFacets,
  conversationHistogram,
  countConversations,
  createFeedback,
  downloadConversations,
  findContinued,
  findSpan,
  getCompaction,
  getConversation,
  getMasking,
  getReceipt,
  getTrace,
  listConversations,
  listFeedback,
  listLogs,
  listMessages,
  listModelCalls,
  listParkedTraces,
  listRefusals,
  listSpanOutlines,
  listSpans,
  listToolCalls,
  locate,
  receiveLogs,
  receiveTraces,
  refuseMetrics,
  replayParkedTraces,
  telemetryStatus,
  updateCompaction,
  updateMasking,
} from "@/server/services/telemetry";
import { get, patch, post, project, remove, under } from "./row";

export const TELEMETRY = {
  otlp: under("Ingest", {
    // The second addresses are where an exporter sends that was given the installation's address alone.
    traces: post(["/otlp/v1/traces", "/traces"], receiveTraces),
    logs: post(["/otlp/v1/logs", "/logs"], receiveLogs),
    metrics: post(["/otlp/v1/metrics", "/metrics"], refuseMetrics),
  }),
  receipts: under("Ingest", {
    get: get(`${project}/ingest-receipts/:receiptId`, getReceipt),
  }),
  telemetry: under("Ingest", {
    status: get(`${project}/telemetry-status`, telemetryStatus),
    refusals: get(`${project}/telemetry-refusals`, listRefusals),
  }),
  masking: under("Ingest", {
    get: get(`${project}/masking`, getMasking),
    update: patch(`${project}/masking`, updateMasking),
  }),
  compaction: under("Ingest", {
    get: get(`${project}/compaction`, getCompaction),
    update: patch(`${project}/compaction`, updateCompaction),
  }),
  parkedTraces: under("Ingest", {
    list: get(`${project}/parked-traces`, listParkedTraces),
    replay: post(`${project}/parked-trace-replays`, replayParkedTraces, 202),
  }),
  conversations: under("Conversations", {
    list: get(`${project}/conversations`, listConversations),
    download: get(`${project}/conversation-export`, downloadConversations),
    get: get(`${project}/conversations/:conversationId`, getConversation),
    messages: get(`${project}/conversations/:conversationId/messages`, listMessages),
    modelCalls: get(`${project}/conversations/:conversationId/model-calls`, listModelCalls),
    toolCalls: get(`${project}/conversations/:conversationId/tool-calls`, listToolCalls),
    delete: remove(`${project}/conversations/:conversationId`, deleteConversation),
    changeLabels: patch(`${project}/conversations/:conversationId/labels`, changeLabels),
    findContinued: get(`${project}/conversations/:conversationId/continued`, findContinued),
    join: post(`${project}/conversations/:conversationId/join`, joinConversation),
    findSpan: get(`${project}/conversations/:conversationId/spans/:spanId`, findSpan),
    locate: get(`${project}/locations/:telemetryId`, locate),
    facets: get(`${project}/conversation-facets`, conversationFacets),
    histogram: get(`${project}/conversation-histogram`, conversationHistogram),
    count: get(`${project}/conversation-count`, countConversations),
  }),
  traces: under("Conversations", {
    get: get(`${project}/traces/:traceId`, getTrace),
    spans: get(`${project}/traces/:traceId/spans`, listSpans),
    outline: get(`${project}/traces/:traceId/outline`, listSpanOutlines),
    logs: get(`${project}/traces/:traceId/logs`, listLogs),
  }),
  feedback: under("Feedback", {
    create: post(`${project}/feedback`, createFeedback, 201),
    list: get(`${project}/feedback`, listFeedback),
  }),
};
