import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import { findings, fixes } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { FindingFix } from "../findings/schemas";
import { findingOfFix, fixColumns, startedFix } from "./fix-rows";
import { laterVerdict } from "./measure-due-fixes";
import { measureFix } from "./measure-fix";

/** Measures the newest fix of a Finding that went out. `null` if there is none, or too much to count. */
export async function latestFix(ctx: Ctx, findingId: string): Promise<FindingFix | null> {
  const [found] = await ctx.db
    .select({ row: fixColumns.row, signal: fixColumns.signal })
    .from(fixes)
    .innerJoin(findings, findingOfFix)
    .where(
      and(
        eq(fixes.projectId, ctx.projectId),
        eq(fixes.findingId, findingId),
        isNotNull(fixes.startedAt),
        // A Finding that was merged has no occurrences left, which would look like a fix.
        sql`coalesce(${fixes.endReason}, '') not in ('reopened', 'merged')`,
      ),
    )
    .orderBy(desc(fixes.startedAt), desc(fixes.id))
    .limit(1);
  const started = found && startedFix(found);
  const measured = started ? await measureFix(ctx, started) : null;
  return measured && found ? { ...measured, verdict: laterVerdict(found.row.verdict, measured.verdict) } : null;
}
