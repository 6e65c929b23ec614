import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { isEscalating, isWorse, type Rate } from "../../rules";
import type { NewFindingEvent } from "../finding-events";
import { trendWindows } from "./recent-conversations";

type Row = {
  id: string;
  now: number;
  past: number;
  review_status: string;
  resolution_status: string | null;
  escalating_since: string | null;
  dismissed_rate: number | null;
};

/** Returns the changes that daily counts imply for Findings: `escalating`, `calmed`, or `returned` from a dismissal. */
export async function trendsOf(tx: Ctx, ids: readonly string[]): Promise<NewFindingEvent[]> {
  const windows = await trendWindows(tx);
  const rows = await tx.db.execute<Row>(sql`
    select f.id, f.review_status, f.resolution_status, f.escalating_since, f.dismissed_rate,
      coalesce(sum(d.conversations) filter (where d.day >= ${windows.nowSince}), 0)::int as now,
      coalesce(sum(d.conversations) filter (where d.day < ${windows.nowSince}), 0)::int as past
    from findings f
    left join finding_days d on d.project_id = f.project_id and d.finding_id = f.id and d.day >= ${windows.pastSince}
    where f.project_id = ${tx.projectId} and f.id = any(${textArray(ids)})
    group by f.project_id, f.id order by f.id`);
  return [...rows].flatMap((row): NewFindingEvent[] => {
    const now: Rate = { affected: row.now, conversations: Math.max(windows.now, row.now) };
    const past: Rate = { affected: row.past, conversations: Math.max(windows.past, row.past) };
    if (row.review_status === "dismissed") {
      return row.dismissed_rate !== null && isWorse(now, row.dismissed_rate)
        ? [{ findingId: row.id, kind: "returned", detail: { now, dismissedRate: row.dismissed_rate } }]
        : [];
    }
    const was = row.escalating_since !== null;
    const is = row.resolution_status !== "resolved" && isEscalating({ now, past, was });
    return is === was ? [] : [{ findingId: row.id, kind: is ? "escalating" : "calmed", detail: { now, past } }];
  });
}
