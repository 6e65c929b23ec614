import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { NOW } from "@/db/now";
import { rowsOf } from "@/db/rows";
import { findings } from "@/db/schema";
import { updateOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { diagnosticScore } from "../rules";
import type { Severity } from "../types";

/** Window of the share of recent conversations, by the time at which they started. */
const RECENT_MS = 14 * 24 * 60 * 60 * 1000;
/** The share is computed over at most this many of the newest recent conversations. */
const RECENT_CONVERSATIONS = 10_000;
/** Reading 10,000 conversations for each batch of Runs is expensive, and the start of a full window moves slowly. */
const WINDOW_TTL_MS = 30_000;

/** From this many occurrences on, recounts are deferred: recounting for each batch of Runs would be quadratic. */
const MANY_OCCURRENCES = 1000;
/**
 * A recount takes about 5 µs per occurrence on one core (`npm run bench:soak`); a delay 100 times as long limits it to 1 %
 * of a core, however large the Finding.
 */
const RECOUNT_DELAY_MS_PER_OCCURRENCE = 0.5;
const RECOUNT_DELAY_MAX_MS = 5 * 60_000;

type Counted = {
  id: string;
  occurrences: number;
  users: number;
  first: string | null;
  last: string | null;
  severity: Severity | null;
  confidence: number | null;
  recent: number;
  cost: string | null;
  unpriced: string | null;
};

/** Net change of the occurrence count of each touched Finding in this transaction. */
export type OccurrenceChanges = ReadonlyMap<string, number>;

/**
 * Updates what is derived from occurrences: the counts of the Findings, and the number of Findings on each conversation.
 * Deletes unreviewed Findings without occurrences. For a Finding with many occurrences only their count and times are
 * updated at once; the rest is deferred to `recountDueFindings`. Runs in the caller's transaction.
 */
export async function refreshFindings(
  tx: Ctx,
  touched: { changes: OccurrenceChanges; conversationIds: readonly string[] },
) {
  const findingIds = [...touched.changes.keys()];
  if (findingIds.length > 0) {
    const large = await deferRecounts(tx, touched.changes);
    await recountFindings(
      tx,
      findingIds.filter((id) => !large.has(id)),
    );
    await tx.db.execute(sql`
      delete from findings f
      where f.project_id = ${tx.projectId} and f.id = any(${sql.param(findingIds)}::text[])
        and f.review_status = 'unreviewed'
        and not exists (select 1 from occurrences o where o.project_id = f.project_id and o.finding_id = f.id)`);
  }
  await refreshConversationCounts(tx, touched.conversationIds);
}

/** Updates the counts of large Findings incrementally, marks them for a recount unless already marked, and returns their ids. */
async function deferRecounts(tx: Ctx, changes: OccurrenceChanges): Promise<ReadonlySet<string>> {
  const detectedAt = (end: "min" | "max") => sql`(
    select ${sql.raw(end)}(o.detected_at) from occurrences o where o.project_id = f.project_id and o.finding_id = f.id)`;
  const changed = [...changes].map(([id, more]) => ({ id, more }));
  const rows = await tx.db.execute<{ id: string }>(sql`
    update findings f
    set occurrence_count = f.occurrence_count + t.more, updated_at = ${NOW},
      first_detected_at = coalesce(${detectedAt("min")}, f.first_detected_at),
      last_detected_at = coalesce(${detectedAt("max")}, f.last_detected_at),
      recount_due_at = coalesce(f.recount_due_at,
        ${NOW} + least(${RECOUNT_DELAY_MAX_MS}, f.occurrence_count * ${RECOUNT_DELAY_MS_PER_OCCURRENCE}::float8)::bigint)
    from ${rowsOf(changed, "id text, more int")}
    where f.project_id = ${tx.projectId} and f.id = t.id and f.occurrence_count >= ${MANY_OCCURRENCES}
    returning f.id`);
  return new Set([...rows].map(({ id }) => id));
}

/** Recounts all occurrences of Findings. The caller must hold `lockFindings`, so that none are recorded meanwhile. */
export async function recountFindings(tx: Ctx, ids: readonly string[]) {
  if (ids.length === 0) return;
  const findingIds = sql`${sql.param([...ids])}::text[]`;
  const { since, conversations } = await recentConversations(tx);

  const counted = await tx.db.execute<Counted>(sql`
    select f.id, count(o.id)::int as occurrences, count(distinct c.user_id)::int as users, min(o.detected_at) as first,
           max(o.detected_at) as last, max(o.confidence) as confidence,
           (array_agg(o.severity order by array_position(array['critical','high','medium','low','info'], o.severity))
             filter (where o.severity is not null))[1] as severity,
           count(o.id) filter (where c.started_at >= ${since}::bigint)::int as recent, sum(c.cost) as cost,
           sum(c.unpriced_call_count) as unpriced
    from findings f
    left join occurrences o on o.project_id = f.project_id and o.finding_id = f.id
    left join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
    where f.project_id = ${tx.projectId} and f.id = any(${findingIds})
    group by f.id order by f.id`);

  const rows = [...counted]
    .filter((row) => row.occurrences > 0)
    .map((row) => {
      const { score, parts } = diagnosticScore({
        severity: row.severity ?? "info",
        confidence: row.confidence ?? 0,
        affectedConversations: row.recent,
        recentConversations: conversations,
      });
      return {
        id: row.id,
        occurrence_count: row.occurrences,
        user_count: row.users,
        first_detected_at: Number(row.first),
        last_detected_at: Number(row.last),
        severity: row.severity ?? "info",
        diagnostic_score: score,
        diagnostic_score_parts: parts,
        affected_cost: row.cost,
        unpriced_call_count: Number(row.unpriced ?? 0),
      };
    });
  if (rows.length === 0) return;
  const counts = updateOf(findings, rows);
  await tx.db.execute(sql`
    update findings set ${counts.set}, recount_due_at = null, updated_at = ${NOW} from ${counts.rows}
    where findings.project_id = ${tx.projectId} and ${counts.matches}`);
}

/** Updates the number of Findings of each conversation. Dismissed Findings are not counted here, only in their own counts. */
export async function refreshConversationCounts(tx: Ctx, conversationIds: readonly string[]) {
  await tx.db.execute(sql`
    update conversations c set finding_count = t.count
    from (
      select i.id, count(f.id)::int as count
      from unnest(${sql.param([...new Set(conversationIds)].sort())}::text[]) as i(id)
      left join occurrences o on o.project_id = ${tx.projectId} and o.conversation_id = i.id
      left join findings f on f.project_id = o.project_id and f.id = o.finding_id and f.review_status <> 'dismissed'
      group by i.id
    ) t
    where c.project_id = ${tx.projectId} and c.id = t.id and c.finding_count <> t.count`);
}

type Window = { since: number; conversations: number };
const fullWindows = new LRUCache<string, Window>({ max: 1000, ttl: WINDOW_TTL_MS });

async function recentConversations(tx: Ctx): Promise<Window> {
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
