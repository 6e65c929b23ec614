import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import type { AlertDefinition } from "../types";
import type { MinuteOfCalls } from "./call-window";

/** Times as `[from, to]`, whole minutes. */
export type Span = { from: number; to: number };

/** The days of calls by minute that are kept; what writes them (`keep-minute-calls.sql`) has the same number. */
const KEPT_DAYS = 60;
const ROWS_A_STATEMENT = 5_000;

const bigints = (values: readonly number[]) => sql`${textArray(values.map(String))}::bigint[]`;

/** Joins spans that overlap, so that no minute is read twice. */
export function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && span.from <= last.to + MINUTE_MS) last.to = Math.max(last.to, span.to);
    else all.push({ ...span });
  }
  return all;
}

type Row = Omit<MinuteOfCalls, "durations">;

/** Returns the minutes of some spans that have calls, in order, with their durations if the measure needs them. */
export async function readCalls(
  ctx: Ctx,
  { measure, model, label }: Pick<AlertDefinition, "measure" | "model" | "label">,
  spans: readonly Span[],
): Promise<MinuteOfCalls[]> {
  // Without `offset 0`, the planner reads all minutes for a few spans.
  const from = sql`
    from unnest(${bigints(spans.map((span) => span.from))}, ${bigints(spans.map((span) => span.to))}) as span(first, last)
    cross join lateral (select * from minute_calls where project_id = ${ctx.projectId}
      and minute >= span.first and minute <= span.last
      ${model === null ? sql`` : sql`and model = ${model}`}
      ${label === null ? sql`` : sql`and ${label} = any(labels)`} offset 0) m`;
  const rows = await ctx.db.execute<Row>(sql`
    select m.minute::float8 as minute, sum(m.calls)::float8 as calls, sum(m.errors)::float8 as errors,
      sum(m.unpriced_calls)::float8 as unpriced, sum(m.cost)::float8 as cost
    ${from} group by m.minute order by m.minute`);
  if (measure !== "latency_p95") return [...rows].map((row) => ({ ...row, durations: null }));
  const buckets = await ctx.db.execute<{ minute: number; durations: Record<string, number> }>(sql`
    select minute, jsonb_object_agg(bucket, calls) as durations from (
      select m.minute::float8 as minute, d.key as bucket, sum(d.value::bigint) as calls
      ${from} cross join jsonb_each_text(m.durations) d group by m.minute, d.key having sum(d.value::bigint) <> 0
    ) b group by minute`);
  const durationsOf = new Map([...buckets].map(({ minute, durations }) => [minute, durations]));
  return [...rows].map((row) => ({ ...row, durations: durationsOf.get(row.minute) ?? {} }));
}

/** Returns the first minute with calls of a project that is still kept; `null` if there is none. */
export async function firstMinute(ctx: Ctx): Promise<number | null> {
  const [row] = await ctx.db.execute<{ minute: number | null }>(
    sql`select min(minute)::float8 as minute from minute_calls where project_id = ${ctx.projectId}`,
  );
  return row?.minute ?? null;
}

/**
 * Returns when telemetry arrived: the last arrival before a span, and the last of each minute in it. One look at the index per
 * minute, however much arrived.
 */
export async function readArrivals(ctx: Ctx, { from, to }: Span): Promise<number[]> {
  const arrival = (condition: ReturnType<typeof sql>) => sql`
    select created_at from ingest_receipts where project_id = ${ctx.projectId} and stored > 0 and ${condition}
    order by created_at desc, id desc limit 1`;
  const rows = await ctx.db.execute<{ at: number }>(sql`
    select created_at::float8 as at from (${arrival(sql`created_at < ${from}::bigint`)}) before
    union all
    select r.created_at::float8 from generate_series(${from}::bigint, ${to}::bigint, ${MINUTE_MS}::bigint) as m(minute)
    cross join lateral (${arrival(sql`created_at >= m.minute and created_at < m.minute + ${MINUTE_MS}::bigint`)}) r
    order by 1`);
  return [...rows].map(({ at }) => at);
}

/** Deletes calls by minute that no alert compares with any more. Returns the number of rows. */
export async function deleteOldMinutes(ctx: Ctx, now: number): Promise<number> {
  const gone = await ctx.db.execute(sql`
    delete from minute_calls where project_id = ${ctx.projectId} and id in (
      select id from minute_calls where project_id = ${ctx.projectId} and minute < ${now - KEPT_DAYS * DAY_MS}::bigint
      limit ${ROWS_A_STATEMENT}) returning id`);
  return gone.length;
}
