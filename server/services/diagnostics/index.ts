import "server-only";

export { createRuleRuns } from "./create-rule-runs";
export { diagnosticsStatus } from "./diagnostics-status";
export { executeRuleRuns, failRuleRuns } from "./execute-rule-runs";
export { forgetConversations } from "./forget-conversations";
export { getFinding } from "./get-finding";
export { listFindings } from "./list-findings";
export { listOccurrences } from "./list-occurrences";
export { getRuleRun, listRuleRuns } from "./list-rule-runs";
export { listRules } from "./list-rules";
export { recostFindings } from "./recost-findings";
export { recountDueFindings } from "./recount-due-findings";
export { scheduleQuietConversations } from "./schedule-quiet-conversations";
export { getDiagnosticSettings, updateDiagnosticSettings } from "./settings";
export { unfinishedRuleRuns } from "./unfinished-rule-runs";
export { updateFinding } from "./update-finding";
export { updateRule } from "./update-rule";
