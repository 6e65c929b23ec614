import { accountRouter } from "./routers/account";
import { apiKeysRouter } from "./routers/api-keys";
import { auditRouter } from "./routers/audit";
import { backgroundJobsRouter } from "./routers/background-jobs";
import { collectionRouter, reviewQueueRouter } from "./routers/collection";
import { connectionsRouter } from "./routers/connections";
import { backupsRouter, deletionsRouter, retentionRouter, storageRouter } from "./routers/data";
import { datasetExportsRouter, datasetImportsRouter } from "./routers/dataset-files";
import { datasetsRouter, datasetVersionsRouter, examplesRouter } from "./routers/datasets";
import { deploymentsRouter } from "./routers/deployments";
import {
  backfillsRouter,
  diagnosticSettingsRouter,
  diagnosticsRouter,
  ruleRunsRouter,
  rulesRouter,
} from "./routers/diagnostics";
import { evaluationsRouter } from "./routers/evaluations";
import { filesRouter } from "./routers/files";
import { findingsRouter } from "./routers/findings";
import { certificatesRouter, lineageRouter, modelExportsRouter, trainingJobsRouter } from "./routers/fine-tuning";
import { knowledgeGoalsRouter } from "./routers/knowledge-goals";
import { linksRouter, membersRouter } from "./routers/members";
import { notificationsRouter } from "./routers/notifications";
import { peopleRouter } from "./routers/people";
import { costsRouter, modelPricesRouter, repricingsRouter } from "./routers/pricing";
import { projectsRouter } from "./routers/projects";
import { sampleRouter } from "./routers/sample";
import { savedViewsRouter } from "./routers/saved-views";
import { setupRouter } from "./routers/setup";
import { signInRouter } from "./routers/sign-in";
import {
  compactionRouter,
  conversationsRouter,
  feedbackRouter,
  maskingRouter,
  parkedTracesRouter,
  receiptsRouter,
  telemetryRouter,
  tracesRouter,
} from "./routers/telemetry";
import { fineTuningRouter } from "./routers/trainers";
import { baseModelsRouter, checkpointsRouter, tuningConfigsRouter } from "./routers/tuning-configs";
import { handoffRulesRouter, trackerDeliveriesRouter, workItemsRouter } from "./routers/work-items";
import { router } from "./trpc";

/** The router for the workbench's pages, by subject, so that a screen can invalidate by subject. */
export const appRouter = router({
  account: accountRouter,
  apiKeys: apiKeysRouter,
  audit: auditRouter,
  backfills: backfillsRouter,
  backgroundJobs: backgroundJobsRouter,
  backups: backupsRouter,
  collection: collectionRouter,
  connections: connectionsRouter,
  conversations: conversationsRouter,
  datasets: datasetsRouter,
  datasetExports: datasetExportsRouter,
  datasetImports: datasetImportsRouter,
  datasetVersions: datasetVersionsRouter,
  deletions: deletionsRouter,
  diagnosticSettings: diagnosticSettingsRouter,
  diagnostics: diagnosticsRouter,
  files: filesRouter,
  fineTuning: fineTuningRouter,
  findings: findingsRouter,
  handoffRules: handoffRulesRouter,
  knowledgeGoals: knowledgeGoalsRouter,
  links: linksRouter,
  examples: examplesRouter,
  feedback: feedbackRouter,
  compaction: compactionRouter,
  masking: maskingRouter,
  members: membersRouter,
  costs: costsRouter,
  modelPrices: modelPricesRouter,
  repricings: repricingsRouter,
  notifications: notificationsRouter,
  parkedTraces: parkedTracesRouter,
  people: peopleRouter,
  projects: projectsRouter,
  receipts: receiptsRouter,
  retention: retentionRouter,
  reviewQueue: reviewQueueRouter,
  ruleRuns: ruleRunsRouter,
  rules: rulesRouter,
  sample: sampleRouter,
  savedViews: savedViewsRouter,
  setup: setupRouter,
  signIn: signInRouter,
  storage: storageRouter,
  telemetry: telemetryRouter,
  traces: tracesRouter,
  trackerDeliveries: trackerDeliveriesRouter,
  workItems: workItemsRouter,
  trainingJobs: trainingJobsRouter,
  certificates: certificatesRouter,
  modelExports: modelExportsRouter,
  lineage: lineageRouter,
  checkpoints: checkpointsRouter,
  evaluations: evaluationsRouter,
  baseModels: baseModelsRouter,
  deployments: deploymentsRouter,
  tuningConfigs: tuningConfigsRouter,
});
export type AppRouter = typeof appRouter;
