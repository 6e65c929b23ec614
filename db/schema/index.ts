export { adjudications, adjudicatorUsage, ruleRunDetections } from "./adjudication";
export { apiKeys } from "./administration/api-keys";
export { accountAuditLog, auditLog } from "./administration/audit";
export { backups } from "./administration/backups";
export { idempotencyKeys } from "./administration/idempotency";
export {
  identities,
  loginAttempts,
  memberships,
  sessions,
  setupTokens,
  signInNetworks,
  users,
} from "./administration/identity";
export { outgoingMail } from "./administration/mail";
export { invitations, passwordResets } from "./administration/members";
export { rateBuckets } from "./administration/rate-limits";
export { ringKeys } from "./administration/ring-keys";
export { pinnedCharts, savedViews } from "./administration/saved-views";
export { storedSizes } from "./administration/stored-sizes";
export { alertChannels, alertFirings, alerts, minuteCalls } from "./alerts";
export { backfillCounts, backfills } from "./backfills";
export { connections } from "./connections";
export { dailyCosts, dailyLabelCosts, dailyUserCosts, repricedCalls, repricings, staleUserDays } from "./costs";
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
  ownRules,
  ruleRuns,
  ruleSettings,
} from "./diagnostics";
export { jobEngine, jobEvents, jobRuns, jobSchedules, jobSteps } from "./engine";
export { evaluators, feedback } from "./feedback";
export { files } from "./files";
export { fixes } from "./fixes";
export {
  gatewayAliases,
  gatewayAssignments,
  gatewayBudgets,
  gatewayCalls,
  gatewayExperiments,
  gatewaySpending,
} from "./gateway";
export { evaluationJudgements, evaluationJudgings } from "./judging";
export { deliveries, notices, notificationRules } from "./notifications";
export { modelPriceDefinitions, priceCatalogues } from "./pricing";
export { projects } from "./projects";
export { promptLabelEvents, promptLabels, prompts, promptVersions } from "./prompts";
export { retentionSettings } from "./retention";
export { sampleProjects } from "./samples";
export {
  deployments,
  evaluationReviews,
  evaluationRows,
  evaluations,
  modelExports,
  parityCertificates,
  rolloutDecisions,
} from "./serving";
export { sharedParts, shareLinks } from "./sharing";
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
  telemetryRefusals,
  toolCalls,
  traces,
} from "./telemetry";
export {
  baseModels,
  checkpoints,
  trainerCommandParts,
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
} from "./training";
export { variants } from "./variants";
export {
  codeReferences,
  handoffRules,
  ticketChanges,
  trackerCursors,
  trackerDeliveries,
  workItems,
} from "./work-items";
