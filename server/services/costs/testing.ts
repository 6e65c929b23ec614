import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { runRepricing } from "./repricing/run-repricing";

/** Runs a repricing, or its undo, to completion, one batch at a time. */
export async function runToCompletion(ctx: Ctx, repricingId: string) {
  for (;;) {
    const { done, wait } = await runRepricing(ctx, repricingId, { forMs: 0 });
    if (done) return;
    if (wait) await sleep(20);
  }
}

/** Returns a project's daily costs as stored and as recomputed from its model calls; the two must be equal. */
export async function storedAndRecomputedCosts({ db, projectId }: Ctx) {
  const days = (from: string) => sql`
    select day::text, model, provider, model_price_id, vendor, sum(calls)::int as calls, sum(unpriced)::int as unpriced,
           trim_scale(sum(cost))::text as cost
    from (${sql.raw(from)}) d where project_id = ${projectId}
    group by 1, 2, 3, 4, 5 having sum(calls) <> 0 order by 1, 2, 3, 4, 5`;
  const units = (from: string) => sql`
    select day::text, model, u.key as bucket, trim_scale(sum(u.value::numeric))::text as units
    from (${sql.raw(from)}) d, jsonb_each_text(usage) u where project_id = ${projectId}
    group by 1, 2, 3 having sum(u.value::numeric) <> 0 order by 1, 2, 3`;
  const labels = (from: string) => sql`
    select day::text, label, sum(calls)::int as calls, sum(unpriced)::int as unpriced, trim_scale(sum(cost))::text as cost
    from (${sql.raw(from)}) d where project_id = ${projectId}
    group by 1, 2 having sum(calls) <> 0 order by 1, 2`;
  const labelUnits = (from: string) => sql`
    select day::text, label, u.key as bucket, trim_scale(sum(u.value::numeric))::text as units
    from (${sql.raw(from)}) d, jsonb_each_text(usage) u where project_id = ${projectId}
    group by 1, 2, 3 having sum(u.value::numeric) <> 0 order by 1, 2, 3`;
  const storedLabels =
    "select project_id, day, label, calls, unpriced_calls as unpriced, cost, usage from daily_label_costs";
  // Recomputed from the labels of conversations, which the labels of their calls must equal.
  const recomputedLabels = `
    select m.project_id, (m.started_at / 86400000) * 86400000 as day, coalesce(l.label, '') as label, 1 as calls,
           (m.cost_total is null)::int as unpriced, coalesce(m.cost_total, 0) as cost,
           case jsonb_typeof(m.usage) when 'object' then m.usage else '{}' end as usage
    from model_calls m join conversations c on c.project_id = m.project_id and c.id = m.conversation_id
    left join lateral unnest(c.labels) l(label) on true`;
  const storedDays =
    "select project_id, day, model, provider, model_price_id, vendor, calls, unpriced_calls as unpriced, cost, usage from daily_costs";
  const recomputedDays = `
    select project_id, (started_at / 86400000) * 86400000 as day, coalesce(nullif(response_model, ''), requested_model, '') as model,
           coalesce(provider, '') as provider, coalesce(cost #>> '{model,id}', '') as model_price_id,
           coalesce(cost #>> '{model,provider}', '') as vendor, 1 as calls, (cost_total is null)::int as unpriced,
           coalesce(cost_total, 0) as cost, case jsonb_typeof(usage) when 'object' then usage else '{}' end as usage
    from model_calls`;
  const conversations = await db.execute(sql`
    select c.id, c.cost, c.unpriced_call_count, m.cost as recomputed, coalesce(m.unpriced, 0) as recomputed_unpriced
    from conversations c left join (
      select conversation_id, sum(cost_total) as cost, count(*) filter (where cost_total is null)::int as unpriced
      from model_calls where project_id = ${projectId} group by 1
    ) m on m.conversation_id = c.id
    where c.project_id = ${projectId}
      and (c.cost is distinct from m.cost or c.unpriced_call_count <> coalesce(m.unpriced, 0))`);
  const findings = await db.execute(sql`
    select f.id from findings f left join (
      select o.finding_id, sum(c.cost) as cost, sum(c.unpriced_call_count) as unpriced from occurrences o
      join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
      where o.project_id = ${projectId} group by 1
    ) t on t.finding_id = f.id
    where f.project_id = ${projectId}
      and (f.affected_cost is distinct from t.cost or f.unpriced_call_count <> coalesce(t.unpriced, 0))`);
  const counted = async (from: string, byLabel: string) => ({
    days: [...(await db.execute(days(from)))],
    units: [...(await db.execute(units(from)))],
    labels: [...(await db.execute(labels(byLabel)))],
    labelUnits: [...(await db.execute(labelUnits(byLabel)))],
  });
  return {
    stored: await counted(storedDays, storedLabels),
    recomputed: await counted(recomputedDays, recomputedLabels),
    /** Conversations and Findings whose stored sums differ from those of their calls. */
    inconsistent: [...conversations, ...findings],
  };
}

/** Returns every stored cost of a project as it is in the database. */
export const storedCosts = async ({ db, projectId }: Ctx) => [
  ...(await db.execute<{ span_id: string; cost_total: string | null; cost: object | null }>(
    sql`select span_id, cost_total, cost from model_calls where project_id = ${projectId} order by trace_id, span_id`,
  )),
];
