import { diagnoseQuietConversations } from "./diagnose-quiet-conversations";
import { runRules } from "./run-rules";

/** Every background function, whichever engine runs them. */
export const functions = [runRules, diagnoseQuietConversations];
