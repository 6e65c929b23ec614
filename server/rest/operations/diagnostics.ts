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
import { about, get, patch, post, project } from "./line";

const diagnostics = `${project}/diagnostics`;

export const DIAGNOSTICS = [
  ...about("Findings", [
    get(`${diagnostics}/findings`, listFindings),
    get(`${diagnostics}/findings/:findingId`, getFinding),
    patch(`${diagnostics}/findings/:findingId`, updateFinding),
    get(`${diagnostics}/findings/:findingId/occurrences`, listOccurrences),
  ]),
  ...about("Rules", [get(`${diagnostics}/rules`, listRules), patch(`${diagnostics}/rules/:ruleId`, updateRule)]),
  ...about("Rule Runs", [
    get(`${diagnostics}/rule-runs`, listRuleRuns),
    post(`${diagnostics}/rule-runs`, createRuleRuns, 202),
    get(`${diagnostics}/rule-runs/:runId`, getRuleRun),
  ]),
  ...about("Diagnostic settings", [
    get(`${diagnostics}/status`, diagnosticsStatus),
    get(`${diagnostics}/settings`, getDiagnosticSettings),
    patch(`${diagnostics}/settings`, updateDiagnosticSettings),
  ]),
];
