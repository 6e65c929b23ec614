import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { type Rate, rateDifference, wilson } from "../rules";
import type { FindingFix } from "./schemas";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days before a fix that are compared with as many after it. */
export const DAYS_AROUND_FIX = 14;
/** Minimum conversations for a verdict: with fewer, even the absence of the Finding says little. */
export const FIX_CONVERSATIONS_MIN = 30;
/** A project with more in these days is not counted, which bounds the query's cost. */
const CONVERSATIONS_MAX = 200_000;

type State = { resolvedAt: number | null; regressedAt: number | null };

/** Compares a Finding's rate before it was resolved with its rate since. `null` if there is no fix, or too much to count. */
export async function fixOf(ctx: Ctx, findingId: string, state: State): Promise<FindingFix | null> {
  const at = await fixedAt(ctx, findingId, state);
  if (at === null) return null;
  const [row] = await ctx.db.execute<{
    all: number;
    before: number;
    since: number;
    affected: number;
    again: number;
  }>(sql`
    with around as (
      select id, started_at > ${at}::bigint as is_since from conversations
      where project_id = ${ctx.projectId}
        and started_at >= ${at - DAYS_AROUND_FIX * DAY_MS}::bigint and started_at <= ${at + DAYS_AROUND_FIX * DAY_MS}::bigint
      order by started_at desc limit ${CONVERSATIONS_MAX}
    )
    select count(*)::int as all, count(*) filter (where not is_since)::int as before, count(*) filter (where is_since)::int as since,
      count(o.id) filter (where not is_since)::int as affected, count(o.id) filter (where is_since)::int as again
    from around a left join occurrences o
      on o.project_id = ${ctx.projectId} and o.finding_id = ${findingId} and o.conversation_id = a.id`);
  if (!row || row.all === CONVERSATIONS_MAX) return null;
  const before = { affected: row.affected, conversations: row.before };
  const since = { affected: row.again, conversations: row.since };
  const difference = rateDifference(before, since);
  return { at, before: share(before), since: share(since), difference, verdict: verdictOf(since, difference, state) };
}

const share = (rate: Rate) => ({ ...rate, rate: wilson(rate) });

function verdictOf(since: Rate, difference: FindingFix["difference"], { regressedAt }: State): FindingFix["verdict"] {
  if (regressedAt !== null) return "regressed";
  if (since.conversations < FIX_CONVERSATIONS_MIN || difference === null) return "not_enough";
  return difference.high < 0 ? "proven" : "not_proven";
}

/** Returns when a Finding was last resolved, even if it has regressed since. */
async function fixedAt(ctx: Ctx, findingId: string, { resolvedAt, regressedAt }: State): Promise<number | null> {
  if (resolvedAt !== null || regressedAt === null) return resolvedAt;
  const [regressed] = await ctx.db.execute<{ at: string | null }>(sql`
    select detail ->> 'resolvedAt' as at from finding_events
    where project_id = ${ctx.projectId} and finding_id = ${findingId} and kind = 'regressed'
    order by at desc, id desc limit 1`);
  return regressed?.at ? Number(regressed.at) : null;
}
