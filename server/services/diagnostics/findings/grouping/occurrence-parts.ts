import { SEVERITIES } from "@/db/schema/enumerations";
import type { Evidence, OccurrencePart } from "@/db/schema/json";

/** What was detected in one conversation for one cause. */
export type CausePart = Omit<OccurrencePart, "evidence"> & { evidence: readonly Evidence[] };

/** What an occurrence's row derives from its causes. */
export type ComposedOccurrence = {
  cause_ids: string[];
  parts: OccurrencePart[] | null;
  severity: OccurrencePart["severity"];
  score: number;
  confidence: number;
  title: string;
  summary: string;
  evidence: Evidence[];
};

/** Most severe first, then the strongest; the cause's hash breaks ties. */
const byWeight = (a: CausePart, b: CausePart) =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  b.score - a.score ||
  b.confidence - a.confidence ||
  (a.causeId < b.causeId ? -1 : 1);

/** Composes one occurrence from several causes in one conversation. The result does not depend on their order. */
export function composeOccurrence(causes: readonly CausePart[]): ComposedOccurrence {
  const sorted = [...causes].sort(byWeight);
  const lead = sorted[0]!;
  return {
    cause_ids: sorted.map(({ causeId }) => causeId),
    parts: sorted.length === 1 ? null : sorted.map((part) => ({ ...part, evidence: part.evidence.length })),
    severity: lead.severity,
    score: lead.score,
    confidence: lead.confidence,
    title: lead.title,
    summary: lead.summary,
    evidence: sorted.flatMap(({ evidence }) => evidence),
  };
}

/** Returns the parts of a stored occurrence, one for each cause. */
export function partsOf(row: ComposedOccurrence): CausePart[] {
  const { severity, score, confidence, title, summary, evidence } = row;
  if (row.parts === null) {
    return row.cause_ids.map((causeId) => ({ causeId, severity, score, confidence, title, summary, evidence }));
  }
  let from = 0;
  return row.parts.map((part) => {
    const own = evidence.slice(from, from + part.evidence);
    from += part.evidence;
    return { ...part, evidence: own };
  });
}
