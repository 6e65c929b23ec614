import { and, eq, sql } from "drizzle-orm";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { type FindingDetail, findingReply, getFindingInput } from "../schemas";
import { findingsJson } from "./finding-json";
import { clearestOccurrence, occurrencesOf } from "./list-occurrences";

const DAYS_SHOWN = 30;
/** Shares are computed over at most this many of the newest conversations, which bounds the query's cost. */
const CONVERSATIONS_MAX = 50_000;

export const getFinding = verb(
  {
    name: "findings.get",
    summary:
      "Read one Finding with its latest and its clearest occurrence, its share of conversations and its daily counts.",
    description: `Shares cover the newest ${CONVERSATIONS_MAX.toLocaleString("en")} conversations: \`share.since\` is the start of that window, and for days before it \`conversations\` is \`null\`.`,
    effect: "read",
    capability: "diagnostics:read",
    input: getFindingInput,
    reply: findingReply,
  },
  async (ctx, { findingId }) => ({ finding: await readFinding(ctx, findingId) }),
);

export async function readFinding(ctx: Ctx, findingId: string): Promise<FindingDetail> {
  const [row] = await ctx.db
    .select()
    .from(findings)
    .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
  if (!row) throw notFound("Finding");

  const since = startOfDay(row.lastDetectedAt) - (DAYS_SHOWN - 1) * DAY_MS;
  const [latest, clearest, all, days] = await Promise.all([
    occurrencesOf(ctx, row, 1),
    clearestOccurrence(ctx, row),
    conversationsSince(ctx, row.firstDetectedAt),
    ctx.db.execute<{ day: string; occurrences: number }>(sql`
      select (detected_at / ${DAY_MS}) * ${DAY_MS} as day, count(*)::int as occurrences from occurrences
      where project_id = ${ctx.projectId} and finding_id = ${findingId} and detected_at >= ${since}::bigint
      group by 1 order by 1`),
  ]);
  const affected =
    all.since === row.firstDetectedAt ? row.occurrenceCount : await occurrencesSince(ctx, findingId, all.since);
  return {
    ...(await findingsJson(ctx, [row]))[0]!,
    latestOccurrence: latest[0] ?? null,
    clearestOccurrence: clearest,
    share: { affected, conversations: Math.max(all.count, affected), since: all.since },
    days: [...days].map(({ day, occurrences }) => ({
      day: Number(day),
      occurrences,
      conversations: all.byDay.get(Number(day)) ?? null,
    })),
  };
}

/** Counts conversations last active since `first`, in total and per day; days that were only partly counted are left out. */
async function conversationsSince(ctx: Ctx, first: number) {
  const rows = await ctx.db.execute<{ day: string; all: number; counted: number; oldest: string }>(sql`
    select (last_activity_at / ${DAY_MS}) * ${DAY_MS} as day, count(*)::int as all,
      count(*) filter (where last_activity_at >= ${first}::bigint)::int as counted, min(last_activity_at) as oldest
    from (
      select last_activity_at from conversations
      where project_id = ${ctx.projectId} and last_activity_at >= ${startOfDay(first)}::bigint
      order by last_activity_at desc limit ${CONVERSATIONS_MAX}
    ) newest
    group by 1`);
  const oldest = Math.min(...rows.map((row) => Number(row.oldest)));
  const sum = (of: "all" | "counted") => rows.reduce((total, row) => total + row[of], 0);
  const isAll = sum("all") < CONVERSATIONS_MAX;
  return {
    count: sum("counted"),
    since: isAll ? first : Math.max(first, oldest),
    byDay: new Map(rows.filter((row) => isAll || Number(row.day) > oldest).map((row) => [Number(row.day), row.all])),
  };
}

async function occurrencesSince(ctx: Ctx, findingId: string, since: number): Promise<number> {
  const [row] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from occurrences
    where project_id = ${ctx.projectId} and finding_id = ${findingId} and detected_at >= ${since}::bigint`);
  return row?.count ?? 0;
}

const startOfDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
