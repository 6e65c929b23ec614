export { apiKeys } from "./api-keys";
export { diagnosticSettings, findings, occurrences, ruleRuns, ruleSettings } from "./diagnostics";
export { loginAttempts, memberships, sessions, setupTokens, users } from "./identity";
export { jobEvents, jobRuns, jobSchedules, jobSteps } from "./jobs";
export { modelPriceDefinitions } from "./pricing";
export { projects } from "./projects";
export {
  conversationMessages,
  conversations,
  ingestReceipts,
  logRecords,
  modelCalls,
  projectionQueue,
  spanSources,
  spans,
  toolCalls,
  traces,
} from "./telemetry";
