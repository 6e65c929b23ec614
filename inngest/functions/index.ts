import { deleteData } from "./delete-data";
import { diagnoseInactiveConversations } from "./diagnose-inactive-conversations";
import { measureStorageOfProject, projectHousekeeping, scheduleDailyHousekeeping } from "./housekeeping";
import { recountFindings } from "./recount-findings";
import { reprice } from "./reprice";
import { rewrapStoredSecrets } from "./rewrap-secrets";
import { failCancelledRuleRuns, runRules } from "./run-rules";
import { forgetOldMail, mailForgottenPassword, sendQueuedMail } from "./send-mail";

/** Every background function, for either engine. */
export const functions = [
  runRules,
  failCancelledRuleRuns,
  diagnoseInactiveConversations,
  recountFindings,
  deleteData,
  reprice,
  scheduleDailyHousekeeping,
  projectHousekeeping,
  measureStorageOfProject,
  sendQueuedMail,
  mailForgottenPassword,
  forgetOldMail,
  rewrapStoredSecrets,
];
