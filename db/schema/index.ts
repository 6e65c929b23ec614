export { apiKeys } from "./api-keys";
export { accountAuditLog, auditLog } from "./audit";
export { dailyCosts, dailyLabelCosts, repricedCalls, repricings } from "./costs";
export { backups, deletedTraces, deletionReceipts, retentionSettings, storedSizes } from "./data";
export { diagnosticSettings, findings, occurrences, ruleRuns, ruleSettings } from "./diagnostics";
export { idempotencyKeys, rateBuckets } from "./doors";
export { identities, loginAttempts, memberships, sessions, setupTokens, signInNetworks, users } from "./identity";
export { jobEngine, jobEvents, jobRuns, jobSchedules, jobSteps } from "./jobs";
export { outgoingMail } from "./mail";
export { invitations, passwordResets } from "./members";
export { modelPriceDefinitions, priceCatalogues } from "./pricing";
export { projects } from "./projects";
export {
  conversationMessages,
  conversationSearch,
  conversations,
  ingestReceipts,
  logRecords,
  modelCalls,
  parkedTraces,
  projectionQueue,
  projectors,
  spanSources,
  spans,
  toolCalls,
  traces,
} from "./telemetry";
