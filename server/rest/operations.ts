import { createApiKey, listApiKeys, revokeApiKey } from "@/server/services/api-keys";
import {
  createRuleRuns,
  diagnosticsStatus,
  getDiagnosticSettings,
  getFinding,
  getRuleRun,
  listFindings,
  listOccurrences,
  listRuleRuns,
  updateDiagnosticSettings,
  updateFinding,
} from "@/server/services/diagnostics";
import { listModelPrices, matchModelPrice } from "@/server/services/pricing";
import { getProject, renameProject } from "@/server/services/projects";
import {
  conversationFacets,
  getConversation,
  getReceipt,
  getTrace,
  listConversations,
  telemetryStatus,
} from "@/server/services/telemetry";
import { health, healthReply } from "./health";
import { openApiReply, serveOpenApi } from "./openapi-route";
import type { Operation } from "./operation";
import { otlpLogs, otlpTraces } from "./otlp";

const OTLP = ["application/x-protobuf", "application/json"];
const PROJECT = "/projects/:projectId";
const DIAGNOSTICS = `${PROJECT}/diagnostics`;

/** Every route of `/v1`. What a route takes, answers and asks for is its verb's; only its address is said here. */
export const OPERATIONS: readonly Operation[] = [
  { subject: "Service", method: "GET", path: "/healthz", name: "service.health", summary: "Whether the process answers.", reply: healthReply, open: health },
  { subject: "Service", method: "GET", path: "/openapi.json", name: "service.openapi", summary: "This interface as an OpenAPI 3.1 document.", reply: openApiReply, open: serveOpenApi },

  { subject: "Ingest", method: "POST", path: "/otlp/v1/traces", name: "otlp.traces", summary: "Send spans (OTLP/HTTP).", capability: ["telemetry:write"], consumes: OTLP, raw: otlpTraces },
  { subject: "Ingest", method: "POST", path: "/otlp/v1/logs", name: "otlp.logs", summary: "Send log records (OTLP/HTTP).", capability: ["telemetry:write"], consumes: OTLP, raw: otlpLogs },
  { subject: "Ingest", method: "GET", path: `${PROJECT}/ingest-receipts/:receiptId`, verb: getReceipt },
  { subject: "Ingest", method: "GET", path: `${PROJECT}/telemetry-status`, verb: telemetryStatus },

  { subject: "Conversations", method: "GET", path: `${PROJECT}/conversations`, verb: listConversations },
  { subject: "Conversations", method: "GET", path: `${PROJECT}/conversations/:conversationId`, verb: getConversation },
  { subject: "Conversations", method: "GET", path: `${PROJECT}/conversation-facets`, verb: conversationFacets },
  { subject: "Conversations", method: "GET", path: `${PROJECT}/traces/:traceId`, verb: getTrace },

  { subject: "Model prices", method: "GET", path: "/model-prices", verb: listModelPrices },
  { subject: "Model prices", method: "GET", path: "/model-price-matches", verb: matchModelPrice },
  { subject: "Model prices", method: "GET", path: `${PROJECT}/model-prices`, verb: listModelPrices },
  { subject: "Model prices", method: "GET", path: `${PROJECT}/model-price-matches`, verb: matchModelPrice },

  { subject: "Findings", method: "GET", path: `${DIAGNOSTICS}/findings`, verb: listFindings },
  { subject: "Findings", method: "GET", path: `${DIAGNOSTICS}/findings/:findingId`, verb: getFinding },
  { subject: "Findings", method: "PATCH", path: `${DIAGNOSTICS}/findings/:findingId`, verb: updateFinding },
  { subject: "Findings", method: "GET", path: `${DIAGNOSTICS}/findings/:findingId/occurrences`, verb: listOccurrences },

  { subject: "Rule Runs", method: "GET", path: `${DIAGNOSTICS}/rule-runs`, verb: listRuleRuns },
  { subject: "Rule Runs", method: "POST", path: `${DIAGNOSTICS}/rule-runs`, verb: createRuleRuns, status: 202 },
  { subject: "Rule Runs", method: "GET", path: `${DIAGNOSTICS}/rule-runs/:runId`, verb: getRuleRun },

  { subject: "Diagnostics", method: "GET", path: `${DIAGNOSTICS}/status`, verb: diagnosticsStatus },
  { subject: "Diagnostics", method: "GET", path: `${DIAGNOSTICS}/settings`, verb: getDiagnosticSettings },
  { subject: "Diagnostics", method: "PATCH", path: `${DIAGNOSTICS}/settings`, verb: updateDiagnosticSettings },

  { subject: "Projects", method: "GET", path: PROJECT, verb: getProject },
  { subject: "Projects", method: "PATCH", path: PROJECT, verb: renameProject },

  { subject: "API keys", method: "GET", path: `${PROJECT}/api-keys`, verb: listApiKeys },
  { subject: "API keys", method: "POST", path: `${PROJECT}/api-keys`, verb: createApiKey, status: 201 },
  { subject: "API keys", method: "DELETE", path: `${PROJECT}/api-keys/:keyId`, verb: revokeApiKey },
];
