import {
  cancelBackfill,
  createBackfill,
  createManyRuleRuns,
  createRuleRuns,
  diagnosticsStatus,
  getBackfill,
  getDiagnosticSettings,
  getRuleRun,
  listBackfills,
  listRuleRuns,
  listRules,
  pauseBackfill,
  previewBackfill,
  previewRule,
  resumeBackfill,
  retryRuleRun,
  tryRule,
  updateDiagnosticSettings,
  updateRule,
} from "@/server/services/diagnostics";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const ruleRunsRouter = router({
  list: query(listRuleRuns),
  get: query(getRuleRun),
  create: mutation(createRuleRuns),
  createMany: mutation(createManyRuleRuns),
  retry: mutation(retryRuleRun),
});
export const backfillsRouter = router({
  list: query(listBackfills),
  get: query(getBackfill),
  preview: query(previewBackfill),
  create: mutation(createBackfill),
  pause: mutation(pauseBackfill),
  resume: mutation(resumeBackfill),
  cancel: mutation(cancelBackfill),
});
export const rulesRouter = router({
  list: query(listRules),
  update: mutation(updateRule),
  try: mutation(tryRule),
  preview: mutation(previewRule),
});
export const diagnosticSettingsRouter = router({
  get: query(getDiagnosticSettings),
  update: mutation(updateDiagnosticSettings),
});
export const diagnosticsRouter = router({ status: query(diagnosticsStatus) });
