import { type SQL, sql } from "drizzle-orm";
import { rowsOf } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { notFound } from "@/server/platform/errors";
import { projectRules } from "../../own-rules/stored-rules";
import { type RuleHistory, readingsOf, ruleHistory, rulesOfFinding } from "../readings";

/** A Finding, or all causes that one Signal reported. */
export type ShareSubject = { findingId: string } | { signal: string };
/** `[from, to)`, by last activity, of which the newest `limit` conversations are read. */
type Newest = { from: number; to: number; limit: number };

/**
 * SQL that selects the newest conversations of a range as `conversations`, with `at`, their last activity, and `hit`, whether
 * they have the subject: `null` unless its Rules read them in the version and with the settings that they used last in the
 * range, as on a Finding's timeline.
 */
export async function shareRows(ctx: Ctx, subject: ShareSubject, range: Newest, columns: SQL): Promise<SQL> {
  const ruleIds = await rulesOf(ctx, subject);
  const history = await ruleHistory(ctx, ruleIds);
  return sql`
    with newest as materialized (
      select * from conversations
      where project_id = ${ctx.projectId} and last_activity_at >= ${range.from}::bigint
        and last_activity_at < ${range.to}::bigint
      order by last_activity_at desc limit ${sql.raw(String(range.limit))}
    ),
    read as materialized (
      select n.id, (n.last_activity_at / ${DAY_MS}::bigint) as day, r.readings
      from newest n left join lateral (${readingsOf(ctx, history, sql`n.id`)}) r on true
    ),
    kinds as materialized (
      select readings, ${kindOf(history)} as kind
      from (select distinct readings from read where jsonb_array_length(readings) = ${ruleIds.length}) each
    ),
    last_used as (
      select k.kind from read join kinds k using (readings) order by read.day desc, readings desc limit 1
    )
    select conversations.last_activity_at as at,
      case when kinds.kind = (select kind from last_used) then ${isAffected(subject)} end as hit, ${columns}
    from newest as conversations join read on read.id = conversations.id
    left join kinds on kinds.readings = read.readings`;
}

async function rulesOf(ctx: Ctx, subject: ShareSubject): Promise<readonly string[]> {
  const found =
    "findingId" in subject
      ? await rulesOfFinding(ctx, subject.findingId)
      : (await projectRules(ctx))
          .filter(({ detectors }) => detectors.some(({ signal }) => signal === subject.signal))
          .map(({ id }) => id);
  if (found.length === 0) throw notFound("findingId" in subject ? "Finding" : "Signal");
  return found;
}

/** SQL of what `kindOfReadings` says of `readings`: equal where the Rules find the same. */
function kindOf({ revisions, kindOf: of }: RuleHistory): SQL {
  // A kind depends on the version only by naming it.
  const settings = revisions.map(({ rule_id, revision }) => ({
    rule_id,
    revision,
    settings: of({ ruleId: rule_id, ruleVersion: 0, configurationRevision: revision }),
  }));
  return sql`(
    select string_agg(concat_ws(' ', r ->> 0, r ->> 1, coalesce(t.settings, r ->> 2)), ', ' order by r ->> 0)
    from jsonb_array_elements(readings) r
    left join ${rowsOf(settings, "rule_id text, revision int, settings text")}
      on t.rule_id = r ->> 0 and t.revision = (r ->> 2)::int)`;
}

const isAffected = (subject: ShareSubject) =>
  "findingId" in subject
    ? sql`exists (
        select 1 from occurrences o where o.project_id = conversations.project_id
          and o.finding_id = ${subject.findingId} and o.conversation_id = conversations.id)`
    : sql`exists (
        select 1 from occurrences o join finding_causes c on c.project_id = o.project_id and c.id = any(o.cause_ids)
        where o.project_id = conversations.project_id and o.conversation_id = conversations.id
          and c.signal = ${subject.signal} offset 0)`;
