import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { isEscalating, isWorse, mayEscalate, type Rate } from "../../rules";
import type { NewFindingEvent } from "../finding-events";
import { readTrendWindows } from "./recent-conversations";

type Row = {
  id: string;
  rule_id: string;
  review_status: string;
  resolution_status: string | null;
  escalating_since: string | null;
  dismissed_rate: number | null;
};
type Count = {
  finding_id: string;
  is_now: boolean;
  /** Of the Run that found it; `null` if that is not stored. */
  rule_id: string | null;
  version: number;
  revision: number;
  conversations: number;
};

/**
 * Returns the changes that recent conversations imply for Findings: `escalating`, `calmed`, or `returned` from a dismissal.
 * Rates are of the conversations that the Finding's Rule read as it reads now, by version and settings: reading more or less
 * of them, or otherwise, is no trend.
 */
export async function trendsOf(tx: Ctx, ids: readonly string[]): Promise<NewFindingEvent[]> {
  const { windows, readBy } = await readTrendWindows(tx);
  const rows = await tx.db.execute<Row>(sql`
    select id, rule_id, review_status, resolution_status, escalating_since, dismissed_rate from findings
    where project_id = ${tx.projectId} and id = any(${textArray(ids)}) order by id`);
  const most = await conversationsByDay(tx, ids, windows);
  // Who read what is looked up only where it can matter: of most Findings, not even all conversations are a trend.
  const open = [...rows].filter((row) => {
    const { now, past } = most.get(row.id) ?? { now: 0, past: 0 };
    if (row.review_status !== "dismissed") return row.escalating_since !== null || mayEscalate({ now, past });
    const rate = { affected: now, conversations: Math.max(readBy(row.rule_id).now, now) };
    return row.dismissed_rate !== null && isWorse(rate, row.dismissed_rate);
  });
  if (open.length === 0) return [];
  const counted = await tx.db.execute<Count>(sql`
    select o.finding_id, o.detected_at >= ${windows.nowSince}::bigint as is_now, r.rule_id, r.rule_version as version,
      r.configuration_revision as revision, count(*)::int as conversations
    from occurrences o left join rule_runs r on r.project_id = o.project_id and r.id = o.rule_run_id
    where o.project_id = ${tx.projectId} and o.finding_id = any(${textArray(open.map(({ id }) => id))})
      and o.detected_at >= ${windows.pastSince}::bigint
    group by 1, 2, 3, 4, 5`);
  const counts = [...counted];
  return open.flatMap((row): NewFindingEvent[] => {
    const read = readBy(row.rule_id);
    const rate = (isNow: boolean): Rate => {
      const affected = counts
        .filter((one) => one.finding_id === row.id && one.is_now === isNow)
        .filter((one) => one.rule_id === null || readBy(one.rule_id).isLikeNewest(one.version, one.revision))
        .reduce((sum, one) => sum + one.conversations, 0);
      return { affected, conversations: Math.max(isNow ? read.now : read.past, affected) };
    };
    const [now, past] = [rate(true), rate(false)];
    if (row.review_status === "dismissed") {
      return row.dismissed_rate !== null && isWorse(now, row.dismissed_rate)
        ? [{ findingId: row.id, kind: "returned", detail: { now, dismissedRate: row.dismissed_rate } }]
        : [];
    }
    const was = row.escalating_since !== null;
    // After new settings there is nothing to compare with, which does not calm it.
    if (was && read.past === 0) return [];
    const is = row.resolution_status !== "resolved" && isEscalating({ now, past, was });
    return is === was ? [] : [{ findingId: row.id, kind: is ? "escalating" : "calmed", detail: { now, past } }];
  });
}

/** Returns how many conversations have each Finding in the windows, however they were read. */
async function conversationsByDay(
  tx: Ctx,
  ids: readonly string[],
  { nowSince, pastSince }: { nowSince: number; pastSince: number },
) {
  const rows = await tx.db.execute<{ finding_id: string; now: number; past: number }>(sql`
    select finding_id, coalesce(sum(conversations) filter (where day >= ${nowSince}::bigint), 0)::int as now,
      coalesce(sum(conversations) filter (where day < ${nowSince}::bigint), 0)::int as past
    from finding_days
    where project_id = ${tx.projectId} and finding_id = any(${textArray(ids)}) and day >= ${pastSince}::bigint
    group by 1`);
  return new Map([...rows].map(({ finding_id, now, past }) => [finding_id, { now, past }]));
}
