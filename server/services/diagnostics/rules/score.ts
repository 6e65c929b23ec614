import type { Severity } from "../types";
import { PRIOR_CONVERSATIONS } from "./schemas";

/** Spaced so that a confident "medium" outranks an uncertain "high". */
const SEVERITY_WEIGHT: Record<Severity, number> = { critical: 1, high: 0.8, medium: 0.55, low: 0.3, info: 0.1 };

export type DiagnosticScoreParts = { severity: number; confidence: number; spread: number };

/**
 * Returns the priority of a Finding, 0..1: `severity` × `confidence` × `spread`. `spread` is the cube root of the share of
 * recent conversations that have it: shares span orders of magnitude, and the root keeps 1 in 1,000 (.1) comparable with
 * 1 in 10 (.46).
 */
export function diagnosticScore(input: {
  severity: Severity;
  /** The highest confidence among the Finding's occurrences, 0..1. */
  confidence: number;
  affectedConversations: number;
  recentConversations: number;
}): { score: number; parts: DiagnosticScoreParts } {
  const affected = Math.max(0, input.affectedConversations);
  const share = affected / (Math.max(affected, input.recentConversations) + PRIOR_CONVERSATIONS);
  return diagnosticScoreOf({
    severity: input.severity,
    confidence: Math.min(1, Math.max(0, input.confidence)),
    spread: Math.cbrt(share),
  });
}

/** Returns the score of known parts at another severity. */
export function diagnosticScoreOf({ severity, ...rest }: { severity: Severity; confidence: number; spread: number }): {
  score: number;
  parts: DiagnosticScoreParts;
} {
  const parts = { severity: SEVERITY_WEIGHT[severity], confidence: rest.confidence, spread: rest.spread };
  return { score: parts.severity * parts.confidence * parts.spread, parts };
}
