export { adjudications, adjudicatorUsage, ruleRunDetections } from "./adjudication";
export { apiKeys } from "./api-keys";
export { accountAuditLog, auditLog } from "./audit";
export { backfillCounts, backfills } from "./backfills";
export { backups } from "./backups";
export { connections } from "./connections";
export { dailyCosts, dailyLabelCosts, repricedCalls, repricings } from "./costs";
export {
  collectionPasses,
  collectionQueue,
  datasetFacets,
  datasetImportSources,
  datasetImports,
  datasets,
  datasetVersions,
  exampleCandidates,
  exampleRevisions,
  knowledgeGoals,
} from "./datasets";
export { deletedExamples, deletedTraces, deletionReceipts } from "./deletions";
export {
  callBaselines,
  diagnosticSettings,
  findingCauses,
  findingDays,
  findingEvents,
  findingNotes,
  findings,
  occurrences,
  ruleRuns,
  ruleSettings,
} from "./diagnostics";
export { jobEngine, jobEvents, jobRuns, jobSchedules, jobSteps } from "./engine";
export { feedback } from "./feedback";
export { files } from "./files";
export {
  baseModels,
  checkpoints,
  trainerCommands,
  trainers,
  trainingArtifacts,
  trainingEvents,
  trainingJobs,
  trainingManifests,
  trainingPoints,
  trainingRemovals,
  triggerDecisions,
  tuningConfigs,
} from "./fine-tuning";
export { idempotencyKeys } from "./idempotency";
export { identities, loginAttempts, memberships, sessions, setupTokens, signInNetworks, users } from "./identity";
export { outgoingMail } from "./mail";
export { invitations, passwordResets } from "./members";
export { deliveries, notices, notificationRules } from "./notifications";
export { modelPriceDefinitions, priceCatalogues } from "./pricing";
export { projects } from "./projects";
export { rateBuckets } from "./rate-limits";
export { retentionSettings } from "./retention";
export { ringKeys } from "./ring-keys";
export { sampleProjects } from "./samples";
export { savedViews } from "./saved-views";
export {
  deployments,
  evaluationReviews,
  evaluationRows,
  evaluations,
  modelExports,
  parityCertificates,
  rolloutDecisions,
} from "./serving";
export { storedSizes } from "./stored-sizes";
export {
  compactions,
  contentChunks,
  contentParts,
  contentReleased,
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
  telemetryBatches,
  toolCalls,
  traces,
} from "./telemetry";
export {
  codeReferences,
  handoffRules,
  ticketChanges,
  trackerCursors,
  trackerDeliveries,
  workItems,
} from "./work-items";
