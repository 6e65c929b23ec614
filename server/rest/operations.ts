import { createApiKey, listApiKeys, revokeApiKey } from "@/server/services/api-keys";
import { listAudit } from "@/server/services/audit";
import {
  cancelBackgroundJob,
  getBackgroundJob,
  listBackgroundJobs,
  replayBackgroundJob,
  replayFailedBackgroundJobs,
  summariseBackgroundJobs,
} from "@/server/services/background-jobs";
import {
  createRepricing,
  exportCosts,
  getCosts,
  getRepricing,
  listRepricings,
  previewModelPattern,
  previewRepricing,
  priceUsage,
  undoRepricing,
} from "@/server/services/costs";
import {
  deleteConversation,
  deleteProject,
  deleteUserData,
  getDeletion,
  getRetention,
  getStorage,
  listBackups,
  listDeletions,
  previewConversationDeletion,
  previewDeletion,
  previewRetention,
  requestStorageMeasurement,
  updateRetention,
} from "@/server/services/data";
import {
  createRuleRuns,
  diagnosticsStatus,
  getDiagnosticSettings,
  getFinding,
  getRuleRun,
  listFindings,
  listOccurrences,
  listRuleRuns,
  listRules,
  updateDiagnosticSettings,
  updateFinding,
  updateRule,
} from "@/server/services/diagnostics";
import {
  changeRole,
  createPasswordReset,
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
  transferOwnership,
} from "@/server/services/members";
import {
  createModelPrice,
  deleteModelPrice,
  estimateModelPrice,
  getPriceCatalogue,
  listModelPrices,
  listModelPriceVersions,
  matchModelPrice,
  resetModelPrice,
  updateModelPrice,
} from "@/server/services/pricing";
import { getProject, renameProject } from "@/server/services/projects";
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
import { cachedJson } from "./cached-json";
import { FINE_TUNING } from "./fine-tuning";
import { health, healthReply } from "./health";
import { openApiOf, openApiReply } from "./openapi";
import type {
  AbsentOperation,
  AnyVerb,
  Method,
  OpenOperation,
  Operation,
  RawOperation,
  VerbOperation,
} from "./operation";
import { otlpLogs, otlpTraces } from "./otlp";

type Line =
  | Omit<VerbOperation, "subject">
  | Omit<RawOperation, "subject">
  | Omit<AbsentOperation, "subject">
  | Omit<OpenOperation, "subject">;

const about = (subject: string, lines: readonly Line[]) => lines.map((line) => ({ ...line, subject }) as Operation);
const on =
  (method: Method) =>
  (path: string, verb: AnyVerb, status: 200 | 201 | 202 = 200) => ({ method, path, verb, status });
const [get, post, patch, remove] = [on("GET"), on("POST"), on("PATCH"), on("DELETE")];

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

const project = "/projects/:projectId";
const diagnostics = `${project}/diagnostics`;

/** Every route of `/v1`. What a route takes, answers and asks for is its verb's; only its address is said here. */
export const OPERATIONS: readonly Operation[] = [
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
  ...about("Findings", [
    get(`${diagnostics}/findings`, listFindings),
    get(`${diagnostics}/findings/:findingId`, getFinding),
    patch(`${diagnostics}/findings/:findingId`, updateFinding),
    get(`${diagnostics}/findings/:findingId/occurrences`, listOccurrences),
  ]),
  ...about("Rules", [get(`${diagnostics}/rules`, listRules), patch(`${diagnostics}/rules/:ruleId`, updateRule)]),
  ...about("Rule Runs", [
    get(`${diagnostics}/rule-runs`, listRuleRuns),
    post(`${diagnostics}/rule-runs`, createRuleRuns, 202),
    get(`${diagnostics}/rule-runs/:runId`, getRuleRun),
  ]),
  ...about("Diagnostic settings", [
    get(`${diagnostics}/status`, diagnosticsStatus),
    get(`${diagnostics}/settings`, getDiagnosticSettings),
    patch(`${diagnostics}/settings`, updateDiagnosticSettings),
  ]),
  ...about("Model prices", [
    // The key says which project, or the path does.
    ...["", project].flatMap((of) => [
      get(`${of}/model-prices`, listModelPrices),
      post(`${of}/model-prices`, createModelPrice, 201),
      patch(`${of}/model-prices/:modelPriceId`, updateModelPrice),
      remove(`${of}/model-prices/:modelPriceId/override`, resetModelPrice),
      remove(`${of}/model-prices/:modelPriceId`, deleteModelPrice),
      get(`${of}/model-prices/:modelPriceId/versions`, listModelPriceVersions),
      get(`${of}/model-price-matches`, matchModelPrice),
      post(`${of}/model-price-estimates`, estimateModelPrice),
      get(`${of}/model-price-usage`, priceUsage),
      post(`${of}/model-pattern-previews`, previewModelPattern),
      get(`${of}/model-price-catalogue`, getPriceCatalogue),
    ]),
    ...about("Costs", [
      get(`${project}/costs`, getCosts),
      get(`${project}/cost-export`, exportCosts),
      get(`${project}/repricing-preview`, previewRepricing),
      get(`${project}/repricings`, listRepricings),
      post(`${project}/repricings`, createRepricing, 202),
      get(`${project}/repricings/:repricingId`, getRepricing),
      post(`${project}/repricings/:repricingId/undo`, undoRepricing, 202),
    ]),
  ]),
  ...about("Fine-tuning", FINE_TUNING),
  ...about("Projects", [get(project, getProject), patch(project, renameProject), remove(project, deleteProject)]),
  ...about("API keys", [
    get(`${project}/api-keys`, listApiKeys),
    post(`${project}/api-keys`, createApiKey, 201),
    remove(`${project}/api-keys/:keyId`, revokeApiKey),
  ]),
  ...about("Members", [
    get(`${project}/members`, listMembers),
    patch(`${project}/members/:userId`, changeRole),
    remove(`${project}/members/:userId`, removeMember),
    post(`${project}/members/:userId/password-resets`, createPasswordReset, 201),
    post(`${project}/members/:userId/ownership`, transferOwnership),
    get(`${project}/invitations`, listInvitations),
    post(`${project}/invitations`, inviteMember, 201),
    remove(`${project}/invitations/:invitationId`, revokeInvitation),
  ]),
  ...about("Audit log", [get(`${project}/audit-log`, listAudit)]),
  ...about("Keeping and deleting", [
    get(`${project}/retention`, getRetention),
    patch(`${project}/retention`, updateRetention),
    get(`${project}/retention-preview`, previewRetention),
    get(`${project}/deletion-preview`, previewDeletion),
    get(`${project}/conversations/:conversationId/deletion-preview`, previewConversationDeletion),
    get(`${project}/deletions`, listDeletions),
    post(`${project}/deletions`, deleteUserData, 202),
    get(`${project}/deletions/:deletionId`, getDeletion),
    get(`${project}/storage`, getStorage),
    post(`${project}/storage-measurements`, requestStorageMeasurement, 202),
    get(`${project}/backups`, listBackups),
  ]),
  ...about("Background jobs", [
    get(`${project}/background-jobs`, listBackgroundJobs),
    get(`${project}/background-jobs/:backgroundJobId`, getBackgroundJob),
    post(`${project}/background-jobs/:backgroundJobId/replay`, replayBackgroundJob, 202),
    post(`${project}/background-jobs/:backgroundJobId/cancel`, cancelBackgroundJob),
    get(`${project}/background-job-summary`, summariseBackgroundJobs),
    post(`${project}/background-job-replays`, replayFailedBackgroundJobs, 202),
  ]),
  ...about("Service", [
    {
      method: "GET",
      path: "/healthz",
      name: "service.health",
      summary: "Whether the process answers. It proves nothing about storage, jobs or providers.",
      reply: healthReply,
      open: health,
    },
    {
      method: "GET",
      path: "/openapi.json",
      name: "service.openapi",
      summary: "This interface as an OpenAPI 3.1 document.",
      reply: openApiReply,
      open: cachedJson(() => openApiOf(OPERATIONS)),
    },
  ]),
];
