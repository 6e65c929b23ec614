import {
  createRuleRuns,
  diagnosticsStatus,
  getDiagnosticSettings,
  getFinding,
  getRuleRun,
  listFindings,
  listOccurrences,
  listRuleRuns,
  listRules,
  updateDiagnosticSettings,
  updateFinding,
  updateRule,
} from "@/server/services/diagnostics";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const findingsRouter = router({
  list: query(listFindings),
  get: query(getFinding),
  occurrences: query(listOccurrences),
  update: mutation(updateFinding),
});
export const ruleRunsRouter = router({
  list: query(listRuleRuns),
  get: query(getRuleRun),
  create: mutation(createRuleRuns),
});
export const rulesRouter = router({ list: query(listRules), update: mutation(updateRule) });
export const diagnosticSettingsRouter = router({
  get: query(getDiagnosticSettings),
  update: mutation(updateDiagnosticSettings),
});
export const diagnosticsRouter = router({ status: query(diagnosticsStatus) });
