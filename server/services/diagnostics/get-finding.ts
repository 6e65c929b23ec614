import { and, eq, sql } from "drizzle-orm";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { findingJson } from "./finding-json";
import { occurrencesOf } from "./list-occurrences";
import { type FindingDetail, findingReply, getFindingInput } from "./schemas";

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_SHOWN = 30;

export const getFinding = verb(
  {
    name: "findings.get",
    summary: "Read one Finding with its latest occurrence, its share of conversations and its days.",
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
  const [latest, [totals], days] = await Promise.all([
    occurrencesOf(ctx, findingId, 1),
    ctx.db.execute<{ conversations: number; cost: string | null }>(sql`
      select
        (select count(*)::int from conversations
         where project_id = ${ctx.projectId} and last_activity_at >= ${row.firstDetectedAt}::bigint) as conversations,
        (select sum(c.cost) from occurrences o
         join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
         where o.project_id = ${ctx.projectId} and o.finding_id = ${findingId}) as cost`),
    ctx.db.execute<{ day: string; occurrences: number; conversations: number }>(sql`
      select d.day, d.occurrences,
        (select count(*)::int from conversations c
         where c.project_id = ${ctx.projectId} and c.last_activity_at >= d.day and c.last_activity_at < d.day + ${DAY_MS}) as conversations
      from (
        select (detected_at / ${DAY_MS}) * ${DAY_MS} as day, count(*)::int as occurrences from occurrences
        where project_id = ${ctx.projectId} and finding_id = ${findingId} and detected_at >= ${since}::bigint
        group by 1
      ) d order by d.day`),
  ]);
  return {
    ...findingJson(row),
    latestOccurrence: latest[0] ?? null,
    share: { affected: row.occurrenceCount, conversations: Math.max(totals?.conversations ?? 0, row.occurrenceCount) },
    affectedCost: totals?.cost == null ? null : Number(totals.cost),
    days: [...days].map((day) => ({ ...day, day: Number(day.day) })),
  };
}

const startOfDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
