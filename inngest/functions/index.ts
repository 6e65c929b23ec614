import { deleteData } from "./delete-data";
import { diagnoseQuietConversations } from "./diagnose-quiet-conversations";
import { keepHouseOfProject, measureStorageOfProject, scheduleDailyHousekeeping } from "./keep-house";
import { recountFindings } from "./recount-findings";
import { reprice } from "./reprice";
import { rewrapStoredSecrets } from "./rewrap-secrets";
import { failCancelledRuleRuns, runRules } from "./run-rules";
import { forgetOldMail, mailForgottenPassword, sendQueuedMail } from "./send-mail";

/** Every background function, whichever engine runs them. */
export const functions = [
  runRules,
  failCancelledRuleRuns,
  diagnoseQuietConversations,
  recountFindings,
  deleteData,
  reprice,
  scheduleDailyHousekeeping,
  keepHouseOfProject,
  measureStorageOfProject,
  sendQueuedMail,
  mailForgottenPassword,
  forgetOldMail,
  rewrapStoredSecrets,
];
