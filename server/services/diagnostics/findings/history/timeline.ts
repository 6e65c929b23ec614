import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { VERSION_ATTRIBUTES } from "@/server/services/telemetry";
import { latestFix } from "../../fixes/latest-fix";
import { DAYS_BEFORE_FIX, DAYS_SINCE_FIX } from "../../fixes/measure-fix";
import { wilson } from "../../rules";
import { startOfDay } from "../counts/occurrence-changes";
import { mergedWith } from "../merged-with";
import { kindOfReadings, type Readings, readingsOf, ruleHistory, rulesOfFinding } from "../readings";
import { type FindingMarker, timelineInput, timelineReply } from "../schemas";

const DAYS = 30;
/** Days after the last detection, which show whether it stopped. */
const DAYS_AFTER = 14;
/** Rates cover at most this many of the newest conversations, which bounds the query's cost. */
const CONVERSATIONS_MAX = 200_000;
const MARKERS_MAX = 50;

/** Whole days (UTC), the end exclusive. */
type Days = { from: number; until: number };

export const findingTimeline = verb(
  {
    name: "findings.timeline",
    summary: "Read a Finding's rate by day, and what changed on these days.",
    description: `${DAYS} days (UTC), up to today or to ${DAYS_AFTER} days after it was last seen. \`rate\` is the share of those of the day's conversations that the Finding's Rules read, in the version and with the settings that they used last, with its 95% interval (Wilson); without such conversations, and for days before the newest ${CONVERSATIONS_MAX.toLocaleString("en")} of them, it is \`null\`. \`markers\` are the first spans of a service's version or release (${VERSION_ATTRIBUTES.map((name) => `\`${name}\``).join(", ")} of the resource), the first days of a model, the Finding's own handoffs, resolutions and regressions, and the commits and pull requests that name its tickets. \`fix\` compares the conversations that started up to ${DAYS_BEFORE_FIX[0]} days (${DAYS_BEFORE_FIX[1]} where it is rare) before the newest fix went out with those since, up to ${DAYS_SINCE_FIX} days: all, if it is that the Finding was resolved, otherwise those with the fix's version (or a later one of that service), prompt, model or label. Only conversations that the same version of its Rules read with the same settings count, and each kind of conversation (model and labels) is compared with itself. \`proven\`: the rate fell, with limits that hold however often they are looked at; \`not_proven\`: it did not even halve; \`not_enough\`: neither can be said yet, and \`needed\` says how many conversations it takes; \`regressed\`: it has come back after it was resolved.`,
    effect: "read",
    capability: "diagnostics:read",
    input: timelineInput,
    reply: timelineReply,
  },
  async (ctx, { findingId }) => {
    const [row] = await ctx.db
      .select({
        lastDetectedAt: findings.lastDetectedAt,
        now: sql<string>`${NOW}`,
      })
      .from(findings)
      .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
    if (!row) throw notFound("Finding");
    const days = daysAround(row.lastDetectedAt, Number(row.now));
    const [fix, affected, all, ...markers] = await Promise.all([
      latestFix(ctx, findingId),
      affectedByDay(ctx, findingId, days),
      conversationsByDay(ctx, findingId, days),
      newVersions(ctx, days),
      newModels(ctx, days),
      ownMarkers(ctx, findingId, days),
      codeMarkers(ctx, findingId, days),
    ]);
    return {
      fix,
      days: Array.from({ length: DAYS }, (_, index) => {
        const day = days.from + index * DAY_MS;
        const count = affected.get(day) ?? 0;
        const counted = all(day);
        return {
          day,
          affected: count,
          conversations: counted && Math.max(counted.conversations, count),
          read: counted?.read ?? null,
          readAffected: counted?.readAffected ?? null,
          rate: counted && wilson({ affected: counted.readAffected, conversations: counted.read }),
        };
      }),
      markers: markers.flat().sort((a, b) => a.at - b.at),
    };
  },
);

function daysAround(lastDetectedAt: number, now: number): Days {
  const last = startOfDay(lastDetectedAt);
  const end = Math.max(last, Math.min(startOfDay(now), last + DAYS_AFTER * DAY_MS));
  return { from: end - (DAYS - 1) * DAY_MS, until: end + DAY_MS };
}

async function affectedByDay(ctx: Ctx, findingId: string, { from, until }: Days): Promise<Map<number, number>> {
  const rows = await ctx.db.execute<{ day: string; conversations: number }>(sql`
    select day, conversations from finding_days
    where project_id = ${ctx.projectId} and finding_id = ${findingId} and day >= ${from} and day < ${until}`);
  return new Map([...rows].map(({ day, conversations }) => [Number(day), conversations]));
}

type ReadDay = { conversations: number; read: number; readAffected: number };
type Row = { day: string; readings: Readings; conversations: number; affected: number };

/**
 * Returns a function from a day to the number of its conversations, and of those read like the newest ones; `null` for a day
 * that was only partly counted.
 */
async function conversationsByDay(ctx: Ctx, findingId: string, { from, until }: Days) {
  const history = await ruleHistory(ctx, await rulesOfFinding(ctx, findingId));
  const rows = await ctx.db.execute<Row>(sql`
    with newest as materialized (
      select id, (last_activity_at / ${DAY_MS}) * ${DAY_MS} as day from conversations
      where project_id = ${ctx.projectId} and last_activity_at >= ${from}::bigint and last_activity_at < ${until}::bigint
      order by last_activity_at desc limit ${CONVERSATIONS_MAX}
    )
    select n.day, read.readings, count(*)::int as conversations, count(o.id)::int as affected
    from newest n left join lateral (${readingsOf(ctx, history, sql`n.id`)}) read on true
    left join occurrences o
      on o.project_id = ${ctx.projectId} and o.finding_id = ${findingId} and o.conversation_id = n.id
    group by 1, 2 order by 1`);
  const kinds = [...rows].map((row) => ({ ...row, day: Number(row.day), kind: kindOfReadings(history, row.readings) }));
  const newest = kinds.findLast(({ kind }) => kind !== null)?.kind;
  const days = new Map<number, ReadDay>();
  for (const { day, kind, conversations, affected } of kinds) {
    const known = days.get(day) ?? { conversations: 0, read: 0, readAffected: 0 };
    days.set(day, {
      conversations: known.conversations + conversations,
      read: known.read + (kind === newest ? conversations : 0),
      readAffected: known.readAffected + (kind === newest ? affected : 0),
    });
  }
  const counted = kinds.reduce((sum, { conversations }) => sum + conversations, 0);
  const wholeSince = counted < CONVERSATIONS_MAX ? from : kinds[0]!.day + DAY_MS;
  return (day: number): ReadDay | null =>
    day < wholeSince ? null : (days.get(day) ?? { conversations: 0, read: 0, readAffected: 0 });
}

async function newVersions(ctx: Ctx, { from, until }: Days): Promise<FindingMarker[]> {
  const rows = await ctx.db.execute<{ service: string | null; name: string; at: string }>(sql`
    select resource ->> 'service.name' as service, resource ->> version as name, min(first_seen_at) as at
    from span_sources, unnest(${sql.param(VERSION_ATTRIBUTES)}::text[]) version
    where project_id = ${ctx.projectId} and resource ? version
    group by 1, 2 having min(first_seen_at) >= ${from}::bigint and min(first_seen_at) < ${until}::bigint
    order by 3 desc, 1, 2 limit ${MARKERS_MAX}`);
  return [...rows].map(({ service, name, at }) => ({ kind: "version", at: Number(at), name, service }));
}

/** Returns new models from the daily costs, which name every model. A model's time is the start of its first day. */
async function newModels(ctx: Ctx, { from, until }: Days): Promise<FindingMarker[]> {
  const rows = await ctx.db.execute<{ name: string; at: string }>(sql`
    select model as name, min(day) as at from (
      select model, day from daily_costs
      where project_id = ${ctx.projectId} and model <> '' and day < ${until}::bigint
      group by model, day having sum(calls) > 0
    ) used
    group by model having min(day) >= ${from}::bigint
    order by 2 desc, 1 limit ${MARKERS_MAX}`);
  return [...rows].map(({ name, at }) => ({ kind: "model", at: Number(at), name, service: null }));
}

async function ownMarkers(ctx: Ctx, findingId: string, { from, until }: Days): Promise<FindingMarker[]> {
  const rows = await ctx.db.execute<{
    kind: "resolved" | "regressed" | "handed_off";
    at: string;
    name: string | null;
  }>(sql`
    select kind, at, detail ->> 'key' as name from finding_events e
    where project_id = ${ctx.projectId} and finding_id = ${findingId} and kind in ('resolved', 'regressed', 'handed_off')
      and at >= ${from}::bigint and at < ${until}::bigint
      and not exists (
        select 1 from finding_events u
        where u.project_id = e.project_id and u.change_id = e.change_id and u.finding_id = e.finding_id and u.kind = 'undone')
    order by at desc, id desc limit ${MARKERS_MAX}`);
  return [...rows].map(({ kind, at, name }) => ({ kind, at: Number(at), name, service: null }));
}

/** Commits and pull requests that name the Finding's tickets. */
async function codeMarkers(ctx: Ctx, findingId: string, { from, until }: Days): Promise<FindingMarker[]> {
  const rows = await ctx.db.execute<{ kind: "commit" | "pull_request"; title: string; at: string }>(sql`
    select r.kind, r.title, r.at
    from work_items w join code_references r on r.project_id = w.project_id and r.work_item_id = w.id
    where w.project_id = ${ctx.projectId} and w.finding_id = any(${mergedWith(ctx, findingId)})
      and r.at >= ${from}::bigint and r.at < ${until}::bigint
    order by r.at desc, r.id desc limit ${MARKERS_MAX}`);
  return [...rows].map(({ kind, title, at }) => ({ kind, at: Number(at), name: title, service: null }));
}
