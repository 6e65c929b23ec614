import type { Severity } from "../types";

/** What a severity is worth. Steps are even enough that a sure "medium" passes an unsure "high". */
const SEVERITY_WEIGHT: Record<Severity, number> = { critical: 1, high: 0.8, medium: 0.55, low: 0.3, info: 0.1 };

/** Conversations added to every count, so that one of one is not the worst trouble there is. */
const PRIOR_CONVERSATIONS = 10;

export type DiagnosticScoreParts = { severity: number; confidence: number; spread: number };

/**
 * How much a Finding matters, 0..1: `severity` × `confidence` × `spread`. `spread` is the cube root of the share of recent
 * conversations that show it: shares run over decades, and the root keeps one in a thousand (.1) in sight of one in ten (.46).
 */
export function diagnosticScore(input: {
  severity: Severity;
  /** Of the Finding's surest occurrence, 0..1. */
  confidence: number;
  affectedConversations: number;
  recentConversations: number;
}): { score: number; parts: DiagnosticScoreParts } {
  const affected = Math.max(0, input.affectedConversations);
  const share = affected / (Math.max(affected, input.recentConversations) + PRIOR_CONVERSATIONS);
  const parts = {
    severity: SEVERITY_WEIGHT[input.severity],
    confidence: Math.min(1, Math.max(0, input.confidence)),
    spread: Math.cbrt(share),
  };
  return { score: parts.severity * parts.confidence * parts.spread, parts };
}
