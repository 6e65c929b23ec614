import { SEVERITIES } from "@/db/schema/enumerations";
import type { Evidence, OccurrencePart } from "@/db/schema/json";

/** What was detected in one conversation for one cause, and by which Run (null if deleted). */
export type CausePart = Omit<OccurrencePart, "evidence" | "ruleRunId" | "detectedAt"> & {
  evidence: readonly Evidence[];
  ruleRunId: string | null;
  detectedAt: number;
};

/** What an occurrence's row derives from its causes. */
export type ComposedOccurrence = {
  cause_ids: string[];
  parts: OccurrencePart[] | null;
  rule_run_id: string | null;
  detected_at: number;
  severity: OccurrencePart["severity"];
  score: number;
  confidence: number;
  title: string;
  summary: string;
  evidence: Evidence[];
};

/** An occurrence as stored. `bigint` columns are strings. */
export type StoredOccurrence = Omit<ComposedOccurrence, "detected_at"> & { detected_at: number | string };

/** The most direct first, then the most severe and the strongest; the cause's hash breaks ties. */
const byWeight = (a: CausePart, b: CausePart) =>
  (a.rank ?? 0) - (b.rank ?? 0) ||
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  b.score - a.score ||
  b.confidence - a.confidence ||
  (a.causeId < b.causeId ? -1 : 1);

/** Composes one occurrence from several causes in one conversation. The result does not depend on their order. */
export function composeOccurrence(causes: readonly CausePart[]): ComposedOccurrence {
  const sorted = [...causes].sort(byWeight);
  const lead = sorted[0]!;
  const detectedAt = Math.max(...sorted.map((part) => part.detectedAt));
  return {
    cause_ids: sorted.map(({ causeId }) => causeId),
    parts:
      sorted.length === 1 && !lead.rank ? null : sorted.map((part) => ({ ...part, evidence: part.evidence.length })),
    rule_run_id: lead.ruleRunId,
    detected_at: detectedAt,
    severity: SEVERITIES.find((one) => sorted.some(({ severity }) => severity === one)) ?? lead.severity,
    score: lead.score,
    confidence: lead.confidence,
    title: lead.title,
    summary: lead.summary,
    evidence: sorted.flatMap(({ evidence }) => evidence),
  };
}

/** Returns the parts of a stored occurrence, one for each cause. */
export function partsOf(row: StoredOccurrence): CausePart[] {
  const { severity, score, confidence, title, summary, evidence } = row;
  const own = { ruleRunId: row.rule_run_id, detectedAt: Number(row.detected_at) };
  if (row.parts === null) {
    return row.cause_ids.map((causeId) => ({ causeId, severity, score, confidence, title, summary, evidence, ...own }));
  }
  let from = 0;
  return row.parts.map((part) => {
    const quotes = evidence.slice(from, from + part.evidence);
    from += part.evidence;
    return { ...own, ...part, evidence: quotes };
  });
}
