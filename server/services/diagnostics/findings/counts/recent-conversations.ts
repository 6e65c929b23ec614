import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";
import { NOW_DAYS, PAST_DAYS } from "../../rules";

const DAY_MS = 24 * 60 * 60 * 1000;
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
  // A window that is not full changes with each conversation and is cheap to read.
  if (window.conversations === RECENT_CONVERSATIONS) fullWindows.set(tx.projectId, window);
  return window;
}

/** A project's conversations by last activity in the two windows that a trend compares. Times are Unix ms. */
export type TrendWindows = { pastSince: number; nowSince: number; past: number; now: number };
const fullTrendWindows = new LRUCache<string, TrendWindows>({ max: 1000, ttl: WINDOW_TTL_MS });

/** Returns the windows that a trend compares, by the days of the database's clock. */
export async function trendWindows(tx: Ctx): Promise<TrendWindows> {
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
