import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { firingAlertsAsJson, summaryOfFiring } from "@/server/services/notifications";
import { REFUSALS_SHOWN_MINUTES } from "@/server/services/telemetry/refusals/schemas";
import type { HomeReply } from "./schemas";

/** As in lists: above these, the exact number does not matter. */
const COUNTED = 1000;
const JOBS_COUNTED = 10_000;
const ROWS_SHOWN = 5;

type Work = NonNullable<HomeReply["work"]>;
type Row = {
  now: string;
  visited_before_at: string | null;
  first_at: string | null;
  received_at: string | null;
  spans_per_minute: number;
  refused_requests: number;
  quarantined: number;
  was_diagnosed: boolean;
  was_reviewed: boolean;
  failed_runs: number;
  closed_tickets: number;
  firing_alerts: HomeReply["alerts"]["newest"];
  newest_closed: HomeReply["closedTickets"]["newest"];
  watched_fixes: number;
  judged_fixes: number;
  newest_judged: HomeReply["fixes"]["judged"]["newest"];
  candidates: number;
  has_examples: boolean;
  failed_jobs: number;
  ended: number;
  newest_ended: Work["evaluations"]["newest"];
  has_agent: boolean;
  jobs_running: number;
  was_trained: boolean;
  evaluations_running: number;
  was_proven: boolean;
};

/** Returns where a project stands, besides its Findings, costs and conversations, in one statement. */
export async function readStanding(ctx: Ctx) {
  const { projectId } = ctx;
  const userId = ctx.actor.kind === "user" ? ctx.actor.userId : null;
  const limited = (from: ReturnType<typeof sql>, limit = COUNTED) =>
    sql`(select count(*)::int from (select 1 ${from} limit ${limit + 1}) counted)`;
  const ended = sql`from evaluations e
    where e.project_id = ${projectId} and e.finished_at >= clock.since and e.status in ('succeeded', 'failed')`;
  const judged = sql`from fixes x where x.project_id = ${projectId} and x.verdict in ('proven', 'not_proven')
    and x.verdict_at >= clock.since`;
  const closed = sql`from work_items w join findings f on f.project_id = w.project_id and f.id = w.finding_id
    where w.project_id = ${projectId} and w.state = 'closed' and f.merged_into_id is null
      and f.review_status <> 'dismissed' and f.resolution_status is distinct from 'resolved'`;
  const [row] = await ctx.db.execute<Row>(sql`
    with visit as (
      select (select visited_before_at from memberships where project_id = ${projectId} and user_id = ${userId}::text) as at
    ),
    clock as materialized (
      select now, visit.at as visited_before_at, coalesce(visit.at, now - ${DAY_MS}::bigint) as since
      from visit, (select ${NOW} as now) n
    )
    select clock.now, clock.visited_before_at,
      (select started_at from conversations where project_id = ${projectId} order by started_at, id limit 1) as first_at,
      (select created_at from ingest_receipts where project_id = ${projectId} and stored > 0
        order by created_at desc, id desc limit 1) as received_at,
      (select coalesce(sum(stored), 0)::int from ingest_receipts
        where project_id = ${projectId} and signal = 'traces' and created_at >= clock.now - ${MINUTE_MS}::bigint
      ) as spans_per_minute,
      (select coalesce(sum(count), 0)::float8 from telemetry_refusals
        where project_id = ${projectId} and minute > clock.now - ${(REFUSALS_SHOWN_MINUTES + 1) * MINUTE_MS}::bigint
          and last_at >= clock.now - ${REFUSALS_SHOWN_MINUTES * MINUTE_MS}::bigint and reason <> 'metrics_not_stored'
      ) as refused_requests,
      ${limited(sql`from parked_traces where project_id = ${projectId}`)} as quarantined,
      exists (select 1 from rule_runs where project_id = ${projectId} and status = 'completed') as was_diagnosed,
      exists (select 1 from findings where project_id = ${projectId} and review_status <> 'unreviewed') as was_reviewed,
      ${limited(sql`from rule_runs where project_id = ${projectId} and status = 'failed'`)} as failed_runs,
      ${firingAlertsAsJson(ctx)} as firing_alerts,
      ${limited(closed)} as closed_tickets,
      (select coalesce(jsonb_agg(c), '[]') from (
        select f.id as "findingId", f.title as "findingTitle", w.external_key as key, w.url ${closed}
        order by w.updated_at desc, w.id limit ${ROWS_SHOWN}
      ) c) as newest_closed,
      ${limited(sql`from fixes where project_id = ${projectId} and ended_at is null`)} as watched_fixes,
      ${limited(judged)} as judged_fixes,
      (select coalesce(jsonb_agg(c), '[]') from (
        select x.id, x.verdict, x.verdict_at as "verdictAt", x.finding_id as "findingId",
          (select title from findings f where f.project_id = x.project_id and f.id = x.finding_id) as "findingTitle"
        ${judged} order by x.verdict_at desc, x.id limit ${ROWS_SHOWN}
      ) c) as newest_judged,
      (select count(*)::int from example_candidates c
        join datasets d on d.project_id = c.project_id and d.id = c.dataset_id and d.deleted_at is null
        where c.project_id = ${projectId} and c.status = 'waiting') as candidates,
      exists (
        select 1 from datasets where project_id = ${projectId} and deleted_at is null and example_count > 0
      ) as has_examples,
      ${limited(
        sql`from job_runs where project_id = ${projectId} and state = 'failed' and state in ('failed', 'cancelled')`,
        JOBS_COUNTED,
      )} as failed_jobs,
      ${limited(ended)} as ended,
      (select coalesce(jsonb_agg(c), '[]') from (
        select e.id, e.status, e.finding_id as "findingId", e.finished_at as "finishedAt",
          case when e.verdict is not null and e.summary ? 'proof'
              and jsonb_typeof(e.summary #> '{proof,right}') is distinct from 'object'
            then 'not_enough' else e.verdict end as verdict,
          (select title from findings f where f.project_id = e.project_id and f.id = e.finding_id) as "findingTitle"
        ${ended} order by e.finished_at desc, e.id limit ${ROWS_SHOWN}
      ) c) as newest_ended,
      exists (select 1 from trainers where kind = 'agent' and disabled_at is null) as has_agent,
      ${limited(sql`from training_jobs where project_id = ${projectId}
        and status not in ('succeeded', 'failed', 'cancelled')`)} as jobs_running,
      exists (select 1 from training_jobs where project_id = ${projectId} and status = 'succeeded') as was_trained,
      ${limited(sql`from evaluations where project_id = ${projectId} and status in ('queued', 'running')`)}
        as evaluations_running,
      exists (select 1 from evaluations where project_id = ${projectId} and status = 'succeeded') as was_proven
    from clock`);
  if (!row) throw new Error("A reading returned no row.");
  const upTo = (found: number, limit = COUNTED) => ({ count: Math.min(found, limit), more: found > limit });
  const timeOf = (at: string | null) => (at === null ? null : Number(at));
  const now = Number(row.now);
  const visitedAt = timeOf(row.visited_before_at);
  return {
    now,
    since: { at: visitedAt ?? now - DAY_MS, isLastVisit: visitedAt !== null },
    firstAt: timeOf(row.first_at),
    pulse: {
      receivedAt: timeOf(row.received_at),
      spansPerMinute: row.spans_per_minute,
      refusedRequests: row.refused_requests,
      quarantinedTraces: upTo(row.quarantined),
    },
    alerts: summaryOfFiring(row.firing_alerts),
    failedRuns: upTo(row.failed_runs),
    closedTickets: { ...upTo(row.closed_tickets), newest: row.newest_closed },
    fixes: {
      watched: upTo(row.watched_fixes),
      judged: { ...upTo(row.judged_fixes), newest: row.newest_judged },
    },
    candidates: row.candidates,
    failedJobs: upTo(row.failed_jobs, JOBS_COUNTED),
    evaluations: { ...upTo(row.ended), newest: row.newest_ended },
    wasDiagnosed: row.was_diagnosed,
    wasReviewed: row.was_reviewed,
    hasExamples: row.has_examples,
    hasAgent: row.has_agent,
    jobsRunning: row.jobs_running,
    wasTrained: row.was_trained,
    evaluationsRunning: row.evaluations_running,
    wasProven: row.was_proven,
  };
}
export type Standing = Awaited<ReturnType<typeof readStanding>>;
