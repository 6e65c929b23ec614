import "server-only";

export { forgetConversations } from "./findings/forget-conversations";
export { getFinding } from "./findings/get-finding";
export { listFindings } from "./findings/list-findings";
export { listOccurrences } from "./findings/list-occurrences";
export { recomputeFindingCosts } from "./findings/recompute-finding-costs";
export { recountDueFindings } from "./findings/recount-due-findings";
export { updateFinding } from "./findings/update-finding";
export { createRuleRuns } from "./runs/create-rule-runs";
export { executeRuleRuns, failRuleRuns } from "./runs/execute-rule-runs";
export { getRuleRun, listRuleRuns } from "./runs/list-rule-runs";
export { scheduleInactiveConversations } from "./runs/schedule-inactive-conversations";
export { unfinishedRuleRuns } from "./runs/unfinished-rule-runs";
export { diagnosticsStatus } from "./settings/diagnostics-status";
export { listRules } from "./settings/list-rules";
export { getDiagnosticSettings, updateDiagnosticSettings } from "./settings/settings";
export { updateRule } from "./settings/update-rule";
