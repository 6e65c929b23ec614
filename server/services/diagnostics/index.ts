import "server-only";

export { deleteExpiredAdjudications } from "./adjudicator";
export { cancelBackfill, pauseBackfill, resumeBackfill } from "./backfills/control-backfill";
export { createBackfill } from "./backfills/create-backfill";
export { getBackfill, listBackfills } from "./backfills/list-backfills";
export { previewBackfill } from "./backfills/preview-backfill";
export { failBackfill, runBackfill } from "./backfills/run-backfill";
export { unfinishedBackfills } from "./backfills/unfinished-backfills";
export { deleteBaselinesBefore } from "./baselines/snapshots-with-baseline";
export { compareEvaluator } from "./evaluators/compare-evaluator";
export { listEvaluators } from "./evaluators/list-evaluators";
export { updateEvaluator } from "./evaluators/update-evaluator";
export { countFindings } from "./findings/count-findings";
export { countForReview } from "./findings/count-for-review";
export { recomputeFindingCosts } from "./findings/counts/recompute-finding-costs";
export { recountDueFindings } from "./findings/counts/recount-due-findings";
export { downloadFindings } from "./findings/download-findings";
export { forgetConversations } from "./findings/forget-conversations";
export { getFinding } from "./findings/get-finding";
export { listFindingCauses } from "./findings/grouping/list-causes";
export { mergeFindingsByHand } from "./findings/grouping/merge-findings-verb";
export { placeCausesAgain } from "./findings/grouping/place-causes-again";
export { splitFinding } from "./findings/grouping/split-finding";
export { handOffFinding } from "./findings/hand-off-finding";
export { markInThePast, moveToTheirTime } from "./findings/history/past";
export { type ShareSubject, shareRows } from "./findings/history/share-rows";
export { findingTimeline } from "./findings/history/timeline";
export { listFindingEvents } from "./findings/list-finding-events";
export { listFindings } from "./findings/list-findings";
export { clearestOccurrences, listOccurrences } from "./findings/list-occurrences";
export { addFindingNote, deleteFindingNote, listFindingNotes, updateFindingNote } from "./findings/notes/notes";
export { listAssignees } from "./findings/review/list-assignees";
export { undoFindingChange } from "./findings/review/undo-finding-change";
export { updateFinding } from "./findings/review/update-finding";
export { updateFindings } from "./findings/review/update-findings";
export { summariseFindings } from "./findings/summarise-findings";
export { contrastFinding } from "./findings/traits/contrast";
export { findingTraits } from "./findings/traits/traits";
export { stopFix, updateFix } from "./fixes/change-fix";
export { createFix } from "./fixes/create-fix";
export { fixEffects } from "./fixes/fix-effects";
export { getFix, listFixes } from "./fixes/list-fixes";
export { measureDueFixes } from "./fixes/measure-due-fixes";
export { watchDeployed, watchProven, watchServedPrompt } from "./fixes/watch-proven";
export { joinConversation } from "./joining/join-conversation";
export { createRule, createRuleVersion } from "./own-rules/create-rule";
export { proposeFilter } from "./own-rules/propose-filter";
export { tryOwnRule } from "./own-rules/try-rule";
export {
  type FrozenRule,
  findReplays,
  isFoundIn,
  type NotAgain,
  type RecordedCall,
  type Replay,
  type ReplayedMessage,
  readReplay,
  whyNotReplayable,
} from "./replays";
export { type Interval, type Rate, type RuleConfiguration, wilson } from "./rules";
export { adjudicateRuleRuns } from "./runs/adjudicate-rule-runs";
export { createManyRuleRuns, queueSelected } from "./runs/create-many-rule-runs";
export { createRuleRuns } from "./runs/create-rule-runs";
export { detectRuleRuns } from "./runs/detect-rule-runs";
export { executeRuleRuns } from "./runs/execute-rule-runs";
export { failRuleRuns } from "./runs/finish-runs";
export { getRuleRun, listRuleRuns } from "./runs/list-rule-runs";
export { recordRuleRuns } from "./runs/record-rule-runs";
export { retryRuleRun } from "./runs/retry-rule-run";
export { scheduleConversations, scheduleInactiveConversations } from "./runs/schedule-inactive-conversations";
export { unfinishedRuleRuns } from "./runs/unfinished-rule-runs";
export { diagnosticsStatus } from "./settings/diagnostics-status";
export { listRules } from "./settings/list-rules";
export { previewRule } from "./settings/preview-rule";
export { getDiagnosticSettings, updateDiagnosticSettings } from "./settings/settings";
export { tryRule } from "./settings/try-rule";
export { updateRule } from "./settings/update-rule";
export { compareVersions } from "./versions/compare-versions";
export { listVersions } from "./versions/list-versions";
export { abandonWorkItem } from "./work-items/abandon-work-item";
export { handOffByRules } from "./work-items/automation/hand-off-by-rule";
export {
  createHandoffRule,
  deleteHandoffRule,
  getHandoffRule,
  listHandoffRules,
  updateHandoffRule,
} from "./work-items/automation/handoff-rules";
export { handOff } from "./work-items/hand-off";
export { handOffMany } from "./work-items/hand-off-many";
export {
  getWorkItem,
  listCodeReferences,
  listFindingWorkItems,
  listTicketChanges,
  listWorkItems,
} from "./work-items/list-work-items";
export { previewHandOff } from "./work-items/preview-hand-off";
export { repairHandoff } from "./work-items/repair-handoff";
export { replaceWorkItem } from "./work-items/replace-work-item";
export { pollTrackers, schedulePolls } from "./work-items/sync/poll-trackers";
export { runWorkItem } from "./work-items/sync/run-work-item";
export { retryWorkItem, syncWorkItem } from "./work-items/sync-work-item";
export { commentOnTicket, confirmHandedOff } from "./work-items/ticket/add-comment";
export {
  deleteOldTrackerDeliveries,
  listTrackerDeliveries,
  replayTrackerDelivery,
} from "./work-items/webhooks/deliveries";
export { receiveTrackerDelivery } from "./work-items/webhooks/receive-delivery";
