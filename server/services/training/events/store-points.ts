import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { FAN, LEVELS, type Point } from "./metric-points";

type Job = { projectId: string; id: string };

/**
 * Deletes a series' points from `step` on, and recomputes the buckets that began before it from the remaining points: a
 * restarted worker repeats steps, and a chart shows the ones that led to the final weights.
 */
async function rewind(db: Db, { projectId, id }: Job, series: string, step: number): Promise<void> {
  const of = sql`project_id = ${projectId} and job_id = ${id} and series = ${series}`;
  await db.execute(sql`delete from training_points where ${of} and level = 0 and bucket >= ${step}::int`);
  for (let level = 1, from = Math.floor(step / FAN); level < LEVELS; level++, from = Math.floor(from / FAN)) {
    await db.execute(sql`delete from training_points where ${of} and level = ${level}::int and bucket >= ${from}::int`);
    await db.execute(sql`
      insert into training_points (project_id, job_id, series, level, bucket, count, sum, min, max, step, value, at)
      select ${projectId}, ${id}, ${series}, ${level}::int, ${from}::int, sum(count), sum(sum), min(min), max(max),
        max(step), (array_agg(value order by step desc))[1], (array_agg(at order by step desc))[1]
      from training_points
      where ${of} and level = ${level - 1}::int and bucket >= ${from * FAN}::int
      having count(*) > 0`);
  }
}

/** Returns which of these series already have points at or after their first new step. */
async function repeated(db: Db, { projectId, id }: Job, first: ReadonlyMap<string, number>): Promise<string[]> {
  const rows = await db.execute<{ series: string }>(sql`
    select f.series from unnest(${sql.param([...first.keys()])}::text[], ${sql.param([...first.values()])}::int[]) f(series, step)
    where exists (select 1 from training_points p
      where p.project_id = ${projectId} and p.job_id = ${id} and p.series = f.series and p.level = 0 and p.bucket >= f.step)`);
  return rows.map(({ series }) => series);
}

/** Adds points to a job's charts; points of repeated steps first remove everything stored from there on. */
export async function storePoints(
  db: Db,
  job: Job,
  points: readonly Point[],
  first: ReadonlyMap<string, number>,
): Promise<void> {
  if (points.length === 0) return;
  for (const series of await repeated(db, job, first)) await rewind(db, job, series, first.get(series) ?? 0);
  const column = <Key extends keyof Point>(key: Key) => sql.param(points.map((point) => point[key]));
  await db.execute(sql`
    insert into training_points as p (project_id, job_id, series, level, bucket, count, sum, min, max, step, value, at)
    select ${job.projectId}, ${job.id}, n.* from unnest(
      ${column("series")}::text[], ${column("level")}::smallint[], ${column("bucket")}::int[], ${column("count")}::int[],
      ${column("sum")}::float8[], ${column("min")}::float8[], ${column("max")}::float8[], ${column("step")}::int[],
      ${column("value")}::float8[], ${column("at")}::bigint[]) n
    on conflict (project_id, job_id, series, level, bucket) do update set
      count = p.count + excluded.count, sum = p.sum + excluded.sum,
      min = least(p.min, excluded.min), max = greatest(p.max, excluded.max),
      step = excluded.step, value = excluded.value, at = excluded.at`);
}
