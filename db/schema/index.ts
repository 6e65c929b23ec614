export { apiKeys } from "./api-keys";
export { accountAuditLog, auditLog } from "./audit";
export { backups } from "./backups";
export { connections } from "./connections";
export { dailyCosts, dailyLabelCosts, repricedCalls, repricings } from "./costs";
export { deletedTraces, deletionReceipts } from "./deletions";
export { diagnosticSettings, findings, occurrences, ruleRuns, ruleSettings } from "./diagnostics";
export { jobEngine, jobEvents, jobRuns, jobSchedules, jobSteps } from "./engine";
export { files } from "./files";
export { idempotencyKeys } from "./idempotency";
export { identities, loginAttempts, memberships, sessions, setupTokens, signInNetworks, users } from "./identity";
export { outgoingMail } from "./mail";
export { invitations, passwordResets } from "./members";
export { modelPriceDefinitions, priceCatalogues } from "./pricing";
export { projects } from "./projects";
export { rateBuckets } from "./rate-limits";
export { retentionSettings } from "./retention";
export { ringKeys } from "./ring-keys";
export { storedSizes } from "./stored-sizes";
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
