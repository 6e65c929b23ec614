import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { confidenceOf, KEYWORD_SIGNAL, wilson } from "../rules";
import { groundsOf } from "../rules/confidence";
import type { ConfidenceBasis } from "../schemas";

/** From this many reviews on, their precision replaces the confidence that is shipped with a Signal. */
export const REVIEWS_LEAST = 20;

export type Judged = { confirmedFindings: number; wrongFindings: number };
const NOTHING_JUDGED: Judged = { confirmedFindings: 0, wrongFindings: 0 };
export type JudgedFindings = (ruleId: string, signal: string) => Judged;

/**
 * Counts, per Rule and Signal, the Findings of this project that people confirmed and that they dismissed as wrong. A
 * dismissal without a reason counts as wrong; one for another reason (expected, not important, duplicate) says nothing about
 * whether the Signal was right.
 */
export async function judgedFindings(ctx: Pick<Ctx, "db" | "projectId">): Promise<JudgedFindings> {
  const rows = await ctx.db
    .select({
      ruleId: findings.ruleId,
      signal: findings.signal,
      confirmedFindings: sql<number>`(count(*) filter (where ${findings.reviewStatus} = 'confirmed'))::int`,
      wrongFindings: sql<number>`(count(*) filter (where ${findings.reviewStatus} = 'dismissed' and coalesce(${findings.dismissalReason}, 'wrong') = 'wrong'))::int`,
    })
    .from(findings)
    .where(
      and(
        eq(findings.projectId, ctx.projectId),
        ne(findings.reviewStatus, "unreviewed"),
        isNull(findings.mergedIntoId),
      ),
    )
    .groupBy(findings.ruleId, findings.signal);
  const counts = new Map(rows.map(({ ruleId, signal, ...judged }) => [`${ruleId} ${signal}`, judged]));
  return (ruleId, signal) => counts.get(`${ruleId} ${signal}`) ?? NOTHING_JUDGED;
}

/** Returns the precision of what people reviewed, with its 95 % interval (Wilson); `null` without a review. */
export function reviewedPrecision({ confirmedFindings, wrongFindings }: Judged) {
  const n = confirmedFindings + wrongFindings;
  const interval = wilson({ affected: confirmedFindings, conversations: n });
  return interval && { n, value: interval.rate, interval: { low: interval.low, high: interval.high } };
}

/** Returns what a confidence stored with a Finding or an occurrence of this Signal rests on. */
export function shippedBasis(signal: string, confidence: number): ConfidenceBasis {
  const grounds = groundsOf(signal, confidence);
  return { ...grounds, by: grounds.basis === "assumed" ? null : "benchmark" };
}

/** Returns the shipped confidence in a sure match of a Signal; a keyword claims no more than that it occurs. */
export function shippedConfidence(signal: string): { value: number } & ConfidenceBasis {
  const value = signal === KEYWORD_SIGNAL ? 1 : confidenceOf(signal, 1).value;
  return { value, ...shippedBasis(signal, value) };
}

/** Returns the confidence that this project's reviews measure, or `null` with fewer than `REVIEWS_LEAST`. */
export function reviewedConfidence(judged: Judged): ({ value: number } & ConfidenceBasis) | null {
  const reviewed = reviewedPrecision(judged);
  return reviewed && reviewed.n >= REVIEWS_LEAST ? { ...reviewed, basis: "measured", by: "reviews" } : null;
}

/** Returns what the confidence in a Finding's score rests on. */
export function basisOfFinding(
  judged: JudgedFindings,
  row: Pick<typeof findings.$inferSelect, "ruleId" | "signal" | "diagnosticScoreParts">,
): ConfidenceBasis {
  const reviewed = reviewedConfidence(judged(row.ruleId, row.signal));
  if (!reviewed) return shippedBasis(row.signal, row.diagnosticScoreParts.confidence);
  const { basis, by, n, interval } = reviewed;
  return { basis, by, n, interval };
}
