import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { findingCauses, findings } from "@/db/schema";
import { updateOf } from "@/db/sets";
import { severityRank } from "@/db/severity-rank";
import type { Ctx } from "@/server/platform/context";
import { diagnosticScore } from "../../rules";
import type { Severity } from "../../types";
import { type NewFindingEvent, type RunOrigin, recordEvents } from "../finding-events";
import { judgedFindings, reviewedConfidence } from "../judged-findings";
import { updateConversationCounts } from "./conversation-counts";
import { readTrendWindows, recentConversations } from "./recent-conversations";
import { trendsOf } from "./trends";

type Counted = {
  id: string;
  rule_id: string;
  signal: string;
  occurrences: number;
  users: number;
  first: string | null;
  last: string | null;
  severity: Severity | null;
  pinned: Severity | null;
  confidence: number | null;
  recent: number;
  cost: string | null;
  unpriced: string | null;
};

/**
 * Recounts Findings from all of their occurrences, and decides from the counts whether they escalate or come back from a
 * dismissal. The caller must hold `lockFindings`, so that none are recorded meanwhile. `origin`: of the Runs that caused it.
 */
export async function recountFindings(tx: Ctx, ids: readonly string[], origin: RunOrigin | null) {
  if (ids.length === 0) return;
  await recountDaysAndCauses(tx, ids);
  await recountTotals(tx, ids, origin);
}

/** Recounts occurrences by day and by cause. The caller must hold `lockFindings`. */
export async function recountDaysAndCauses(tx: Ctx, ids: readonly string[]) {
  await recountDays(tx, ids);
  await recountCauses(tx, ids);
}

/** Recounts everything but occurrences by day and by cause, which must be right. The caller must hold `lockFindings`. */
export async function recountTotals(tx: Ctx, ids: readonly string[], origin: RunOrigin | null) {
  const { since, conversations } = await recentConversations(tx);
  const { readBy } = await readTrendWindows(tx);

  const counted = await tx.db.execute<Counted>(sql`
    select f.id, f.rule_id, f.signal, count(o.id)::int as occurrences, count(distinct c.user_id)::int as users, min(o.detected_at) as first,
           max(o.detected_at) as last, max(o.confidence) as confidence,
           (array_agg(o.severity order by ${severityRank(sql`o.severity`)})
             filter (where o.severity is not null))[1] as severity, f.pinned_severity as pinned,
           count(o.id) filter (where c.started_at >= ${since}::bigint)::int as recent, sum(c.cost) as cost,
           sum(c.unpriced_call_count) as unpriced
    from findings f
    left join occurrences o on o.project_id = f.project_id and o.finding_id = f.id
    left join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
    where f.project_id = ${tx.projectId} and f.id = any(${textArray(ids)}) and f.merged_into_id is null
    group by f.project_id, f.id order by f.id`);
  const present = [...counted].filter((row) => row.occurrences > 0);
  if (present.length === 0) return;

  const judged = await judgedFindings(tx);
  const described = await descriptionsOf(
    tx,
    present.map(({ id }) => id),
  );
  const rows = present.map((row) => {
    const detected = row.severity ?? "info";
    const read = Math.max(Math.round(conversations * readBy(row.rule_id).share), row.recent);
    const { score, parts } = diagnosticScore({
      severity: row.pinned ?? detected,
      confidence: reviewedConfidence(judged(row.rule_id, row.signal))?.value ?? row.confidence ?? 0,
      affectedConversations: row.recent,
      recentConversations: read,
    });
    return {
      id: row.id,
      ...described.get(row.id)!,
      occurrence_count: row.occurrences,
      user_count: row.users,
      recent_affected: row.recent,
      recent_conversations: read,
      first_detected_at: Number(row.first),
      last_detected_at: Number(row.last),
      severity: row.pinned ?? detected,
      detected_severity: detected,
      diagnostic_score: score,
      diagnostic_score_parts: parts,
      affected_cost: row.cost,
      unpriced_call_count: Number(row.unpriced ?? 0),
    };
  });
  const counts = updateOf(findings, rows);
  await tx.db.execute(sql`
    update findings set ${counts.set}, recount_due_at = null, recount_origin = null, updated_at = ${NOW} from ${counts.rows}
    where findings.project_id = ${tx.projectId} and ${counts.matches}`);
  await updateTrends(
    tx,
    present.map(({ id }) => id),
    origin,
  );
}

/**
 * Returns how each Finding is described: by its earliest occurrence, so that later ones do not rename it. One that gathers the
 * rest keeps its own title.
 */
async function descriptionsOf(tx: Ctx, ids: readonly string[]) {
  const rows = await tx.db.execute<{ id: string; rule_id: string; signal: string; title: string; summary: string }>(sql`
    select t.id, earliest.* from unnest(${textArray(ids)}) as t(id)
    join findings f on f.project_id = ${tx.projectId} and f.id = t.id
    cross join lateral (${descriptionOf(tx)}) earliest`);
  return new Map([...rows].map(({ id, ...described }) => [id, described]));
}

/** Earlier releases quoted the conversation in the title of an occurrence, and cut it. */
const unquoted = sql`regexp_replace(o.title, ': “.*$', '')`;
/** Whether other tools miss the same, as only tools that say so share a Finding without a person's doing. */
const othersFail = sql`
  o.title ~ '^\`[^\`]+\` fails: .*(\\m(no|not|cannot|unable|failed|unknown|insufficient|too)\\M|n[''’]t)' and exists (
    select 1 from finding_causes other
    where other.project_id = o.project_id and other.finding_id = o.finding_id and not other.pinned
      and other.cause like '%: %' and split_part(other.cause, ': ', 1) <> split_part(c.cause, ': ', 1))`;
const named = sql`
  case when ${othersFail} then regexp_replace(${unquoted}, '^.*?\` fails: ', 'Several tools fail: ') else ${unquoted} end`;
const wholeTitle = sql`
  (select case when length(title) <= 90 then title else regexp_replace(title, '^(.{1,88})\\s.*$', '\\1…') end
   from (select ${named} as title) named)`;

/** Selects what describes a Finding of the statement; no row if it has no occurrence. */
export function descriptionOf(tx: Ctx, finding = "f") {
  const f = sql.raw(finding);
  return sql`
    select coalesce(c.rule_id, ${f}.rule_id) as rule_id, coalesce(c.signal, ${f}.signal) as signal,
      case when ${f}.gathers_rest then ${f}.title else ${wholeTitle} end as title,
      case when ${f}.gathers_rest then ${f}.summary else o.summary end as summary
    from occurrences o left join finding_causes c on c.project_id = o.project_id and c.id = o.cause_ids[1]
    where o.project_id = ${tx.projectId} and o.finding_id = ${f}.id
    order by o.detected_at, o.conversation_id limit 1`;
}

async function recountDays(tx: Ctx, ids: readonly string[]) {
  const ours = sql`project_id = ${tx.projectId} and finding_id = any(${textArray(ids)})`;
  await tx.db.execute(sql`
    with counted as (
      select finding_id, (detected_at / 86400000) * 86400000 as day, count(*)::int as conversations
      from occurrences where ${ours} group by 1, 2
    ), gone as (
      delete from finding_days d
      where ${ours} and not exists (
        select 1 from counted c where c.finding_id = d.finding_id and c.day = d.day)
    )
    insert into finding_days as d (project_id, finding_id, day, conversations)
    select ${tx.projectId}, finding_id, day, conversations from counted
    on conflict (project_id, finding_id, day) do update set conversations = excluded.conversations
    where d.conversations <> excluded.conversations`);
}

/**
 * Recounts the occurrences of each cause. Compared here, because the planner takes a Finding for a handful of causes and would
 * compare each of thousands with all the others.
 */
async function recountCauses(tx: Ctx, ids: readonly string[]) {
  const ours = sql`project_id = ${tx.projectId} and finding_id = any(${textArray(ids)})`;
  const stored = await tx.db.execute<{ id: string; finding_id: string; occurrence_count: number }>(sql`
    select id, finding_id, occurrence_count from finding_causes where ${ours}`);
  const counted = await tx.db.execute<{ finding_id: string; cause_id: string; count: number }>(sql`
    select finding_id, cause_id, count(*)::int as count from occurrences, unnest(cause_ids) as cause_id
    where ${ours} group by 1, 2`);
  const counts = new Map([...counted].map((row) => [`${row.finding_id} ${row.cause_id}`, row.count]));
  const changed = [...stored].flatMap(({ id, finding_id, occurrence_count }) => {
    const count = counts.get(`${finding_id} ${id}`) ?? 0;
    return count === occurrence_count ? [] : [{ id, occurrence_count: count }];
  });
  if (changed.length === 0) return;
  const counting = updateOf(findingCauses, changed);
  await tx.db.execute(sql`
    update finding_causes set ${counting.set} from ${counting.rows}
    where finding_causes.project_id = ${tx.projectId} and ${counting.matches}`);
}

/** Marks Findings as escalating or no longer escalating, and returns dismissed ones that got worse to review. */
export async function updateTrends(tx: Ctx, ids: readonly string[], origin: RunOrigin | null) {
  const changed = await trendsOf(tx, ids);
  const idsOf = (kind: NewFindingEvent["kind"]) =>
    changed.filter((one) => one.kind === kind).map((one) => one.findingId);
  const [escalating, calmed, returned] = [idsOf("escalating"), idsOf("calmed"), idsOf("returned")];
  if (changed.length === 0) return;
  await tx.db.execute(sql`
    update findings set updated_at = ${NOW},
      escalating_since = case when id = any(${textArray(escalating)}) then ${NOW}
        when id = any(${textArray(calmed)}) then null else escalating_since end,
      review_status = case when id = any(${textArray(returned)}) then 'unreviewed' else review_status end,
      dismissed_rate = case when id = any(${textArray(returned)}) then null else dismissed_rate end,
      dismissal_reason = case when id = any(${textArray(returned)}) then null else dismissal_reason end,
      dismissed_at = case when id = any(${textArray(returned)}) then null else dismissed_at end
    where project_id = ${tx.projectId} and id = any(${textArray(changed.map((one) => one.findingId))})`);
  await recordEvents(tx, changed, { origin });
  if (returned.length > 0) await updateConversationCounts(tx, returned);
}
