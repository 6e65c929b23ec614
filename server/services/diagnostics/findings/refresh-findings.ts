import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { NOW } from "@/db/now";
import { rowsOf } from "@/db/rows";
import { findings } from "@/db/schema";
import { updateOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { diagnosticScore } from "../rules";
import type { Severity } from "../types";

/** "Recent" in the share of recent conversations: by the conversations' own time. */
const RECENT_MS = 14 * 24 * 60 * 60 * 1000;
/** Beyond this many recent conversations the share is taken among the newest of them. */
const RECENT_CONVERSATIONS = 10_000;
/** The start of a full window moves by little in so long, and reading 10,000 conversations for each batch of Runs is much. */
const WINDOW_KEPT_MS = 30_000;

/** From so many occurrences on, counting them all for each batch of Runs would grow with the square of their number. */
const MANY_OCCURRENCES = 1000;
/**
 * Counting takes some 5 µs an occurrence on one core (`npm run bench:soak`): to wait 100 times as long leaves it a
 * hundredth of a core, however large the Finding.
 */
const WAIT_MS_AN_OCCURRENCE = 0.5;
const LONGEST_WAIT_MS = 5 * 60_000;

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

/** By how many the occurrences of each Finding that was touched became more (below zero: fewer) in this transaction. */
export type OccurrenceChanges = ReadonlyMap<string, number>;

/**
 * Brings up to date what follows from occurrences: the numbers of the Findings, and on each conversation how many Findings
 * it shows. A Finding that nobody reviewed and that nothing shows any more is removed. Of a Finding with many occurrences
 * their number and its times are exact at once, and what only reading them all can tell is marked as due, for
 * `recountDueFindings`. Runs in the caller's transaction.
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

/** Adds to those that are too large to be counted now, and marks them: one that waits keeps its turn. Answers which they are. */
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
        ${NOW} + least(${LONGEST_WAIT_MS}, f.occurrence_count * ${WAIT_MS_AN_OCCURRENCE}::float8)::bigint)
    from ${rowsOf(changed, "id text, more int")}
    where f.project_id = ${tx.projectId} and f.id = t.id and f.occurrence_count >= ${MANY_OCCURRENCES}
    returning f.id`);
  return new Set([...rows].map(({ id }) => id));
}

/** Counts the occurrences of Findings, however many. Nobody else records any meanwhile: the caller has `lockFindings`. */
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

/** Dismissed Findings keep counting in their own numbers, and quietly do not show on the conversation. */
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
const fullWindows = new LRUCache<string, Window>({ max: 1000, ttl: WINDOW_KEPT_MS });

async function recentConversations(tx: Ctx): Promise<Window> {
  const kept = fullWindows.get(tx.projectId);
  if (kept) return kept;
  const [row] = await tx.db.execute<{ since: string | null; conversations: number }>(sql`
    select min(started_at) as since, count(*)::int as conversations from (
      select started_at from conversations
      where project_id = ${tx.projectId} and started_at >= ${NOW} - ${RECENT_MS}::bigint
      order by started_at desc limit ${RECENT_CONVERSATIONS}
    ) recent`);
  const window = { since: Number(row?.since ?? 0), conversations: row?.conversations ?? 0 };
  // One that is not full yet changes with each conversation, and is soon read.
  if (window.conversations === RECENT_CONVERSATIONS) fullWindows.set(tx.projectId, window);
  return window;
}
