import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { newId } from "@/server/platform/ids";
import { createRule, createRuleRuns, executeRuleRuns, findingTimeline, listFindings, updateFindings } from "..";
import { RULES } from "../rules";
import { failingToolCall, storedConversation } from "../testing";

/** For tests: the Rule of the Finding. */
export const RULE = "tool-failure";
export const VERSION = RULES.find(({ id }) => id === RULE)!.version;

/** For tests: conversations of some days. */
export type Traffic = {
  affected?: number;
  conversations: number;
  days: [from: number, until: number];
  labels?: string[];
  models?: string[];
  versions?: string[];
  /** How the Rule read them; `null`: not at all. */
  read?: { version?: number; revision?: number; origin?: string } | null;
};

type OwnRule = Parameters<typeof createRule>[1];

/**
 * For tests: a project with a Finding of one Rule, or of an own one that finds calls of `alpha`, that was resolved, unless `open`;
 * days are counted from then.
 */
export async function resolved({ open = false, own }: { open?: boolean; own?: OwnRule } = {}) {
  const { ctx } = await testProject();
  const rule = own ? (await createRule(ctx, own)).rule : { id: RULE, version: VERSION };
  const said = failingToolCall("alpha", "Error: not found");
  const { id, lastActivityAt } = await storedConversation(ctx, said, { startedAt: Date.now() - 200 * DAY_MS });
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.filter(({ ruleId }) => ruleId === rule.id).map((run) => run.id),
  );
  const { findings } = await listFindings(ctx, {});
  const findingId = findings[0]!.id;
  const at = Date.now() - 30 * DAY_MS;
  if (!open) await updateFindings(ctx, { findingIds: [findingId], set: { resolutionStatus: "resolved" } });
  if (!open)
    await ctx.db.execute(sql`
    with resolved as (
      update findings set resolved_at = ${at} where project_id = ${ctx.projectId} and id = ${findingId})
    update fixes set started_at = ${at} where project_id = ${ctx.projectId} and finding_id = ${findingId}`);
  return {
    ctx,
    at,
    findingId,
    stored: (traffic: Traffic) => stored(ctx, { at, findingId, rule }, traffic),
    /** As the Finding's page shows it. */
    fix: async () => (await findingTimeline(ctx, { findingId })).fix!,
  };
}

type Found = { at: number; findingId: string; rule: { id: string; version: number } };

/** Stores conversations, of which a call of each cost 2 cents, evenly over these days, those with the Finding evenly among them. */
async function stored(ctx: Ctx, { at, findingId, rule }: Found, traffic: Traffic) {
  const { affected = 0, conversations, days, labels = [], models = [], versions = [], read = {} } = traffic;
  const traits = textArray(versions.map((version) => `version:${version}`));
  const prefix = newId("conv");
  const all = sql`
    select ${prefix} || '-' || n as id, ${at + days[0] * DAY_MS}::bigint + (n * ${((days[1] - days[0]) * DAY_MS) / conversations}::float8)::bigint as at,
      floor(n * ${affected}::float8 / ${conversations}) > floor((n - 1) * ${affected}::float8 / ${conversations}) as has_it
    from generate_series(1, ${conversations}::int) n`;
  await ctx.db.execute(sql`
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at, labels, models, traits, cost)
    select ${ctx.projectId}, id, 'trace:' || id, at - 1000, at - 1000, at, ${textArray(labels)}, ${textArray(models)}, ${traits}, 0.02
    from (${all}) c`);
  await ctx.db.execute(sql`
    insert into conversation_search (project_id, conversation_id, started_at, terms)
    select project_id, id, started_at, traits || array(select 'model:' || model from unnest(models) model) from conversations
    where project_id = ${ctx.projectId} and starts_with(id, ${prefix}) and models || traits <> '{}'`);
  if (read === null) return;
  await ctx.db.execute(sql`
    insert into rule_runs (project_id, id, rule_id, rule_version, configuration_revision, conversation_id, last_activity_at,
      origin, status, result_count)
    select ${ctx.projectId}, 'run_' || id, ${rule.id}, ${read.version ?? rule.version}, ${read.revision ?? 1}, id, at - 1000,
      ${read.origin ?? "automatic"}, 'completed', 0
    from (${all}) c`);
  await ctx.db.execute(sql`
    insert into occurrences (project_id, id, finding_id, conversation_id, rule_run_id, score, confidence, severity, title,
      summary, evidence, cause_ids, detected_at, updated_at)
    select ${ctx.projectId}, 'occ_' || id, ${findingId}, id, 'run_' || id, 1, 1, 'high', '', '', '[]', '{}', at, at
    from (${all}) c where has_it`);
}
