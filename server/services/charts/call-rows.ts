import { and, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { conversations, modelCalls } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { costsByUser, countStaleCalls } from "@/server/services/costs";
import { MODEL_OF_CALL, matchesItself, tokensIn } from "@/server/services/telemetry";
import { type ChartQuery, type ChartRows, isEmpty, limitOf, valuesOf } from "./rows";

/** Returns the calls of a range: from the daily sums where they have all that is asked, else the newest one by one. */
export const callRows = async (ctx: Ctx, query: ChartQuery): Promise<ChartRows> =>
  (await dailyRows(ctx, query)) ?? newestRows(ctx, query);

/**
 * `daily_costs` knows model and provider of a call, `daily_label_costs` its label, `daily_user_costs` its user, and none anything
 * shorter than a day.
 */
async function dailyRows(ctx: Ctx, { measure, group, filters, step, from, to }: ChartQuery): Promise<ChartRows | null> {
  const { model, provider, userId, ...others } = filters;
  const isSummed = measure === "calls" || measure === "tokens" || measure === "cost";
  if (!isSummed || !isEmpty(others) || step === "hour") return null;
  const byLabel = group === "label" && isEmpty(filters);
  const byUser = isEmpty({ model, provider }) && (group === "user" || (group === undefined && userId !== undefined));
  if (userId !== undefined && !byUser) return null;
  if (group !== undefined && group !== "model" && group !== "provider" && !byLabel && !byUser) return null;
  const of = (table: SQL, key: SQL) => sql`
    select d.day as at, array[${key}] as keys, d.calls, ${measure === "cost" ? sql`d.unpriced_calls` : sql`0`} as unknown,
      ${measure === "tokens" ? tokensIn(sql`d.usage`) : sql`d.cost`} as value, null::boolean as hit, true as matches
    from ${table} d
    where ${and(
      byUser ? undefined : sql`d.project_id = ${ctx.projectId} and d.day >= ${from}::bigint and d.day < ${to}::bigint`,
      model && sql`d.model = any(${textArray(model)})`,
      provider && sql`d.provider = any(${textArray(provider)})`,
      userId === undefined ? sql`true` : sql`d.user_id = ${userId}`,
    )}`;
  if (byUser) {
    // After a repricing of the past, for some minutes.
    if ((await countStaleCalls(ctx, { from, to })) > limitOf(filters)) return null;
    const { ctes, table } = costsByUser(ctx, { from, to });
    return { rows: sql`with ${ctes} daily as (${of(table, sql`d.user_id`)}) select * from daily`, limit: null };
  }
  const totals = of(sql`daily_costs`, sql.raw(`d.${group === "provider" ? "provider" : "model"}`));
  return byLabel
    ? { rows: of(sql`daily_label_costs`, sql`d.label`), totals, limit: null }
    : { rows: totals, limit: null };
}

/** As in the daily sums. */
const OF_CALL = {
  model: MODEL_OF_CALL,
  provider: sql`coalesce(m.provider, '')`,
};
const DURATION = sql`(m.ended_at - m.started_at)`;

const VALUES: Partial<Record<ChartQuery["measure"], SQL>> = {
  tokens: tokensIn(sql`case jsonb_typeof(m.usage) when 'object' then m.usage else '{}' end`),
  cost: sql`m.cost_total`,
  latency_p50: DURATION,
  latency_p95: DURATION,
};

function newestRows({ projectId }: Ctx, { measure, group, filters, from, to }: ChartQuery): ChartRows {
  const { model, provider, ...ofConversation } = filters;
  const limit = limitOf(filters);
  const keys = group === "model" || group === "provider" ? sql`array[${OF_CALL[group]}]` : valuesOf(group);
  const matches = and(
    model && sql`${OF_CALL.model} = any(${textArray(model)})`,
    provider && sql`${OF_CALL.provider} = any(${textArray(provider)})`,
    matchesItself(ofConversation),
  );
  const rows = sql`
    select m.started_at as at, ${keys} as keys, 1 as calls, ${measure === "cost" ? sql`(m.cost_total is null)::int` : sql`0`} as unknown,
      (${VALUES[measure] ?? sql`null`})::numeric as value,
      ${measure === "error_rate" ? sql`m.status = 'error'` : sql`null::boolean`} as hit, ${matches} as matches
    from (
      select * from ${modelCalls}
      where project_id = ${projectId} and started_at >= ${from}::bigint and started_at < ${to}::bigint
      order by started_at desc limit ${sql.raw(String(limit + 1))}
    ) m
    join ${conversations} on ${conversations.projectId} = m.project_id and ${conversations.id} = m.conversation_id`;
  return { rows, limit };
}
