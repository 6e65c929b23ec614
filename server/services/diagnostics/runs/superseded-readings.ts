import { sql } from "drizzle-orm";
import { rowsOf, textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { RankedOccurrence } from "../rules";
import type { ConversationSnapshot } from "../types";
import type { Run } from "./started-runs";

/** A Run with what it found in its snapshot. */
export type Reading = {
  run: Pick<Run, "id" | "ruleId" | "ruleVersion" | "configurationRevision" | "traceIds" | "origin">;
  conversation: Pick<ConversationSnapshot, "id" | "lastActivityAt">;
  occurrences: readonly RankedOccurrence[];
};

/** The note on a Run whose results are not recorded. */
const SUPERSEDED =
  "Another Run of this Rule has read more of the conversation or used newer settings; Findings show its results.";

const readingRows = (readings: readonly Reading[]) =>
  rowsOf(
    readings.map(({ run, conversation }) => ({
      run_id: run.id,
      rule_id: run.ruleId,
      rule_version: run.ruleVersion,
      revision: run.configurationRevision,
      conversation_id: conversation.id,
      read_until: conversation.lastActivityAt,
      trace_ids: run.traceIds,
    })),
    `run_id text, rule_id text, rule_version int, revision int, conversation_id text, read_until bigint, trace_ids jsonb`,
  );

/** The trace ids of a reading in `t`; empty for all traces. */
const NAMED = sql`array(select jsonb_array_elements_text(t.trace_ids))`;

/**
 * Finds superseded readings, adds a note to their Runs and returns the Runs' ids. A reading is superseded when another Run
 * of the Rule has completed over the same snapshot or more, with the same or newer settings. A Run that read past the
 * conversation's current end (a trace has moved to another conversation since) says nothing about what is left and
 * supersedes none.
 */
export async function markSuperseded(tx: Ctx, all: readonly Reading[]): Promise<ReadonlySet<string>> {
  const readings = await readMoreThanOnce(tx, all);
  if (readings.length === 0) return new Set();
  const rows = await tx.db.execute<{ id: string }>(sql`
    update rule_runs own set notes = array_append(own.notes, ${SUPERSEDED}::text)
    from ${readingRows(readings)}
    where own.project_id = ${tx.projectId} and own.id = t.run_id and exists (
      select 1 from rule_runs r
      join conversations c on c.project_id = r.project_id and c.id = r.conversation_id
      where r.project_id = ${tx.projectId} and r.conversation_id = t.conversation_id and r.status = 'completed'
        and r.rule_id = t.rule_id and r.id <> t.run_id
        and (r.rule_version, r.configuration_revision) >= (t.rule_version, t.revision)
        and coalesce(r.read_until, r.last_activity_at) between t.read_until and c.last_activity_at
        and (r.traces_key = '' or own.traces_key <> '' and ${NAMED} <@ r.trace_ids)
        and (r.rule_version, r.configuration_revision, coalesce(r.read_until, r.last_activity_at), r.traces_key)
          <> (t.rule_version, t.revision, t.read_until, own.traces_key))
    returning own.id`);
  return new Set([...rows].map(({ id }) => id));
}

/**
 * Returns the readings of Rules that have completed several Runs over the conversation, this one included: few, and found in
 * one pass over each conversation's Runs. Comparing each reading with all of them would be nearly a tenth of the database's
 * work for a Run.
 */
async function readMoreThanOnce(tx: Ctx, readings: readonly Reading[]): Promise<Reading[]> {
  const conversationIds = [...new Set(readings.map(({ conversation }) => conversation.id))];
  const rows = await tx.db.execute<{ conversation_id: string; rule_id: string }>(sql`
    select c.id as conversation_id, several.rule_id from unnest(${textArray(conversationIds)}) c(id) cross join lateral (
      select r.rule_id from rule_runs r
      where r.project_id = ${tx.projectId} and r.conversation_id = c.id and r.status = 'completed'
      group by r.rule_id having count(*) > 1) several`);
  const several = new Set([...rows].map((row) => `${row.conversation_id} ${row.rule_id}`));
  return readings.filter(({ run, conversation }) => several.has(`${conversation.id} ${run.ruleId}`));
}

/**
 * Returns the parts of Occurrences, as `rule finding conversation`, that these readings must neither change nor delete because
 * the Rule detected them in later activity or in traces that the reading did not cover.
 */
export async function protectedOccurrences(tx: Ctx, readings: readonly Reading[]): Promise<ReadonlySet<string>> {
  const rows = await tx.db.execute<{ part: string }>(sql`
    select distinct t.rule_id || ' ' || o.finding_id || ' ' || o.conversation_id as part
    from ${readingRows(readings)}
    join occurrences o on o.project_id = ${tx.projectId} and o.conversation_id = t.conversation_id
    join findings f on f.project_id = o.project_id and f.id = o.finding_id
    join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
    cross join unnest(o.cause_ids) with ordinality as cause(id, n)
    left join finding_causes fc on fc.project_id = o.project_id and fc.id = cause.id
    cross join lateral (
      select coalesce((o.parts -> (cause.n - 1)::int ->> 'detectedAt')::bigint, o.detected_at) as detected_at,
        coalesce(o.parts -> (cause.n - 1)::int ->> 'ruleRunId', o.rule_run_id) as run_id
    ) p
    left join rule_runs r on r.project_id = o.project_id and r.id = p.run_id
    where coalesce(fc.rule_id, f.rule_id) = t.rule_id and (
      (p.detected_at > t.read_until and p.detected_at <= c.last_activity_at)
      or (jsonb_array_length(t.trace_ids) > 0
        and (r.id is null or r.traces_key = '' or not r.trace_ids <@ ${NAMED})))`);
  return new Set([...rows].map(({ part }) => part));
}
