import { compactStoredContent } from "./compact-content";
import { collectExamples, collectionPass } from "./datasets/collect-examples";
import { deleteDatasetExamples } from "./datasets/delete-dataset";
import { importExamples } from "./datasets/import-examples";
import { deleteData } from "./delete-data";
import { backfill } from "./diagnostics/backfill";
import { diagnoseInactiveConversations } from "./diagnostics/diagnose-inactive-conversations";
import { diagnoseSelectedConversations } from "./diagnostics/diagnose-selected-conversations";
import { measureFixes } from "./diagnostics/measure-fixes";
import { recountFindings } from "./diagnostics/recount-findings";
import { failCancelledRuleRuns, runRules } from "./diagnostics/run-rules";
import { pollProjectTrackers, scheduleTrackers, syncWorkItems } from "./diagnostics/work-items";
import { measureStorageOfProject, projectHousekeeping, scheduleDailyHousekeeping } from "./housekeeping";
import { loadSampleProject } from "./load-sample";
import { evaluateDueAlerts, queueDueNotices, sendQueuedDelivery } from "./notifications";
import { recordInterrupted } from "./record-interrupted-calls";
import { recountStaleUserDays } from "./recount-user-days";
import { reprice } from "./reprice";
import { rewrapStoredSecrets } from "./rewrap-secrets";
import { forgetOldMail, mailForgottenPassword, sendQueuedMail } from "./send-mail";
import {
  pollCertificatesAndExports,
  runModelExports,
  runParityCertificates,
} from "./training/certificates-and-exports";
import { pollDeployments, runDeployments } from "./training/deployments";
import { evaluateTuningTriggers } from "./training/evaluate-tuning-triggers";
import { judgeEvaluations, pollEvaluations, runEvaluations } from "./training/evaluations";
import { runRollouts } from "./training/rollouts";
import { pollTrainingJobs, removeTrainingFiles, runTrainingJobs } from "./training/training-jobs";
import { watchTrainers } from "./training/watch-trainers";

/** All background functions, for either engine. */
export const functions = [
  runRules,
  failCancelledRuleRuns,
  diagnoseInactiveConversations,
  diagnoseSelectedConversations,
  backfill,
  importExamples,
  collectExamples,
  collectionPass,
  measureFixes,
  recountFindings,
  deleteData,
  deleteDatasetExamples,
  loadSampleProject,
  reprice,
  recountStaleUserDays,
  scheduleDailyHousekeeping,
  projectHousekeeping,
  measureStorageOfProject,
  compactStoredContent,
  sendQueuedMail,
  mailForgottenPassword,
  forgetOldMail,
  rewrapStoredSecrets,
  recordInterrupted,
  queueDueNotices,
  sendQueuedDelivery,
  evaluateDueAlerts,
  scheduleTrackers,
  pollProjectTrackers,
  syncWorkItems,
  runTrainingJobs,
  pollTrainingJobs,
  removeTrainingFiles,
  runDeployments,
  pollDeployments,
  runRollouts,
  runEvaluations,
  judgeEvaluations,
  pollEvaluations,
  watchTrainers,
  evaluateTuningTriggers,
  runParityCertificates,
  runModelExports,
  pollCertificatesAndExports,
];
