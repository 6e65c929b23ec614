import {
  cancelBackfill,
  compareEvaluator,
  createBackfill,
  createManyRuleRuns,
  createRule,
  createRuleRuns,
  createRuleVersion,
  diagnosticsStatus,
  getBackfill,
  getDiagnosticSettings,
  getRuleRun,
  listBackfills,
  listEvaluators,
  listRuleRuns,
  listRules,
  pauseBackfill,
  previewBackfill,
  previewRule,
  proposeFilter,
  resumeBackfill,
  retryRuleRun,
  tryOwnRule,
  tryRule,
  updateDiagnosticSettings,
  updateEvaluator,
  updateRule,
} from "@/server/services/diagnostics";
import { get, patch, post, project, under } from "./row";

const diagnostics = `${project}/diagnostics`;

export const DIAGNOSTICS = {
  rules: under("Rules", {
    list: get(`${diagnostics}/rules`, listRules),
    update: patch(`${diagnostics}/rules/:ruleId`, updateRule),
    try: post(`${diagnostics}/rules/:ruleId/try`, tryRule),
    preview: post(`${diagnostics}/rules/:ruleId/preview`, previewRule),
    create: post(`${diagnostics}/rules`, createRule, 201),
    createVersion: post(`${diagnostics}/rules/:ruleId/versions`, createRuleVersion, 201),
    proposeFilter: post(`${diagnostics}/rule-filter-proposals`, proposeFilter),
    tryDescription: post(`${diagnostics}/rule-trials`, tryOwnRule),
  }),
  ruleRuns: under("Rule Runs", {
    list: get(`${diagnostics}/rule-runs`, listRuleRuns),
    create: post(`${diagnostics}/rule-runs`, createRuleRuns, 202),
    createMany: post(`${diagnostics}/rule-runs/bulk`, createManyRuleRuns, 202),
    get: get(`${diagnostics}/rule-runs/:runId`, getRuleRun),
    retry: post(`${diagnostics}/rule-runs/:runId/retry`, retryRuleRun, 202),
  }),
  backfills: under("Backfills", {
    create: post(`${diagnostics}/rules/:ruleId/backfills`, createBackfill, 202),
    preview: post(`${diagnostics}/rules/:ruleId/backfill-preview`, previewBackfill),
    list: get(`${diagnostics}/backfills`, listBackfills),
    get: get(`${diagnostics}/backfills/:backfillId`, getBackfill),
    pause: post(`${diagnostics}/backfills/:backfillId/pause`, pauseBackfill),
    resume: post(`${diagnostics}/backfills/:backfillId/resume`, resumeBackfill, 202),
    cancel: post(`${diagnostics}/backfills/:backfillId/cancel`, cancelBackfill),
  }),
  evaluators: under("Evaluators", {
    list: get(`${diagnostics}/evaluators`, listEvaluators),
    update: patch(`${diagnostics}/evaluators`, updateEvaluator),
    compare: get(`${diagnostics}/evaluator-comparison`, compareEvaluator),
  }),
  diagnostics: under("Diagnostic settings", {
    status: get(`${diagnostics}/status`, diagnosticsStatus),
  }),
  diagnosticSettings: under("Diagnostic settings", {
    get: get(`${diagnostics}/settings`, getDiagnosticSettings),
    update: patch(`${diagnostics}/settings`, updateDiagnosticSettings),
  }),
};
