import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { NOW_DAYS, PAST_DAYS } from "../../rules";
import { ruleHistory } from "../readings";

/** Window of the share of recent conversations, by the time at which they started. */
const RECENT_MS = 14 * DAY_MS;
/** The share is computed over at most this many of the newest recent conversations. */
const RECENT_CONVERSATIONS = 10_000;
/** Reading 10,000 conversations for each batch of Runs is expensive, and the start of a full window moves slowly. */
const WINDOW_TTL_MS = 30_000;

type Window = { since: number; conversations: number };
const fullWindows = new LRUCache<string, Window>({ max: 1000, ttl: WINDOW_TTL_MS });

/** Returns the number of a project's recent conversations and the time from which they are counted. */
export async function recentConversations(tx: Ctx): Promise<Window> {
  const cached = fullWindows.get(tx.projectId);
  if (cached) return cached;
  const [row] = await tx.db.execute<{ since: string | null; conversations: number }>(sql`
    select min(started_at) as since, count(*)::int as conversations from (
      select started_at from conversations
      where project_id = ${tx.projectId} and started_at >= ${NOW} - ${RECENT_MS}::bigint
      order by started_at desc limit ${RECENT_CONVERSATIONS}
    ) recent`);
  const window = { since: Number(row?.since ?? 0), conversations: row?.conversations ?? 0 };
  // A smaller window changes noticeably within its time in the cache, and is cheap to read.
  if (window.conversations >= RECENT_CONVERSATIONS / 2) fullWindows.set(tx.projectId, window);
  return window;
}

/** A project's conversations by last activity in the two windows that a trend compares. Times are Unix ms. */
type TrendWindows = { pastSince: number; nowSince: number; past: number; now: number };
const fullTrendWindows = new LRUCache<string, TrendWindows>({ max: 1000, ttl: WINDOW_TTL_MS });

/** Returns the windows that a trend compares, by the days of the database's clock. */
async function trendWindows(tx: Ctx): Promise<TrendWindows> {
  const cached = fullTrendWindows.get(tx.projectId);
  if (cached) return cached;
  const [row] = await tx.db.execute<{ today: string; past: number; now: number }>(sql`
    with clock as (select (${NOW} / ${DAY_MS}) * ${DAY_MS} as today)
    select today, count(c.id) filter (where c.last_activity_at < today - ${(NOW_DAYS - 1) * DAY_MS}::bigint)::int as past,
      count(c.id) filter (where c.last_activity_at >= today - ${(NOW_DAYS - 1) * DAY_MS}::bigint)::int as now
    from clock left join conversations c on c.project_id = ${tx.projectId}
      and c.last_activity_at >= today - ${(NOW_DAYS - 1 + PAST_DAYS) * DAY_MS}::bigint
    group by today`);
  const today = Number(row!.today);
  const nowSince = today - (NOW_DAYS - 1) * DAY_MS;
  const windows = { nowSince, pastSince: nowSince - PAST_DAYS * DAY_MS, past: row!.past, now: row!.now };
  if (windows.past + windows.now >= RECENT_CONVERSATIONS) fullTrendWindows.set(tx.projectId, windows);
  return windows;
}

/** Conversations of the trend's windows that a Rule has read. */
export type ReadByRule = {
  /** Share of all that it has read, in any version and with any settings, 0..1. */
  share: number;
  /** Those read like the newest one, by the same version with the same settings. */
  past: number;
  now: number;
  /** Whether a reading is like the newest one. */
  isLikeNewest: (version: number, revision: number) => boolean;
};
type ReadRow = { rule_id: string; version: number; revision: number; is_now: boolean; conversations: number };
type ReadWindows = { windows: TrendWindows; readBy: (ruleId: string) => ReadByRule };

/** Of more conversations a random sample is examined, because each has a Run by every Rule. */
const SAMPLE = 4000;
/** The result for this many conversations or more is cached. */
const CACHED_FROM = 1000;
const readWindows = new LRUCache<string, ReadWindows>({ max: 1000, ttl: WINDOW_TTL_MS });

/** Returns the windows that a trend compares with the conversations in them that each Rule has read. */
export async function readTrendWindows(tx: Ctx): Promise<ReadWindows> {
  const cached = readWindows.get(tx.projectId);
  if (cached) return cached;
  const windows = await trendWindows(tx);
  const all = windows.past + windows.now;
  const oneIn = Math.max(1, Math.ceil(all / SAMPLE));
  const sampled = await tx.db.execute<ReadRow>(sql`
    select r.rule_id, r.version, r.revision, c.last_activity_at >= ${windows.nowSince}::bigint as is_now,
      count(*)::int as conversations
    from conversations c cross join lateral (
      select distinct on (rule_id) rule_id, rule_version as version, configuration_revision as revision from rule_runs
      where project_id = ${tx.projectId} and conversation_id = c.id and status = 'completed'
      order by rule_id, rule_version desc, configuration_revision desc
    ) r
    where c.project_id = ${tx.projectId} and c.last_activity_at >= ${windows.pastSince}::bigint
      and (${oneIn} = 1 or hashtext(c.id) % ${oneIn} = 0)
    group by 1, 2, 3, 4`);
  const rows = [...sampled];
  const history = await ruleHistory(tx, [...new Set(rows.map((row) => row.rule_id))]);
  const kindOf = (ruleId: string, ruleVersion: number, configurationRevision: number) =>
    history.kindOf({ ruleId, ruleVersion, configurationRevision });
  const read: ReadWindows = {
    windows,
    readBy: (ruleId) => {
      const own = rows.filter((row) => row.rule_id === ruleId);
      const newest = own.toSorted((a, b) => b.version - a.version || b.revision - a.revision)[0];
      const isLikeNewest = (version: number, revision: number) =>
        newest !== undefined && kindOf(ruleId, version, revision) === kindOf(ruleId, newest.version, newest.revision);
      const count = (some: readonly ReadRow[]) => some.reduce((sum, row) => sum + row.conversations * oneIn, 0);
      const alike = own.filter(({ version, revision }) => isLikeNewest(version, revision));
      return {
        share: all === 0 ? 1 : Math.min(1, count(own) / all),
        past: count(alike.filter((row) => !row.is_now)),
        now: count(alike.filter((row) => row.is_now)),
        isLikeNewest,
      };
    },
  };
  if (all >= CACHED_FROM) readWindows.set(tx.projectId, read);
  return read;
}
