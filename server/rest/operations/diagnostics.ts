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
import { FINDINGS } from "./findings";
import { about, get, patch, post, project } from "./line";

const diagnostics = `${project}/diagnostics`;

export const DIAGNOSTICS = [
  ...FINDINGS,
  ...about("Rules", [
    get(`${diagnostics}/rules`, listRules),
    patch(`${diagnostics}/rules/:ruleId`, updateRule),
    post(`${diagnostics}/rules/:ruleId/try`, tryRule),
    post(`${diagnostics}/rules/:ruleId/preview`, previewRule),
  ]),
  ...about("Rule Runs", [
    get(`${diagnostics}/rule-runs`, listRuleRuns),
    post(`${diagnostics}/rule-runs`, createRuleRuns, 202),
    post(`${diagnostics}/rule-runs/bulk`, createManyRuleRuns, 202),
    get(`${diagnostics}/rule-runs/:runId`, getRuleRun),
    post(`${diagnostics}/rule-runs/:runId/retry`, retryRuleRun, 202),
  ]),
  ...about("Backfills", [
    post(`${diagnostics}/rules/:ruleId/backfills`, createBackfill, 202),
    post(`${diagnostics}/rules/:ruleId/backfill-preview`, previewBackfill),
    get(`${diagnostics}/backfills`, listBackfills),
    get(`${diagnostics}/backfills/:backfillId`, getBackfill),
    post(`${diagnostics}/backfills/:backfillId/pause`, pauseBackfill),
    post(`${diagnostics}/backfills/:backfillId/resume`, resumeBackfill, 202),
    post(`${diagnostics}/backfills/:backfillId/cancel`, cancelBackfill),
  ]),
  ...about("Diagnostic settings", [
    get(`${diagnostics}/status`, diagnosticsStatus),
    get(`${diagnostics}/settings`, getDiagnosticSettings),
    patch(`${diagnostics}/settings`, updateDiagnosticSettings),
  ]),
];
