import { and, eq, sql } from "drizzle-orm";
import { trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { FAN, LEVELS } from "./metric-points";
import { type MetricSeries, metricsInput, metricsReply } from "./schemas";

type Row = {
  series: string;
  level: number;
  step: number[];
  mean: number[];
  min: number[];
  max: number[];
  at: string[];
};
type Input = { jobId: string; series?: string | undefined; afterStep: number; points: number };

/**
 * Returns each series at its finest level with at most `points` points after `afterStep`. The coarsest level gives the number
 * of points, and the series names take one index probe each, so that the cost does not depend on the training's length.
 */
async function readSeries(
  { db, projectId }: Ctx,
  { jobId, series, afterStep, points }: Input,
): Promise<MetricSeries[]> {
  // Literal values instead of a join: otherwise the planner would read whole jobs.
  const of = sql`p.project_id = ${projectId}::text and p.job_id = ${jobId}::text`;
  const wanted = series === undefined ? sql`true` : sql`names.series = any(${sql.param(series.split(","))}::text[])`;
  const levels = sql.raw(Array.from({ length: LEVELS }, (_, level) => `(${level}, ${FAN ** level})`).join(", "));
  const from = (steps: number | string) => sql`((${afterStep}::bigint + 1) / ${sql.raw(String(steps))})::int`;
  const rows = await db.execute<Row>(sql`
    with recursive names(series) as (
      (select p.series from training_points p where ${of} order by p.series limit 1)
      union all
      select (select p.series from training_points p where ${of} and p.series > names.series order by p.series limit 1)
      from names where names.series is not null)
    select names.series, chosen.level, drawn.*
    from names
    cross join lateral (
      select sum(p.count) points, max(p.step) last from training_points p
      where ${of} and p.series = names.series and p.level = ${LEVELS - 1} and p.bucket >= ${from(FAN ** (LEVELS - 1))}) whole
    cross join lateral (
      select v.level, ${from("v.steps")} as first from (values ${levels}) v(level, steps)
      where v.level = ${LEVELS - 1}
        or least(whole.points, whole.last / v.steps - ${from("v.steps")} + 1) <= ${points}::int
      order by v.level limit 1) chosen
    cross join lateral (
      select array_agg(p.step order by p.bucket) step, array_agg(p.sum / p.count order by p.bucket) mean,
        array_agg(p.min order by p.bucket) min, array_agg(p.max order by p.bucket) max, array_agg(p.at order by p.bucket) at
      from training_points p
      where ${of} and p.series = names.series and p.level = chosen.level and p.bucket >= chosen.first
        and p.step > ${afterStep}::int) drawn
    where names.series is not null and ${wanted} and drawn.step is not null
    order by names.series`);
  return rows.map(({ level, at, ...row }) => ({ ...row, stepsPerPoint: FAN ** level, at: at.map(Number) }));
}

export const getMetrics = verb(
  {
    name: "trainingJobs.metrics",
    summary: "Read the charts of a training job.",
    description:
      "By series, in columns. More points than requested are aggregated: `step` is then the newest step of a point, and `mean`, `min` and `max` are over its steps. Steps that a restarted worker repeated appear once.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: metricsInput,
    reply: metricsReply,
  },
  async (ctx, input) => {
    const { projectId, db } = ctx;
    const isJob = and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.id, input.jobId));
    const [job] = await db.select({ id: trainingJobs.id }).from(trainingJobs).where(isJob);
    if (!job) throw notFound("The training job");
    const metrics = await readSeries(ctx, input);
    const steps = metrics.map(({ step }) => step.at(-1) ?? 0);
    return { metrics, lastStep: steps.length === 0 ? null : Math.max(...steps) };
  },
);
