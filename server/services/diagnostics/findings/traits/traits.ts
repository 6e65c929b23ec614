import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import { traitColumns } from "@/server/services/telemetry";
import { requireFinding } from "../merged-with";
import { rulesOfFinding } from "../readings";
import { traitsInput, traitsReply } from "../schemas";
import { judgeTraits, type TraitCount } from "./judge-traits";

const DAYS = 30;
/** The newest conversations of each group that are compared, and those among which the others are looked for. */
const AFFECTED_MAX = 2000;
const OTHERS_MAX = 10_000;
const EXAMINED_MAX = 20_000;
const HOURS_TOGETHER = 4;

export const findingTraits = verb(
  {
    name: "findings.traits",
    summary: "Read what the conversations with a Finding have in common that others have not.",
    description: `Compares the conversations of the ${DAYS} days up to its newest one: the newest ${AFFECTED_MAX.toLocaleString("en")} with the Finding, and the newest ${OTHERS_MAX.toLocaleString("en")} others that its Rules checked. \`inCommon\`: a value that at least 3 affected conversations have, and more of them than of the others, by Fisher's exact test corrected for the number of values; \`weaker\` are the strongest of those that the test does not confirm. Shares have 95% intervals (Wilson), by the lower limit of whose difference both are sorted. \`value\` is \`null\` for conversations that were sent without one; of \`hour\` it is the first of ${HOURS_TOGETHER} hours (UTC) in which a conversation began, and of \`language\` the ISO 639-1 code of what the user writes in. Providers, versions, tools, prompts and languages of conversations that an earlier release stored are known once those were read again in the background. A dimension that names the Finding's own subject, such as the tool that fails, is left out.`,
    effect: "read",
    capability: "diagnostics:read",
    input: traitsInput,
    reply: traitsReply,
  },
  async (ctx, { findingId }) => {
    await requireFinding(ctx, findingId);
    const ruleIds = await rulesOfFinding(ctx, findingId);
    const { groups, subjects, counts, isSampled } = await countTraits(ctx, findingId, ruleIds);
    const own = new Set(counts.flatMap(({ dimension, value }) => (subjects.includes(value ?? "") ? [dimension] : [])));
    const judged = judgeTraits(
      counts.filter(({ dimension }) => !own.has(dimension)),
      groups,
    );
    return { traits: { ...groups, sampled: isSampled, ...judged } };
  },
);

type Row = TraitCount & { groups: { affected: number; others: number; examined: number } | null; subjects: string[] };

async function countTraits(ctx: Ctx, findingId: string, ruleIds: readonly string[]) {
  const { projectId } = ctx;
  // OFFSET 0 forces one look-up per conversation: until tables are analysed, a join may read the whole project for each.
  const ofFinding = sql`select 1 from occurrences o
    where o.project_id = ${projectId} and o.finding_id = ${findingId} and o.conversation_id = c.id offset 0`;
  const newestOfFinding = sql`(
    select conversation_id from occurrences o where o.project_id = ${projectId} and o.finding_id = ${findingId}
    order by o.detected_at desc, o.id desc limit ${AFFECTED_MAX}
  ) o cross join lateral (
    select * from conversations where project_id = ${projectId} and id = o.conversation_id offset 0
  ) c`;
  const columns = sql`c.id, c.models, c.labels, c.user_id, c.started_at, c.traits`;
  const rows = await ctx.db.execute<Row>(sql`
    with newest as materialized (
      select max(c.started_at) as at from ${newestOfFinding}
    ),
    affected as materialized (
      select ${columns}, true as is_affected from ${newestOfFinding}, newest
      where c.started_at >= newest.at - ${DAYS * DAY_MS}::bigint
    ),
    examined as materialized (
      select ${columns} from conversations c, newest
      where c.project_id = ${projectId} and c.started_at <= newest.at and c.started_at >= newest.at - ${DAYS * DAY_MS}::bigint
      order by c.started_at desc, c.id desc limit ${EXAMINED_MAX}
    ),
    others as materialized (
      select ${columns}, false as is_affected from examined c
      where exists (
        select 1 from rule_runs r where r.project_id = ${projectId} and r.conversation_id = c.id and r.status = 'completed'
          and r.rule_id = any(${textArray(ruleIds)}) offset 0
      ) and not exists (${ofFinding})
      order by c.started_at desc, c.id desc limit ${OTHERS_MAX}
    ),
    both_groups as materialized (select * from affected union all select * from others),
    had as (
      select b.is_affected, 'model' as dimension, v as value
      from both_groups b left join lateral unnest(b.models) v on true
      union all
      select b.is_affected, 'label', v from both_groups b left join lateral unnest(b.labels) v on true
      union all
      select b.is_affected, 'user', b.user_id from both_groups b
      union all
      select b.is_affected, 'hour', (b.started_at % ${DAY_MS}::bigint / ${HOURS_TOGETHER * HOUR_MS}::bigint * ${HOURS_TOGETHER})::text
      from both_groups b
      union all
      select b.is_affected, ${traitColumns(sql`v`)}
      from both_groups b cross join lateral unnest(b.traits) v
    )
    select dimension, value, count(*) filter (where is_affected)::int as affected,
      count(*) filter (where not is_affected)::int as others, null::jsonb as groups, null::text[] as subjects
    from had group by 1, 2
    union all
    select null, null, null, null,
      jsonb_build_object(
        'affected', (select count(*) from affected), 'others', (select count(*) from others),
        'examined', (select count(*) from examined)),
      array(
        select distinct split_part(cause, ': ', 1) from finding_causes
        where project_id = ${projectId} and finding_id = ${findingId} and cause like '%: %')`);
  const all = [...rows];
  const grouped = all.find(({ groups }) => groups !== null);
  if (!grouped?.groups) throw new Error("A comparison returned no row.");
  const { examined, ...groups } = grouped.groups;
  return {
    groups,
    isSampled: examined === EXAMINED_MAX || groups.others === OTHERS_MAX || groups.affected === AFFECTED_MAX,
    subjects: grouped.subjects,
    counts: all.filter(({ groups: of }) => of === null),
  };
}
