import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";

const NOTHING_JUDGED = { confirmedFindings: 0, wrongFindings: 0 };
export type JudgedFindings = (ruleId: string, signal: string) => typeof NOTHING_JUDGED;

/** Counts, per Rule and Signal, the Findings of this project that people confirmed and that they dismissed as wrong. */
export async function judgedFindings(ctx: Pick<Ctx, "db" | "projectId">): Promise<JudgedFindings> {
  const rows = await ctx.db
    .select({
      ruleId: findings.ruleId,
      signal: findings.signal,
      confirmedFindings: sql<number>`(count(*) filter (where ${findings.reviewStatus} = 'confirmed'))::int`,
      wrongFindings: sql<number>`(count(*) filter (where ${findings.reviewStatus} = 'dismissed' and ${findings.dismissalReason} = 'wrong'))::int`,
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
