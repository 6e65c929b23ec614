import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { RunOrigin } from "../finding-events";
import { refreshConversationCounts } from "./conversation-counts";
import type { OccurrenceChanges } from "./occurrence-changes";
import { descriptionOf, recountFindings } from "./recount-findings";

/** From this many occurrences on, recounts are deferred: recounting for each batch of Runs would be quadratic. */
const MANY_OCCURRENCES = 250;
/**
 * A recount takes about 5 µs per occurrence on one core (`npm run bench -- soak`); a delay 100 times as long limits it to 1 %
 * of a core, however large the Finding.
 */
const RECOUNT_DELAY_MS_PER_OCCURRENCE = 0.5;
const RECOUNT_DELAY_MAX_MS = 5 * 60_000;

/**
 * Updates what is derived from occurrences: the counts of the Findings, and the number of Findings on each conversation.
 * Deletes unreviewed Findings without occurrences, unless a person placed causes there. For a Finding with many occurrences
 * only its description, conversations and times are updated at once; the rest is deferred to `recountDueFindings`. Runs in
 * the caller's transaction.
 */
export async function refreshFindings(
  tx: Ctx,
  touched: { changes: OccurrenceChanges; conversationIds: readonly string[]; origin: RunOrigin | null },
) {
  const findingIds = [...touched.changes.keys()];
  if (findingIds.length > 0) {
    const large = await deferRecounts(tx, touched.changes, touched.origin);
    await recountFindings(
      tx,
      findingIds.filter((id) => !large.has(id)),
      touched.origin,
    );
    await deleteEmpty(tx, findingIds);
  }
  await refreshConversationCounts(tx, touched.conversationIds);
}

async function deleteEmpty(tx: Ctx, findingIds: readonly string[]) {
  const ids = sql`${sql.param(findingIds)}::text[]`;
  await tx.db.execute(sql`
    delete from findings f
    where f.project_id = ${tx.projectId} and f.id = any(${ids})
      and f.review_status = 'unreviewed' and f.merged_into_id is null
      and not exists (select 1 from occurrences o where o.project_id = f.project_id and o.finding_id = f.id)
      and not exists (
        select 1 from finding_causes c where c.project_id = f.project_id and c.finding_id = f.id and c.pinned)`);
  await tx.db.execute(sql`
    delete from finding_causes
    where project_id = ${tx.projectId} and finding_id = any(${ids}) and occurrence_count <= 0 and not pinned`);
}

/** Updates large Findings incrementally, marks them for a recount unless already marked, and returns their ids. */
async function deferRecounts(
  tx: Ctx,
  changes: OccurrenceChanges,
  origin: RunOrigin | null,
): Promise<ReadonlySet<string>> {
  const changed = [...changes].map(([id, { conversations }]) => ({ id, more: conversations }));
  const rows = await tx.db.execute<{ id: string }>(sql`
    update findings f
    set occurrence_count = f.occurrence_count + t.more, updated_at = ${NOW},
      title = coalesce(described.title, f.title), summary = coalesce(described.summary, f.summary),
      rule_id = coalesce(described.rule_id, f.rule_id), signal = coalesce(described.signal, f.signal),
      first_detected_at = coalesce(
        (select min(o.detected_at) from occurrences o where o.project_id = f.project_id and o.finding_id = f.id),
        f.first_detected_at),
      last_detected_at = coalesce(
        (select max(o.detected_at) from occurrences o where o.project_id = f.project_id and o.finding_id = f.id),
        f.last_detected_at),
      -- One reading that is not a backfill's makes the recount a notifiable one.
      recount_origin = case when f.recount_due_at is null or f.recount_origin = 'backfill' then ${origin}::text
        else f.recount_origin end,
      recount_due_at = coalesce(f.recount_due_at,
        ${NOW} + least(${RECOUNT_DELAY_MAX_MS}, f.occurrence_count * ${RECOUNT_DELAY_MS_PER_OCCURRENCE}::float8)::bigint)
    from ${rowsOf(changed, "id text, more int")}
    join findings own on own.project_id = ${tx.projectId} and own.id = t.id
    left join lateral (${descriptionOf(tx, "own")}) described on true
    where f.project_id = ${tx.projectId} and f.id = t.id and f.occurrence_count >= ${MANY_OCCURRENCES}
    returning f.id`);
  const large = new Set([...rows].map(({ id }) => id));
  if (large.size > 0) await addChanges(tx, new Map([...changes].filter(([id]) => large.has(id))));
  return large;
}

/** Adds the changes to the counts by day and by cause. */
async function addChanges(tx: Ctx, changes: OccurrenceChanges) {
  const days = [...changes].flatMap(([finding_id, change]) =>
    [...change.days].flatMap(([day, more]) => (more === 0 ? [] : [{ finding_id, day, more }])),
  );
  const causes = [...changes].flatMap(([finding_id, change]) =>
    [...change.causes].flatMap(([id, more]) => (more === 0 ? [] : [{ finding_id, id, more }])),
  );
  await tx.db.execute(sql`
    insert into finding_days as d (project_id, finding_id, day, conversations)
    select ${tx.projectId}, finding_id, day, more from ${rowsOf(days, "finding_id text, day bigint, more int")}
    on conflict (project_id, finding_id, day) do update set conversations = d.conversations + excluded.conversations`);
  await tx.db.execute(sql`
    update finding_causes c set occurrence_count = c.occurrence_count + t.more
    from ${rowsOf(causes, "finding_id text, id text, more int")}
    where c.project_id = ${tx.projectId} and c.id = t.id and c.finding_id = t.finding_id`);
}
