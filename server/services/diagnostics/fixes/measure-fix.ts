import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { type Ctx, hasCapability } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { startOfDay } from "../findings/counts/occurrence-changes";
import {
  kindOfReadings,
  type Readings,
  type RuleHistory,
  readingOf,
  readingsOf,
  ruleHistory,
  rulesOfFinding,
} from "../findings/readings";
import type { FindingFix } from "../findings/schemas";
import { NOW_DAYS, wilson } from "../rules";
import { hasAnyOf, type Mark, valuesWithFix } from "./marks";
import { type DayCount, type Watched, watch, worseOf } from "./watch";

/** Days before a fix that are compared with what came since: more if these cannot prove even a complete fix. */
export const DAYS_BEFORE_FIX = [28, 56] as const;
export const DAYS_SINCE_FIX = 56;
/** A project with more in these days is not counted, which bounds the query's cost. */
const CONVERSATIONS_MAX = 200_000;
/** A label or model of fewer conversations, before and since, cannot change a rate by more than two points. */
const COMMON = 0.02;
/** Below this share of their former number, conversations with the models from before have been replaced. */
const REPLACED = 0.1;
/** Feedback about a conversation comes within this time. */
const FEEDBACK_MS = 48 * 60 * 60 * 1000;
const BY_FEEDBACK = "negative_feedback";

/** A fix that went out. */
export type StartedFix = {
  id: string;
  findingId: string;
  signal: string;
  /** By what the conversations with it are known; null: they began after `startedAt`. */
  mark: Mark | null;
  startedAt: number;
};

/** The first millisecond of conversations that are compared as those since. */
export const sinceOf = ({ mark, startedAt }: Pick<StartedFix, "mark" | "startedAt">) =>
  mark === null ? startedAt + 1 : startedAt;

/** Compares a Finding's rate before a fix went out with its rate since. `null` if there is too much to count. */
export async function measureFix(ctx: Ctx, started: StartedFix): Promise<FindingFix | null> {
  const history = await ruleHistory(ctx, await rulesOfFinding(ctx, started.findingId));
  const values = await valuesWithFix(ctx, started);
  let fix: FindingFix | null = null;
  for (const days of DAYS_BEFORE_FIX) {
    const counted = await countsAround(ctx, { fix: started, values, days, history });
    if (counted === null) return fix;
    fix = await fixIn(ctx, { started, values, days, history, counted });
    if (fix.needed !== null) return fix;
  }
  return fix;
}

type Count = {
  is_since: boolean;
  /** Start of its 24 hours, counted from the fix: of a part of a day, a few conversations would vary more than chance. */
  day: number;
  models: string[];
  labels: string[];
  readings: Readings;
  /** Began since, but without the fix. */
  is_without: boolean;
  conversations: number;
  affected: number;
  /** Of those of which every call has a price. */
  cost: number;
  priced: number;
};

type Around = { fix: StartedFix; values: readonly string[]; days: number; history: RuleHistory };

/**
 * Counts conversations by day, kind and reading; `null` if there are too many. What marks the fix is no kind: a model replaces
 * others, and a label is on one side only.
 */
async function countsAround(ctx: Ctx, { fix, values, days, history }: Around): Promise<Count[] | null> {
  const { findingId, mark, startedAt } = fix;
  const since = sinceOf(fix);
  const waits = fix.signal === BY_FEEDBACK;
  const models = mark?.by === "model" ? sql`'{}'::text[]` : sql`c.models`;
  const labels = mark?.by === "label" ? sql`array_remove(c.labels, ${mark.value})` : sql`c.labels`;
  const common = (column: SQL) => sql`
    select array_agg(value) from (
      select value from around, sizes, unnest(${column}) value where not is_without
      group by value having count(*) filter (where not is_since) >= ${COMMON}::float8 * max(sizes.before)
        or count(*) filter (where is_since) >= ${COMMON}::float8 * max(sizes.since)) often`;
  const only = (column: SQL, kept: SQL) => sql`array(
    select value from unnest(${column}) value where value = any(${kept}) order by 1)`;
  const rows = await ctx.db.execute<Count & { day: string }>(sql`
    with around as materialized (
      select c.id, c.started_at, c.started_at >= ${since}::bigint as is_since, ${models} as models, ${labels} as labels,
        ${mark === null ? sql`false` : sql`c.started_at >= ${since}::bigint and not ${hasAnyOf(mark.by, values)}`} as is_without,
        case when c.unpriced_call_count = 0 then c.cost end as cost
      from conversations c
      where project_id = ${ctx.projectId} and started_at >= ${startedAt - days * DAY_MS}::bigint
        and started_at <= ${startedAt + DAYS_SINCE_FIX * DAY_MS}::bigint
        ${waits ? sql`and last_activity_at <= ${NOW} - ${FEEDBACK_MS}::bigint` : sql``}
      order by started_at desc limit ${CONVERSATIONS_MAX}
    ),
    sizes as (
      select greatest(1, count(*) filter (where not is_since)) as before,
        greatest(1, count(*) filter (where is_since and not is_without)) as since
      from around
    ),
    often as (select (${common(sql`models`)}) as models, (${common(sql`labels`)}) as labels)
    select a.is_since, a.is_without,
      ${since}::bigint + floor((a.started_at - ${since}::bigint)::float8 / ${DAY_MS})::bigint * ${DAY_MS} as day,
      ${only(sql`a.models`, sql`often.models`)} as models,
      ${only(sql`a.labels`, sql`often.labels`)} as labels, read.readings, count(*)::int as conversations,
      count(o.id)::int as affected, coalesce(sum(a.cost), 0)::float8 as cost, count(a.cost)::int as priced
    from often cross join around a
    left join lateral (${readingsOf(ctx, history, sql`a.id`)}) read on true
    left join occurrences o
      on o.project_id = ${ctx.projectId} and o.finding_id = ${findingId} and o.conversation_id = a.id
    group by 1, 2, 3, 4, 5, 6`);
  const counts = [...rows].map((row) => ({ ...row, day: Number(row.day) }));
  return totalOf(counts) >= CONVERSATIONS_MAX ? null : counts;
}

const totalOf = (counts: readonly Count[]) => counts.reduce((sum, { conversations }) => sum + conversations, 0);

type Counted = {
  started: StartedFix;
  values: readonly string[];
  days: number;
  history: RuleHistory;
  counted: readonly Count[];
};

async function fixIn(ctx: Ctx, { started, values, days, history, counted }: Counted): Promise<FindingFix> {
  const { id, findingId, mark, startedAt: at } = started;
  const having = counted.filter((one) => !one.is_without);
  const read = comparable(having, history);
  const { watched, by, isCalm, kept } = compared(read, await peaksOf(ctx, findingId, at, days), started);
  const without = (isSince: boolean) => {
    const on = (some: readonly Count[]) => totalOf(some.filter((one) => one.is_since === isSince));
    return on(having) - on(read);
  };
  const seesCosts = hasCapability(ctx, ["model-pricing:read"]);
  return {
    id,
    at,
    by: mark?.by ?? null,
    value: mark?.value ?? null,
    laterVersions: values.slice(1),
    days,
    before: shareOf(watched.before),
    since: shareOf(watched.since),
    difference: watched.difference,
    verdict: watched.verdict,
    needed: watched.needed,
    notRead: { before: without(false), since: without(true) },
    withoutPast: watched.withoutPast,
    withoutSince: watched.withoutSince,
    withoutFix: totalOf(counted) - totalOf(having),
    cost: seesCosts ? { before: meanCost(kept, false), since: meanCost(kept, true) } : { before: null, since: null },
    comparedBy: by,
    calmPast: isCalm,
    readings: (read[0]?.readings ?? []).map(readingOf),
  };
}

function meanCost(counts: readonly Count[], isSince: boolean): number | null {
  const side = counts.filter((one) => one.is_since === isSince);
  const priced = side.reduce((sum, one) => sum + one.priced, 0);
  return priced === 0 ? null : side.reduce((sum, { cost }) => sum + cost, 0) / priced;
}

const shareOf = (rate: Watched["before"]) => ({ ...rate, rate: wilson(rate) });

/**
 * Returns the counts of conversations in which the Rules find the same, by version and settings: of several such groups the one
 * with which most can be compared. A Rule that reads less, or otherwise, than before does not make a Finding rarer.
 */
function comparable(counts: readonly Count[], history: RuleHistory): Count[] {
  const groups = Map.groupBy(counts, ({ readings }) => kindOfReadings(history, readings));
  groups.delete(null);
  const sizeOf = (some: readonly Count[]) => {
    const since = totalOf(some.filter((one) => one.is_since));
    const before = totalOf(some) - since;
    return [(before * since) / (before + since), before + since] as const;
  };
  const [best] = [...groups.values()]
    .map((some) => ({ some, size: sizeOf(some) }))
    .sort((a, b) => b.size[0] - a.size[0] || b.size[1] - a.size[1]);
  return best?.some ?? [];
}

type Peak = { from: number; until: number };

/** Compares by model and labels, or by labels alone where the change replaced the models; and with the calm days alone. */
function compared(counts: readonly Count[], peaks: readonly Peak[], { mark, startedAt }: StartedFix) {
  const kindOf = ({ labels, models }: Count, withModels: boolean) =>
    JSON.stringify(withModels ? [labels, models] : [labels]);
  const dayCounts = (withModels: boolean): DayCount[] =>
    counts.map((one) => ({
      isSince: one.is_since,
      day: one.day,
      kind: kindOf(one, withModels),
      conversations: one.conversations,
      affected: one.affected,
    }));
  const isReplaced = mark?.by === "model" || modelsAreReplaced(counts, dayCounts(true), startedAt);
  const all = dayCounts(!isReplaced);
  const calm = all.filter(
    ({ day, isSince }) => isSince || !peaks.some(({ from, until }) => day + DAY_MS > from && day < until),
  );
  const whole = watch(all);
  const watched = peaks.length === 0 ? whole : worseOf(whole, watch(calm));
  return {
    watched,
    by: isReplaced ? ("labels" as const) : ("model_and_labels" as const),
    isCalm: watched !== whole,
    kept: counts.filter((one) => watched.kinds.has(kindOf(one, !isReplaced))),
  };
}

/**
 * Returns whether hardly any conversation since has the models from before. If those continue beside a new model, only they are
 * compared, because what the new one serves may be other traffic.
 */
function modelsAreReplaced(counts: readonly Count[], byModel: readonly DayCount[], at: number): boolean {
  const { before, since, withoutPast, withoutSince } = watch(byModel);
  if (withoutPast === 0) return false;
  const days = counts.map(({ day }) => day);
  const daysBefore = Math.max(1, (at - Math.min(...days)) / DAY_MS);
  const daysSince = Math.max(1, (Math.max(...days) + DAY_MS - at) / DAY_MS);
  return since.conversations / daysSince < REPLACED * ((before.conversations + withoutSince) / daysBefore);
}

/** Returns the days before the fix in which the Finding escalated: a rate at its peak falls without any fix. */
async function peaksOf(ctx: Ctx, findingId: string, at: number, days: number): Promise<Peak[]> {
  const rows = await ctx.db.execute<{ kind: "escalating" | "calmed"; at: string }>(sql`
    select kind, at from finding_events
    where project_id = ${ctx.projectId} and finding_id = ${findingId} and kind in ('escalating', 'calmed')
      and at >= ${at - days * DAY_MS}::bigint and at <= ${at}::bigint
    order by at, id`);
  const peaks: Peak[] = [];
  for (const row of rows) {
    const open = peaks.at(-1);
    if (row.kind === "escalating") peaks.push({ from: startOfDay(Number(row.at)) - NOW_DAYS * DAY_MS, until: at });
    else if (open) open.until = Number(row.at);
  }
  return peaks;
}
