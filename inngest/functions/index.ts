import { backfill } from "./backfill";
import { pollCertificatesAndExports, runModelExports, runParityCertificates } from "./certificates-and-exports";
import { collectExamples, collectionPass } from "./collect-examples";
import { compactStoredContent } from "./compact-content";
import { deleteData } from "./delete-data";
import { deleteDatasetExamples } from "./delete-dataset";
import { pollDeployments, runDeployments } from "./deployments";
import { diagnoseInactiveConversations } from "./diagnose-inactive-conversations";
import { diagnoseSelectedConversations } from "./diagnose-selected-conversations";
import { evaluateTuningTriggers } from "./evaluate-tuning-triggers";
import { judgeEvaluations, pollEvaluations, runEvaluations } from "./evaluations";
import { measureStorageOfProject, projectHousekeeping, scheduleDailyHousekeeping } from "./housekeeping";
import { importExamples } from "./import-examples";
import { loadSampleProject } from "./load-sample";
import { queueDueNotices, sendQueuedDelivery } from "./notifications";
import { recountFindings } from "./recount-findings";
import { reprice } from "./reprice";
import { rewrapStoredSecrets } from "./rewrap-secrets";
import { runRollouts } from "./rollouts";
import { failCancelledRuleRuns, runRules } from "./run-rules";
import { forgetOldMail, mailForgottenPassword, sendQueuedMail } from "./send-mail";
import { pollTrainingJobs, removeTrainingFiles, runTrainingJobs } from "./training-jobs";
import { watchTrainers } from "./watch-trainers";
import { pollProjectTrackers, scheduleTrackers, syncWorkItems } from "./work-items";

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
  recountFindings,
  deleteData,
  deleteDatasetExamples,
  loadSampleProject,
  reprice,
  scheduleDailyHousekeeping,
  projectHousekeeping,
  measureStorageOfProject,
  compactStoredContent,
  sendQueuedMail,
  mailForgottenPassword,
  forgetOldMail,
  rewrapStoredSecrets,
  queueDueNotices,
  sendQueuedDelivery,
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
