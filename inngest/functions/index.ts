import { deleteData } from "./delete-data";
import { diagnoseQuietConversations } from "./diagnose-quiet-conversations";
import { keepHouseOfProject, measureStorageOfProject, scheduleDailyHousekeeping } from "./keep-house";
import { reprice } from "./reprice";
import { failCancelledRuleRuns, runRules } from "./run-rules";
import { forgetOldMail, mailForgottenPassword, sendQueuedMail } from "./send-mail";

/** Every background function, whichever engine runs them. */
export const functions = [
  runRules,
  failCancelledRuleRuns,
  diagnoseQuietConversations,
  deleteData,
  reprice,
  scheduleDailyHousekeeping,
  keepHouseOfProject,
  measureStorageOfProject,
  sendQueuedMail,
  mailForgottenPassword,
  forgetOldMail,
];
