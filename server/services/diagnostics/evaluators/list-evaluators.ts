import { sql } from "drizzle-orm";
import type { EVALUATOR_KINDS } from "@/db/schema/enumerations";
import { verb } from "@/server/platform/verb";
import {
  EVALUATORS_MAX,
  evaluatorsReply,
  LABEL_CHARACTERS_MAX,
  LABELS_MAX,
  listEvaluatorsInput,
  RESULTS_TOLD,
} from "./schemas";
import { failsWhenOf, isResult } from "./stored-evaluators";

type Row = {
  name: string;
  kind: (typeof EVALUATOR_KINDS)[number] | null;
  results: number;
  lowest: number | null;
  highest: number | null;
  labels: string[];
  last: string;
  failsBelow: number | null;
  failsAbove: number | null;
  failingLabels: string[] | null;
};

export const listEvaluators = verb(
  {
    name: "evaluators.list",
    summary: "List the automatic evaluators whose results were sent, by name.",
    description: `Results are \`gen_ai.evaluation.result\` events, annotations and evaluations of OpenInference, and feedback sent with \`evaluatorKind\` \`model\` or \`code\`. At most ${EVALUATORS_MAX} evaluators.`,
    effect: "read",
    capability: "diagnostics:read",
    input: listEvaluatorsInput,
    reply: evaluatorsReply,
  },
  async (ctx) => {
    const { projectId } = ctx;
    // One look into the index for each name: there may be a million results of one.
    const nextName = (after: ReturnType<typeof sql>) => sql`
      (select f.name from feedback f where ${isResult(projectId)} ${after} order by f.name limit 1)`;
    const rows = await ctx.db.execute<Row>(sql`
      with recursive names as (
        select ${nextName(sql``)} as name
        union all
        select ${nextName(sql`and f.name > names.name`)} from names where names.name is not null
      )
      select n.name, told.kind, told.results, told.lowest, told.highest, told.labels, told.last,
        e.fails_below as "failsBelow", e.fails_above as "failsAbove", e.failing_labels as "failingLabels"
      from (select name from names where name is not null limit ${EVALUATORS_MAX}) n
      left join evaluators e on e.project_id = ${projectId} and e.name = n.name
      cross join lateral (
        with newest as materialized (
          select f.kind, f.value, f.evaluator_kind, f.given_at from feedback f
          where ${isResult(projectId)} and f.name = n.name
          order by f.given_at desc, f.id desc limit ${RESULTS_TOLD}
        )
        select count(*)::int as results, max(given_at) as last,
          (array_agg(evaluator_kind order by given_at desc))[1] as kind,
          min(value::float8) filter (where jsonb_typeof(value) = 'number') as lowest,
          max(value::float8) filter (where jsonb_typeof(value) = 'number') as highest,
          array(
            select value #>> '{}' from newest
            where kind = 'comment' and length(value #>> '{}') <= ${LABEL_CHARACTERS_MAX}
            group by 1 order by count(*) desc, 1 limit ${LABELS_MAX}
          ) as labels
        from newest
      ) told
      order by n.name`);
    return {
      evaluators: rows.map(({ kind, last, failsBelow, failsAbove, failingLabels, ...told }) => ({
        ...told,
        evaluatorKind: kind,
        lastGivenAt: Number(last),
        failsWhen: failsWhenOf({ failsBelow, failsAbove, failingLabels }),
      })),
    };
  },
);
