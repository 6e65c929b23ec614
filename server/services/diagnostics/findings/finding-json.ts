import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { memberNames } from "@/server/services/members";
import { wilson } from "../rules";
import type { Finding } from "../schemas";
import { handoffRefs } from "../work-items/handoff-refs";
import { basisOfFinding, judgedFindings } from "./judged-findings";
import { trendOf } from "./matching-findings";

const TREND_BARS = 14;

/** Converts rows to their JSON form, with their recent days. `repairHandoffRef` names the linked ticket. */
export async function findingsJson(ctx: Ctx, rows: readonly (typeof findings.$inferSelect)[]): Promise<Finding[]> {
  const days = await ctx.db.execute<{ now: string; finding_id: string | null; bar: number; conversations: number }>(sql`
    with clock as (select ${NOW} as now)
    select now, d.finding_id, ((d.day - now / ${DAY_MS} * ${DAY_MS}) / ${DAY_MS})::int as bar, d.conversations
    from clock left join finding_days d on d.project_id = ${ctx.projectId}
      and d.finding_id = any(${textArray(rows.map(({ id }) => id))})
      and d.day > now / ${DAY_MS} * ${DAY_MS} - ${TREND_BARS * DAY_MS}::bigint and d.day <= now`);
  const bars = new Map<string, number[]>();
  for (const { finding_id: id, bar, conversations } of days) {
    if (id === null) continue;
    const own = bars.get(id) ?? new Array<number>(TREND_BARS).fill(0);
    own[TREND_BARS - 1 + bar] = conversations;
    bars.set(id, own);
  }
  const now = Number(days[0]!.now);
  const names = await memberNames(
    ctx,
    rows.flatMap(({ assigneeId }) => assigneeId ?? []),
  );
  const refs = await handoffRefs(
    ctx,
    rows.map(({ id }) => id),
  );
  const judged = await judgedFindings(ctx);
  return rows.map((row) => {
    const rate = { affected: row.recentAffected, conversations: row.recentConversations };
    return {
      ...row,
      confidenceBasis: basisOfFinding(judged, row),
      trend: trendOf(row, now),
      assigneeName: row.assigneeId === null ? null : (names.get(row.assigneeId) ?? null),
      dismissedUntilWorse: row.dismissedRate !== null,
      affectedCost: row.affectedCost === null ? null : Number(row.affectedCost),
      costComplete: row.unpricedCallCount === 0,
      recentShare: { ...rate, interval: wilson(rate) },
      recentDays: bars.get(row.id) ?? new Array<number>(TREND_BARS).fill(0),
      repairHandoffRef: refs.get(row.id) ?? null,
    };
  });
}
