import { and, eq, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { evaluators } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { configuredRules } from "../settings/rule-settings";
import { fails, type Result } from "./fails";
import { agreementOf, kappaOf } from "./kappa";
import {
  type Agreement,
  compareEvaluatorInput,
  evaluatorComparisonReply,
  type FailsWhen,
  MISSED_MAX,
  RESULTS_COMPARED,
} from "./schemas";
import { failsWhenOf, isResult } from "./stored-evaluators";

export const compareEvaluator = verb(
  {
    name: "evaluators.compare",
    summary: "Compare an evaluator's results with what Rules found in the same conversations.",
    description: `From its newest ${RESULTS_COMPARED.toLocaleString("en")} results. A conversation fails if one of its results does. A Rule found something if the Run of its newest version did, whatever people said of the Finding since; Runs that somebody asked for one by one are left out. Says nothing while nobody has said which results fail.`,
    effect: "read",
    capability: "diagnostics:read",
    input: compareEvaluatorInput,
    reply: evaluatorComparisonReply,
  },
  async (ctx, { name }) => {
    const [stored] = await ctx.db
      .select()
      .from(evaluators)
      .where(and(eq(evaluators.projectId, ctx.projectId), eq(evaluators.name, name)));
    const failsWhen = stored ? failsWhenOf(stored) : null;
    const judged = await judgedBy(ctx, name, failsWhen);
    if (judged.results === 0) throw notFound("Evaluator");
    const { rules, missed } = await compared(ctx, judged);
    return {
      comparison: {
        name,
        failsWhen,
        conversations: judged.passed.length + judged.failed.length,
        failed: judged.failed.length,
        sampled: judged.results > RESULTS_COMPARED,
        rules,
        missed: { count: missed.length, conversationIds: missed.slice(0, MISSED_MAX) },
      },
    };
  },
);

type Judged = { results: number; passed: string[]; failed: string[] };

/** Returns the conversations of the newest results, those with the newest first. One result more says whether there are more. */
async function judgedBy(ctx: Ctx, name: string, failsWhen: FailsWhen | null): Promise<Judged> {
  const results = await ctx.db.execute<Result & { id: string | null }>(sql`
    select f.conversation_id as id, f.kind, f.value from feedback f
    where ${isResult(ctx.projectId)} and f.name = ${name}
    order by f.given_at desc, f.id desc limit ${RESULTS_COMPARED + 1}`);
  const failedById = new Map<string, boolean>();
  for (const { id, ...result } of results.slice(0, RESULTS_COMPARED)) {
    const failed = failsWhen && fails(result, failsWhen);
    if (id !== null && failed !== null) failedById.set(id, failed || failedById.get(id) === true);
  }
  const of = (failed: boolean) => [...failedById].flatMap(([id, one]) => (one === failed ? [id] : []));
  return { results: results.length, passed: of(false), failed: of(true) };
}

type Count = { ruleId: string; both: number; onlyEvaluator: number; onlyRule: number; neither: number };

async function compared(ctx: Ctx, { passed, failed }: Judged) {
  if (passed.length + failed.length === 0) return { rules: [], missed: [] };
  // OFFSET 0 forces a look-up for each conversation: a join could read every Run of the project.
  const [row] = await ctx.db.execute<{ counts: Count[]; missed: string[] }>(sql`
    with judged as materialized (
      select id, false as failed, 0 as nth from unnest(${textArray(passed)}) id
      union all
      select id, true, nth::int from unnest(${textArray(failed)}) with ordinality t(id, nth)
    ),
    read as materialized (
      select j.*, r.* from judged j cross join lateral (
        select distinct on (rule_id) rule_id, result_count > 0 as found from (
          select rule_id, rule_version, configuration_revision, last_activity_at, result_count from rule_runs
          where project_id = ${ctx.projectId} and conversation_id = j.id and status = 'completed' and origin <> 'on_demand'
          offset 0
        ) each
        order by rule_id, rule_version desc, configuration_revision desc, last_activity_at desc
      ) r
    ),
    counts as (
      select rule_id as "ruleId", count(*) filter (where failed and found)::int as both,
        count(*) filter (where failed and not found)::int as "onlyEvaluator",
        count(*) filter (where found and not failed)::int as "onlyRule",
        count(*) filter (where not found and not failed)::int as neither
      from read group by 1
    )
    select (select coalesce(json_agg(counts), '[]') from counts) as counts,
      array(select id from read where failed group by id, nth having not bool_or(found) order by nth) as missed`);
  const { counts, missed } = row!;
  const names = new Map((await configuredRules(ctx)).map(({ rule }) => [rule.id, rule.name]));
  const rules = counts.map((count) => agreementWith(count, names.get(count.ruleId) ?? count.ruleId));
  return { rules: rules.sort(byKappa), missed };
}

function agreementWith({ ruleId, both, onlyEvaluator, onlyRule, neither }: Count, name: string): Agreement {
  const table = { both, onlyFirst: onlyEvaluator, onlySecond: onlyRule, neither };
  return {
    rule: { id: ruleId, name },
    conversations: both + onlyEvaluator + onlyRule + neither,
    ...{ both, onlyEvaluator, onlyRule, neither },
    agreement: agreementOf(table) ?? 0,
    kappa: kappaOf(table),
  };
}

const byKappa = (one: Agreement, other: Agreement) =>
  (other.kappa?.value ?? -2) - (one.kappa?.value ?? -2) || one.rule.name.localeCompare(other.rule.name);
