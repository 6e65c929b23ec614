import { and, eq, sql } from "drizzle-orm";
import { callBaselines } from "@/db/schema";
import type { ModelBaseline, Quantiles } from "@/db/schema/json";
import { insertOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { readSnapshots, type Snapshot, type SnapshotContent } from "@/server/services/telemetry";
import type { ProjectBaseline } from "../types";

/** Maximum calls and conversations read from before a day: recent enough to be typical, few enough to read in one query. */
const NEWEST = 5_000;
/** With fewer, the 99th percentile is the largest value. */
const FEWEST = 50;
/** Maximum number of a project's models with a baseline: those with the most calls. */
const MODELS = 50;

const dayOf = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;

export type DiagnosedSnapshot = SnapshotContent & { baseline: ProjectBaseline };

/** Returns snapshots in the order requested, each with what was usual in the project before the day (UTC) on which it began. */
export async function snapshotsWithBaseline(
  ctx: Ctx,
  wanted: readonly Snapshot[],
): Promise<(DiagnosedSnapshot | undefined)[]> {
  const read = await readSnapshots(ctx, wanted);
  const baselines = new Map<number, ProjectBaseline>();
  for (const day of new Set(read.flatMap((one) => (one ? [dayOf(one.startedAt)] : [])))) {
    baselines.set(day, await baselineBefore(ctx, day));
  }
  return read.map((one) => one && { ...one, baseline: baselines.get(dayOf(one.startedAt))! });
}

/** Returns what was usual in the project before the day (UTC) of this time. */
export const baselineOf = (ctx: Ctx, startedAt: number): Promise<ProjectBaseline> =>
  baselineBefore(ctx, dayOf(startedAt));

/** Returns the day's baseline, which is computed and stored when it is first needed. */
async function baselineBefore(ctx: Ctx, day: number): Promise<ProjectBaseline> {
  const known = await stored(ctx, day);
  if (known) return known;
  const computed = { models: await modelsBefore(ctx, day), conversationCost: await conversationCostBefore(ctx, day) };
  await ctx.db.execute(
    insertOf(callBaselines, {
      same: { project_id: ctx.projectId },
      rows: [{ day, models: computed.models, conversation_cost: computed.conversationCost }],
      left: ["created_at"],
      onConflict: "nothing",
    }),
  );
  // Another process may have stored its own first; every Run must read the same row.
  return (await stored(ctx, day)) ?? computed;
}

async function stored(ctx: Ctx, day: number): Promise<ProjectBaseline | undefined> {
  const [row] = await ctx.db
    .select({ models: callBaselines.models, conversationCost: callBaselines.conversationCost })
    .from(callBaselines)
    .where(and(eq(callBaselines.projectId, ctx.projectId), eq(callBaselines.day, day)));
  return row;
}

const QUANTILES = sql.raw("array[0.5, 0.95, 0.99]");
const quantilesOf = (n: string | number, [p50, p95, p99]: readonly number[]): Quantiles => ({
  n: Number(n),
  p50: p50!,
  p95: p95!,
  p99: p99!,
});

type ModelRow = {
  provider: string | null;
  model: string;
  calls: string;
  durations: number[];
  with_tokens: string;
  per_token: number[] | null;
};

async function modelsBefore(ctx: Ctx, day: number): Promise<ModelBaseline[]> {
  const rows = await ctx.db.execute<ModelRow>(sql`
    with newest as (
      select provider, coalesce(nullif(response_model, ''), requested_model) as model, type, status, ended_at - started_at as ms,
        coalesce((usage->>'output_tokens')::double precision, 0)
          + coalesce((usage->>'reasoning_output_tokens')::double precision, 0) as tokens
      from model_calls
      where project_id = ${ctx.projectId} and started_at < ${day}
      order by started_at desc limit ${NEWEST})
    select provider, model, count(*) as calls,
      percentile_cont(${QUANTILES}) within group (order by ms) as durations,
      count(*) filter (where tokens > 0) as with_tokens,
      percentile_cont(${QUANTILES}) within group (order by ms / nullif(tokens, 0)) as per_token
    from newest
    where status = 'ok' and type = 'llm' and model <> '' and ms >= 0
    group by provider, model having count(*) >= ${FEWEST}
    order by count(*) desc, model, provider limit ${MODELS}`);
  return [...rows].map((row) => ({
    provider: row.provider,
    model: row.model,
    durationMs: quantilesOf(row.calls, row.durations),
    msPerToken: row.per_token && Number(row.with_tokens) >= FEWEST ? quantilesOf(row.with_tokens, row.per_token) : null,
  }));
}

async function conversationCostBefore(ctx: Ctx, day: number): Promise<Quantiles | null> {
  const [row] = await ctx.db.execute<{ n: string; costs: number[] | null }>(sql`
    with newest as (
      select cost from conversations
      where project_id = ${ctx.projectId} and started_at < ${day}
      order by started_at desc, id desc limit ${NEWEST})
    select count(cost) as n, percentile_cont(${QUANTILES}) within group (order by cost::double precision) as costs
    from newest where cost > 0`);
  return row?.costs && Number(row.n) >= FEWEST ? quantilesOf(row.n, row.costs) : null;
}

/** Deletes baselines of days before `before` (Unix ms). */
export async function deleteBaselinesBefore(ctx: Ctx, before: number): Promise<void> {
  await ctx.db
    .delete(callBaselines)
    .where(and(eq(callBaselines.projectId, ctx.projectId), sql`${callBaselines.day} < ${before}`));
}
