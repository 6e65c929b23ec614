import { and, eq, isNull, type or, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { findings } from "@/db/schema";
import { updateOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { diagnosticScoreOf } from "../../rules";
import { judgedFindings, REVIEWS_LEAST, reviewedConfidence } from "../judged-findings";

/**
 * Brings the scores of all Findings of these Signals in line with the project's reviews, after `reviewed` were changed. Where
 * a Signal falls back below `REVIEWS_LEAST`, its Findings become due for a recount, which reads their own confidence again.
 */
export async function rescoreReviewed(
  tx: Ctx,
  reviewed: readonly Pick<typeof findings.$inferSelect, "ruleId" | "signal">[],
) {
  const judged = await judgedFindings(tx);
  const signals = new Map(reviewed.map((row) => [`${row.ruleId} ${row.signal}`, row]));
  for (const { ruleId, signal } of signals.values()) {
    const own = judged(ruleId, signal);
    const confidence = reviewedConfidence(own);
    const ofSignal = and(
      eq(findings.projectId, tx.projectId),
      eq(findings.ruleId, ruleId),
      eq(findings.signal, signal),
      isNull(findings.mergedIntoId),
    );
    if (confidence) await rescore(tx, ofSignal, confidence.value);
    else if (own.confirmedFindings + own.wrongFindings + reviewed.length >= REVIEWS_LEAST) {
      await tx.db
        .update(findings)
        .set({ recountDueAt: sql`${NOW}`, recountOrigin: "backfill" })
        .where(and(ofSignal, isNull(findings.recountDueAt)));
    }
  }
}

async function rescore(tx: Ctx, ofSignal: ReturnType<typeof or>, confidence: number) {
  const rows = await tx.db
    .select({ id: findings.id, severity: findings.severity, parts: findings.diagnosticScoreParts })
    .from(findings)
    .where(and(ofSignal, sql`(${findings.diagnosticScoreParts} ->> 'confidence')::float8 <> ${confidence}::float8`))
    .orderBy(findings.id)
    .for("update");
  if (rows.length === 0) return;
  const update = updateOf(
    findings,
    rows.map(({ id, severity, parts: { spread } }) => {
      const { score, parts } = diagnosticScoreOf({ severity, confidence, spread });
      return { id, diagnostic_score: score, diagnostic_score_parts: parts };
    }),
  );
  await tx.db.execute(sql`
    update findings set ${update.set} from ${update.rows}
    where findings.project_id = ${tx.projectId} and ${update.matches}`);
}
