import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { MODEL_OF_CALL } from "@/server/services/telemetry";
import type { AlertDefinition } from "../types";
import type { MinuteOfCalls } from "./call-window";
import { readCalls, type Span } from "./read-minutes";

/** The calls of a preview of what is not stored by the minute: more take seconds to read. */
const PREVIEWED_CALLS = 300_000;

const within = (column: SQL, { from, to }: Span) =>
  sql`${column} >= ${from}::bigint and ${column} < ${to + MINUTE_MS}::bigint`;
const minuteOf = (column: SQL) => sql`((${column} / ${MINUTE_MS}) * ${MINUTE_MS})::float8`;

/** Returns the costs of a model or a label by day until the day of `since`, each as of the day's first minute, then by minute. */
export async function readMonth(
  ctx: Ctx,
  definition: AlertDefinition,
  { from, to }: Span,
  since: number,
): Promise<MinuteOfCalls[]> {
  const today = Math.floor(since / DAY_MS) * DAY_MS;
  const { model, label } = definition;
  const mine = label === null ? (model === null ? sql`` : sql`and model = ${model}`) : sql`and label = ${label}`;
  const days = await ctx.db.execute<Omit<MinuteOfCalls, "durations">>(sql`
    select day::float8 as minute, sum(calls)::float8 as calls, 0::float8 as errors, sum(unpriced_calls)::float8 as unpriced,
      sum(cost)::float8 as cost
    from ${sql.identifier(label === null ? "daily_costs" : "daily_label_costs")}
    where project_id = ${ctx.projectId} and day >= ${from}::bigint and day < ${today}::bigint ${mine}
    group by day order by day`);
  const minutes = await readCalls(ctx, definition, [{ from: today, to }]);
  return [...[...days].map((day) => ({ ...day, durations: null })), ...minutes];
}

type Top = { minute: number; calls: number; unpriced: number; cost: number };

/**
 * Returns what each minute adds to the calls of the user who cost most on the UTC day until then. `from` begins a day; the sums
 * of a day's minutes are those of that user. A user is known only from the call's conversation.
 */
export async function readDearestUser(
  ctx: Ctx,
  { model, label }: AlertDefinition,
  { from, to }: Span,
): Promise<MinuteOfCalls[]> {
  const tops = await ctx.db.execute<Top>(sql`
    with calls as (
      select c.user_id, ${minuteOf(sql`m.started_at`)} as minute, m.started_at / ${DAY_MS} as day, count(*) as calls,
        count(*) filter (where m.cost_total is null) as unpriced, coalesce(sum(m.cost_total), 0) as cost
      from model_calls m join conversations c on c.project_id = m.project_id and c.id = m.conversation_id
      where m.project_id = ${ctx.projectId} and ${within(sql`m.started_at`, { from, to })} and c.user_id is not null
        ${model === null ? sql`` : sql`and ${MODEL_OF_CALL} = ${model}`}
        ${label === null ? sql`` : sql`and ${label} = any(m.labels)`}
      group by 1, 2, 3
    ), so_far as (
      select minute, sum(calls) over own as calls, sum(unpriced) over own as unpriced, sum(cost) over own as cost
      from calls window own as (partition by user_id, day order by minute)
    )
    select distinct on (minute) minute, calls::float8 as calls, unpriced::float8 as unpriced, cost::float8 as cost
    from so_far order by minute, so_far.cost desc, so_far.calls desc`);
  let top: Top = { minute: -1, calls: 0, unpriced: 0, cost: 0 };
  return [...tops].flatMap((one) => {
    const isNextDay = Math.floor(one.minute / DAY_MS) !== Math.floor(top.minute / DAY_MS);
    const before = isNextDay ? { calls: 0, unpriced: 0, cost: 0 } : top;
    if (!isNextDay && one.cost < top.cost) return [];
    top = one;
    const { minute, calls, unpriced, cost } = one;
    return [
      {
        minute,
        calls: calls - before.calls,
        errors: 0,
        unpriced: unpriced - before.unpriced,
        cost: cost - before.cost,
        durations: null,
      },
    ];
  });
}

/** Returns the conversations that a Finding's Rule has read, as calls, and those with the Finding, as errors, by the minute of their last activity. */
export async function readFindingShare(ctx: Ctx, { findingId }: AlertDefinition, span: Span): Promise<MinuteOfCalls[]> {
  const rows = await ctx.db.execute<Pick<MinuteOfCalls, "minute" | "calls" | "errors">>(sql`
    with recursive merged (id, rule_id, merged_into_id) as (
      select id, rule_id, merged_into_id from findings where project_id = ${ctx.projectId} and id = ${findingId}
      union
      select f.id, f.rule_id, f.merged_into_id from findings f join merged m on f.id = m.merged_into_id
      where f.project_id = ${ctx.projectId}
    )
    select ${minuteOf(sql`c.last_activity_at`)} as minute, count(*)::float8 as calls,
      (count(*) filter (where c.is_affected))::float8 as errors
    from merged f cross join lateral (
      select last_activity_at,
        exists (select 1 from occurrences o
          where o.project_id = c.project_id and o.conversation_id = c.id and o.finding_id = f.id) as is_affected,
        exists (select 1 from rule_runs r where r.project_id = c.project_id and r.conversation_id = c.id
          and r.rule_id = f.rule_id and r.status = 'completed') as is_read
      from conversations c where c.project_id = ${ctx.projectId} and ${within(sql`c.last_activity_at`, span)}
    ) c
    where f.merged_into_id is null and (c.is_affected or c.is_read)
    group by 1 order by 1`);
  return [...rows].map((row) => ({ ...row, unpriced: 0, cost: 0, durations: null }));
}

/** Returns since when a preview of what is not stored by the minute can be read: whole UTC days, with at most 300,000 calls. */
export async function readableSince(ctx: Ctx, { from, to }: Span): Promise<number> {
  const days = await ctx.db.execute<{ day: number; calls: number }>(sql`
    select day::float8 as day, sum(calls)::float8 as calls from daily_costs
    where project_id = ${ctx.projectId} and day >= ${from - DAY_MS}::bigint and day <= ${to}::bigint
    group by day order by day desc`);
  let calls = 0;
  for (const one of days) {
    calls += one.calls;
    if (calls > PREVIEWED_CALLS) return Math.max(from, Math.min(one.day + DAY_MS, Math.floor(to / DAY_MS) * DAY_MS));
  }
  return from;
}
