import { deleteData } from "./delete-data";
import { diagnoseQuietConversations } from "./diagnose-quiet-conversations";
import { keepHouseOfProject, measureStorageOfProject, scheduleDailyHousekeeping } from "./keep-house";
import { runRules } from "./run-rules";

/** Every background function, whichever engine runs them. */
export const functions = [
  runRules,
  diagnoseQuietConversations,
  deleteData,
  scheduleDailyHousekeeping,
  keepHouseOfProject,
  measureStorageOfProject,
];
