import { or, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import type { Severity } from "../types";
import { isAlert, matchingFindings, trendOf } from "./matching-findings";
import {
  countFindingsInput,
  FINDING_ALERTS,
  FINDING_QUEUES,
  type FindingAlert,
  type FindingFilters,
  type FindingsSummary,
} from "./schemas";

/** As in lists: above this, the exact number does not matter. */
const COUNTED = 1000;
const ROWS_SHOWN = 5;
const TREND_DAYS = 14;

type Shown = {
  id: string;
  title: string;
  severity: Severity;
  reviewStatus: "unreviewed" | "confirmed" | "dismissed";
  occurrenceCount: number;
  regressedAt: number | null;
  escalatingSince: number | null;
  createdAt: number;
  recentDays: number[];
};
type Changed = { id: string; title: string; severity: Severity; event: FindingAlert; at: number };
type Row = Record<string, number> & { now: string; urgent: Shown[]; changed: Changed[] };

/** Returns what waits for a person among a project's Findings, and what happened to them since a time, in one statement. */
export async function summariseFindings(ctx: Ctx, since: number): Promise<FindingsSummary> {
  const queues = Object.entries(FINDING_QUEUES).map(
    ([name, filters]) => [name, countFindingsInput.parse(filters)] as const,
  );
  const events = FINDING_ALERTS.map((event) => [event, { event, eventAfter: since }] as const);
  const counts = [...queues, ...events].map(
    ([name, filters]) => sql`${counted(ctx, filters)} as ${sql.identifier(name)}`,
  );
  const [row] = await ctx.db.execute<Row>(sql`
    with clock as (select ${NOW} as now)
    select now, ${sql.join(counts, sql`, `)},
      (select coalesce(jsonb_agg(to_jsonb(shown) - 'place' order by place), '[]') from (
        select id, title, severity, review_status as "reviewStatus", occurrence_count as "occurrenceCount",
          regressed_at as "regressedAt", escalating_since as "escalatingSince", created_at as "createdAt",
          row_number() over (
            order by (regressed_at is not null) desc, (escalating_since is not null) desc, diagnostic_score desc, id desc
          ) as place,
          array(
            select coalesce(d.conversations, 0) from generate_series(${TREND_DAYS - 1}::int, 0, -1) as ago
            left join finding_days d on d.project_id = ${ctx.projectId} and d.finding_id = findings.id
              and d.day = (clock.now / ${DAY_MS}::bigint - ago) * ${DAY_MS}::bigint
            order by ago desc
          ) as "recentDays"
        from ${findings} where ${or(...queues.map(([, filters]) => matchingFindings(ctx, filters)))}
        order by place limit ${ROWS_SHOWN}
      ) shown) as urgent,
      (select coalesce(jsonb_agg(to_jsonb(shown) order by at desc, id), '[]') from (
        select findings.id, findings.title, findings.severity, newest.kind as event, newest.at from (
          select distinct on (e.finding_id) e.finding_id, e.kind, e.at from finding_events e
          where e.project_id = ${ctx.projectId} and ${isAlert} and e.at >= ${since}::bigint
          order by e.finding_id, e.at desc, e.id desc
        ) newest join ${findings} on findings.id = newest.finding_id
        where ${matchingFindings(ctx, {})}
        order by newest.at desc, findings.id limit ${ROWS_SHOWN}
      ) shown) as changed
    from clock`);
  if (!row) throw new Error("A summary returned no row.");
  const now = Number(row.now);
  const countOf = (name: string) => {
    const found = row[name] ?? 0;
    return { count: Math.min(found, COUNTED), more: found > COUNTED };
  };
  return {
    review: countOf("review"),
    regressed: countOf("regressed"),
    escalating: countOf("escalating"),
    urgent: row.urgent.map(({ createdAt, escalatingSince, regressedAt, ...shown }) => ({
      ...shown,
      trend: trendOf({ createdAt, escalatingSince, regressedAt }, now),
    })),
    since: FINDING_ALERTS.map((event) => ({ event, ...countOf(event) })),
    changed: row.changed,
  };
}

const counted = (ctx: Ctx, filters: FindingFilters) => sql`(
  select count(*)::int from (select 1 from ${findings} where ${matchingFindings(ctx, filters)} limit ${COUNTED + 1}) matching)`;
