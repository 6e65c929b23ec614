import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { adjudicatorUsage } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";

/** Maximum usage per UTC day; `null` means no limit. */
export type DailyLimits = { calls: number | null; tokens: number | null; usd: number | null };

/** Returns the limits that the settings of a model connection name. */
export const dailyLimitsOf = (settings: {
  dailyCalls: number | null;
  dailyTokens: number | null;
  dailyUsd: number | null;
}): DailyLimits => ({ calls: settings.dailyCalls, tokens: settings.dailyTokens, usd: settings.dailyUsd });

/** What one call uses. `usd` is `null` when the model has no known price. */
export type CallUsage = { tokens: number; usd: number | null };
type Reservation = { connectionId: string; day: number; reserved: CallUsage };

/** Days since 1970-01-01, UTC. */
const TODAY = sql`(${NOW} / 86400000)::int`;

/**
 * Reserves one call within the day's limits, so that any number of workers together stay within them. Returns `null` when
 * they are exhausted. What a crashed worker reserved stays spent.
 */
export async function reserveCall(
  ctx: Ctx,
  connectionId: string,
  limits: DailyLimits,
  expected: CallUsage,
): Promise<Reservation | null> {
  const usd = expected.usd ?? 0;
  const unpriced = expected.usd === null ? 1 : 0;
  const fits = (before: {
    calls: ReturnType<typeof sql>;
    tokens: ReturnType<typeof sql>;
    usd: ReturnType<typeof sql>;
  }) => sql`
    (${limits.calls}::bigint is null or ${before.calls} + 1 <= ${limits.calls}::bigint)
    and (${limits.tokens}::bigint is null or ${before.tokens} + ${expected.tokens}::bigint <= ${limits.tokens}::bigint)
    and (${limits.usd}::numeric is null or ${before.usd} + ${usd}::numeric <= ${limits.usd}::numeric)`;
  const [row] = await ctx.db.execute<{ day: number }>(sql`
    insert into adjudicator_usage as u (project_id, id, day, calls, tokens, usd, unpriced_calls)
    select ${ctx.projectId}, ${connectionId}, ${TODAY}, 1, ${expected.tokens}::bigint, ${usd}::numeric, ${unpriced}::bigint
    where ${fits({ calls: sql`0`, tokens: sql`0`, usd: sql`0` })}
    on conflict (project_id, id, day) do update set calls = u.calls + 1, tokens = u.tokens + excluded.tokens,
      usd = u.usd + excluded.usd, unpriced_calls = u.unpriced_calls + excluded.unpriced_calls
    where ${fits({ calls: sql`u.calls`, tokens: sql`u.tokens`, usd: sql`u.usd` })}
    returning u.day`);
  return row ? { connectionId, day: row.day, reserved: expected } : null;
}

/** Replaces the usage that a call reserved with what it actually used. The call itself stays counted. */
export async function settleCall(ctx: Ctx, { connectionId, day, reserved }: Reservation, used: CallUsage) {
  const unpriced = (used.usd === null ? 1 : 0) - (reserved.usd === null ? 1 : 0);
  await ctx.db
    .update(adjudicatorUsage)
    .set({
      tokens: sql`${adjudicatorUsage.tokens} + ${used.tokens - reserved.tokens}`,
      usd: sql`${adjudicatorUsage.usd} + ${used.usd ?? 0}::numeric - ${reserved.usd ?? 0}::numeric`,
      unpricedCalls: sql`${adjudicatorUsage.unpricedCalls} + ${unpriced}`,
    })
    .where(
      and(
        eq(adjudicatorUsage.projectId, ctx.projectId),
        eq(adjudicatorUsage.id, connectionId),
        eq(adjudicatorUsage.day, day),
      ),
    );
}

/** Returns the adjudicator's usage of a connection today, including what calls in progress have reserved. */
export async function usedToday(ctx: Pick<Ctx, "db" | "projectId">, connectionId: string) {
  const [row] = await ctx.db
    .select()
    .from(adjudicatorUsage)
    .where(
      and(
        eq(adjudicatorUsage.projectId, ctx.projectId),
        eq(adjudicatorUsage.id, connectionId),
        sql`${adjudicatorUsage.day} = ${TODAY}`,
      ),
    );
  return {
    calls: row?.calls ?? 0,
    tokens: row?.tokens ?? 0,
    usd: Number(row?.usd ?? 0),
    unpricedCalls: row?.unpricedCalls ?? 0,
  };
}
