import { and, gt, isNotNull, sql } from "drizzle-orm";
import { z } from "zod";
import { NOW } from "@/db/now";
import { jobEngine } from "@/db/schema";
import { env } from "@/env";
import { inngestServer } from "@/server/engine/configuration";
import type { Ctx } from "@/server/platform/context";
import { describeFunction } from "@/server/platform/jobs/catalogue";
import { verb } from "@/server/platform/verb";
import { type Row, stateOf } from "./background-job-json";
import { EMBEDDED } from "./record-engine";
import { BACKGROUND_JOB_STATES, type BackgroundJobSummary, summaryReply } from "./schemas";

/** Counting stops here: a larger exact number helps nobody and would cost more than the page. */
const COUNTED_UP_TO = 10_000;

export const summariseBackgroundJobs = verb(
  {
    name: "backgroundJobs.summary",
    summary: "Count the project's background jobs by state, with the due time of the most overdue one.",
    description:
      "Counting stops at `countedUpTo` jobs: the oldest unfinished ones, and the newest finished ones. `oldestDueAt` is `null` when nothing is overdue. With an Inngest server, `dashboardUrl` is where its jobs are listed.",
    effect: "read",
    capability: "workspace:read",
    input: z.strictObject({}),
    reply: summaryReply,
  },
  async (ctx) => {
    const [counts, oldestDueAt, functions, engineChange] = await Promise.all([
      countByState(ctx),
      oldestDue(ctx),
      functionsOf(ctx),
      recentChange(ctx),
    ]);
    const server = inngestServer(env());
    return {
      summary: {
        engine: server ? ("inngest" as const) : ("embedded" as const),
        // The origin only: the URL may contain a password, and the dashboard is at the root.
        dashboardUrl: server ? new URL(server.baseUrl).origin : null,
        engineChange,
        counts,
        countedUpTo: COUNTED_UP_TO,
        oldestDueAt,
        functions,
      },
    };
  },
);

/** As long as jobs of the previous engine are listed. */
const CHANGE_SHOWN_DAYS = 3;

async function recentChange({ db }: Ctx): Promise<BackgroundJobSummary["engineChange"]> {
  const [row] = await db
    .select({ before: jobEngine.before, at: jobEngine.changedAt })
    .from(jobEngine)
    .where(
      and(
        isNotNull(jobEngine.before),
        gt(jobEngine.changedAt, sql`${NOW} - ${CHANGE_SHOWN_DAYS * 86_400_000}::bigint`),
      ),
    );
  return row ? { from: row.before === EMBEDDED ? "embedded" : "inngest", at: row.at } : null;
}

/** Counts unfinished jobs from the oldest on, finished ones from the newest on. */
async function countByState(ctx: Ctx): Promise<BackgroundJobSummary["counts"]> {
  const mine = sql`select state, attempt from job_runs where project_id = ${ctx.projectId}`;
  const newest = sql`order by created_at desc, id desc limit ${COUNTED_UP_TO}`;
  const rows = await ctx.db.execute<Pick<Row, "state" | "attempt"> & { count: number }>(sql`
    select state, least(attempt, 1) as attempt, count(*)::int as count from (
      (${mine} and finished_at is null order by created_at, id limit ${COUNTED_UP_TO})
      union all (${mine} and state in ('failed', 'cancelled') ${newest})
      union all (select * from (${mine} ${newest}) recent where state = 'completed')
    ) counted group by 1, 2`);
  const counts = Object.fromEntries(BACKGROUND_JOB_STATES.map((state) => [state, 0])) as BackgroundJobSummary["counts"];
  for (const row of rows) counts[stateOf(row)] += row.count;
  return counts;
}

/** Returns the earliest due time of unleased runs and undispatched events. */
async function oldestDue(ctx: Ctx) {
  const [row] = await ctx.db.execute<{ oldest: string | null }>(sql`
    with clock as (select ${NOW} as now)
    select least(
      (select min(due_at) from (
        select due_at, lease_token, lease_until from job_runs where project_id = ${ctx.projectId} and finished_at is null
        order by created_at, id limit ${COUNTED_UP_TO}
      ) unfinished where due_at <= now and (lease_token is null or lease_until < now)),
      (select min(greatest(created_at, occurred_at)) from job_events
        where project_id = ${ctx.projectId} and dispatched_at is null)
    ) as oldest from clock`);
  return row?.oldest == null ? null : Number(row.oldest);
}

/** Lists the functions with an index skip scan, so that the cost does not depend on the number of jobs. */
async function functionsOf(ctx: Ctx): Promise<BackgroundJobSummary["functions"]> {
  const rows = await ctx.db.execute<{ id: string }>(sql`
    with recursive found(id) as (
      select min(function_id) from job_runs where project_id = ${ctx.projectId}
      union all
      select (select min(function_id) from job_runs where project_id = ${ctx.projectId} and function_id > found.id)
      from found where found.id is not null
    )
    select id from found where id is not null`);
  return [...rows].map(({ id }) => {
    const { name, afterFailure } = describeFunction(id);
    return { id, name, afterFailure };
  });
}
