import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { traitColumns } from "@/server/services/telemetry";
import type { TraitCount } from "../findings/traits/judge-traits";
import type { Sides } from "./judge-rows";

/** Findings with the most occurrences that are compared, which bounds the number of tests. */
const FINDINGS_MAX = 30;
/** Model calls of a conversation that are timed. */
const CALLS_MAX = 200;

/** The conversations of both sides as a relation `s`, with the day of their start. */
const sidesOf = ({ projectId }: Ctx, ids: Sides<readonly string[]>) => sql`(
  select c.*, side.compared as is_compared, c.started_at / ${DAY_MS}::bigint as day
  from (
    select id, false as compared from unnest(${textArray([...ids.baseline])}) id
    union all
    select id, true from unnest(${textArray([...ids.compared])}) id
  ) side cross join lateral (select * from conversations where project_id = ${projectId} and id = side.id offset 0) c
) s`;

/** A conversation of a side; `cost` is null if any of its calls has no known cost. */
export type MeasuredConversation = {
  isCompared: boolean;
  startedAt: number;
  day: number;
  failed: boolean;
  cost: number | null;
  latencyMs: number | null;
  /** Of feedback of users, whether there is a thumbs down; null without any. */
  thumbsDown: boolean | null;
};

type Row = Omit<MeasuredConversation, "startedAt" | "day" | "cost"> & {
  startedAt: string;
  day: string;
  cost: string | null;
};

/** Reads what is measured of each conversation. OFFSET 0 forces a look-up each: a join could read the whole project. */
export async function readConversations(ctx: Ctx, ids: Sides<readonly string[]>): Promise<MeasuredConversation[]> {
  const rows = await ctx.db.execute<Row>(sql`
    select s.is_compared as "isCompared", s.started_at as "startedAt", s.day, s.error_count > 0 as failed,
      case when s.unpriced_call_count = 0 then s.cost end as cost, calls.latency as "latencyMs", given.down as "thumbsDown"
    from ${sidesOf(ctx, ids)}
    left join lateral (
      select avg(ended_at - started_at)::float8 as latency from (
        select started_at, ended_at from model_calls
        where project_id = ${ctx.projectId} and conversation_id = s.id and type = 'llm' and status <> 'error'
        limit ${CALLS_MAX}
      ) c
    ) calls on true
    left join lateral (
      select bool_or(kind = 'thumb' and value = '"down"') as down from (
        select kind, value from feedback
        where project_id = ${ctx.projectId} and conversation_id = s.id and given_by_user offset 0
      ) f
    ) given on true`);
  return rows.map((row) => ({
    ...row,
    startedAt: Number(row.startedAt),
    day: Number(row.day),
    cost: row.cost === null ? null : Number(row.cost),
  }));
}

/** A Rule's reading of a number of conversations of one day, or of those of them that have a Finding. */
export type ReadingCount = {
  isCompared: boolean;
  day: number;
  ruleId: string;
  ruleVersion: number;
  configurationRevision: number;
  findingId: string | null;
  conversations: number;
};
export type ComparedFinding = { id: string; ruleId: string; title: string; severity: "low" | "medium" | "high" };

/** Counts what Rules read by themselves, by version and settings: what people ask for looks bad to begin with. */
export async function readFindings(ctx: Ctx, ids: Sides<readonly string[]>) {
  const rows = await ctx.db.execute<
    Omit<ReadingCount, "day"> & { day: string; title: string | null; severity: ComparedFinding["severity"] | null }
  >(sql`
    with sides as materialized (select s.id, s.is_compared, s.day, s.finding_count from ${sidesOf(ctx, ids)}),
    read as materialized (
      select s.*, r.* from sides s cross join lateral (
        select distinct on (rule_id) rule_id, rule_version, configuration_revision from (
          select rule_id, rule_version, configuration_revision from rule_runs
          where project_id = ${ctx.projectId} and conversation_id = s.id and status = 'completed' and origin <> 'on_demand'
          offset 0
        ) each
        order by rule_id, rule_version desc, configuration_revision desc
      ) r
    ),
    found as materialized (
      select s.id, o.finding_id from sides s cross join lateral (
        select finding_id from occurrences where project_id = ${ctx.projectId} and conversation_id = s.id offset 0
      ) o
      where s.finding_count > 0
    ),
    most as materialized (
      select f.id, f.rule_id, f.title, f.severity
      from (select finding_id, count(*) as count from found group by 1) n
      join findings f on f.project_id = ${ctx.projectId} and f.id = n.finding_id and f.review_status <> 'dismissed'
      order by n.count desc, f.id limit ${FINDINGS_MAX}
    )
    select is_compared as "isCompared", day, rule_id as "ruleId", rule_version as "ruleVersion",
      configuration_revision as "configurationRevision", null::text as "findingId", null::text as title, null::text as severity,
      count(*)::int as conversations
    from read group by 1, 2, 3, 4, 5
    union all
    select read.is_compared, read.day, read.rule_id, read.rule_version, read.configuration_revision, most.id, most.title,
      most.severity, count(*)::int
    from read join found on found.id = read.id
    join most on most.id = found.finding_id and most.rule_id = read.rule_id
    group by 1, 2, 3, 4, 5, 6, 7, 8`);
  const findings = new Map<string, ComparedFinding>();
  for (const { findingId: id, ruleId, title, severity } of rows)
    if (id !== null && title !== null && severity !== null) findings.set(id, { id, ruleId, title, severity });
  return {
    findings: [...findings.values()],
    counts: rows.map(({ title: _, severity: __, ...row }): ReadingCount => ({ ...row, day: Number(row.day) })),
  };
}

/** Counts the models, labels and traits of both sides: those of the compared one are `affected`. */
export async function readTraits(ctx: Ctx, ids: Sides<readonly string[]>): Promise<TraitCount[]> {
  const rows = await ctx.db.execute<TraitCount>(sql`
    with sides as materialized (select s.is_compared, s.models, s.labels, s.traits from ${sidesOf(ctx, ids)}),
    had as (
      select is_compared, 'model' as dimension, v as value from sides left join lateral unnest(models) v on true
      union all
      select is_compared, 'label', v from sides left join lateral unnest(labels) v on true
      union all
      select is_compared, ${traitColumns(sql`v`)} from sides cross join lateral unnest(traits) v
    )
    select dimension, value, count(*) filter (where is_compared)::int as affected,
      count(*) filter (where not is_compared)::int as others
    from had group by 1, 2`);
  return [...rows];
}
