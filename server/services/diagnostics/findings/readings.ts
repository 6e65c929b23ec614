import { inArray, type SQL, sql } from "drizzle-orm";
import { rowsOf, textArray } from "@/db/rows";
import { ruleSettings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { projectRules } from "../own-rules/stored-rules";
import { defaultConfiguration, ruleConfiguration } from "../rules";

/** One Rule's reading of a conversation: the Rule's version and the revision of its settings. */
export type RuleReading = { ruleId: string; ruleVersion: number; configurationRevision: number };

/** Returns the Rules whose reports make up a Finding. */
export async function rulesOfFinding(ctx: Ctx, findingId: string): Promise<string[]> {
  const rows = await ctx.db.execute<{ rule_id: string }>(sql`
    select distinct coalesce(c.rule_id, f.rule_id) as rule_id
    from findings f left join finding_causes c
      on c.project_id = f.project_id and c.finding_id = f.id and c.occurrence_count > 0
    where f.project_id = ${ctx.projectId} and f.id = ${findingId} order by 1`);
  return [...rows].map((row) => row.rule_id);
}

type Revision = { rule_id: string; revision: number; rate: number; settings: string };

/** The settings that a Rule has had. */
export type RuleHistory = {
  ruleIds: readonly string[];
  revisions: readonly Revision[];
  /**
   * Returns the same for readings that find the same: of one version of the Rule, with settings that differ at most in how many
   * conversations are sampled, or whether the Rule is on.
   */
  kindOf: (reading: RuleReading) => string;
};

export async function ruleHistory(ctx: Ctx, ruleIds: readonly string[]): Promise<RuleHistory> {
  const rows = await ctx.db
    .select()
    .from(ruleSettings)
    .where(sql`${ruleSettings.projectId} = ${ctx.projectId} and ${inArray(ruleSettings.id, [...ruleIds])}`)
    .orderBy(ruleSettings.id, ruleSettings.revision);
  const rules = await projectRules(ctx);
  const stored = rows.flatMap(({ id, revision, configuration }) => {
    const rule = rules.find((one) => one.id === id);
    return rule ? [{ rule_id: id, revision, configuration: ruleConfiguration(rule).parse(configuration) }] : [];
  });
  const first = ruleIds.map((id) => ({
    rule_id: id,
    revision: 1,
    configuration: defaultConfiguration(rules.find((one) => one.id === id) ?? {}),
  }));
  const revisions = [...first, ...stored].map(({ configuration: { sampleRate: rate, ...settings }, ...one }) => ({
    ...one,
    rate,
    settings: JSON.stringify(settings),
  }));
  const bySettings = new Map<string, number>();
  const kinds = new Map<string, number>();
  for (const { rule_id, revision, settings } of revisions) {
    const like = bySettings.get(`${rule_id} ${settings}`) ?? revision;
    bySettings.set(`${rule_id} ${settings}`, like);
    kinds.set(`${rule_id} ${revision}`, like);
  }
  return {
    ruleIds,
    revisions,
    kindOf: ({ ruleId, ruleVersion, configurationRevision: revision }) =>
      `${ruleId} ${ruleVersion} ${kinds.get(`${ruleId} ${revision}`) ?? revision}`,
  };
}

/** Where a conversation lies in [0, 1), by its id, as in `queueRuleRuns`. */
const sampleOf = (id: SQL) =>
  sql`(('x' || substr(encode(sha256(convert_to(${id}, 'UTF8')), 'hex'), 1, 8))::bit(32)::bigint / 4294967296.0)`;

/**
 * Selects, as `readings`, the newest completed reading by each Rule of one conversation, for a lateral join: each is found by
 * its index, whatever the planner knows of the tables. What people asked for counts only if it lies in the Rule's sample: they
 * ask about what looks bad.
 */
export const readingsOf = (ctx: Ctx, { ruleIds, revisions }: RuleHistory, conversationId: SQL) => sql`
  select jsonb_agg(jsonb_build_array(rule_id, rule_version, configuration_revision) order by rule_id) as readings
  from (
    select distinct on (rule_id) * from (
      select r.rule_id, r.rule_version, r.configuration_revision, bool_or(r.origin <> 'on_demand') as unasked
      from rule_runs r
      where r.project_id = ${ctx.projectId} and r.conversation_id = ${conversationId} and r.status = 'completed'
        and r.rule_id = any(${textArray(ruleIds)})
      group by 1, 2, 3
    ) each
    order by rule_id, rule_version desc, configuration_revision desc
  ) newest
  where unasked or exists (
    select 1 from ${rowsOf([...revisions], "rule_id text, revision int, rate float8")}
    where t.rule_id = newest.rule_id and t.revision = newest.configuration_revision
      and (t.rate >= 1 or ${sampleOf(conversationId)} < t.rate))`;

/** As `readingsOf` returns it; `null` for a conversation that no Rule has read. */
export type Readings = readonly (readonly [string, number, number])[] | null;

export const readingOf = ([ruleId, ruleVersion, configurationRevision]: readonly [
  string,
  number,
  number,
]): RuleReading => ({ ruleId, ruleVersion, configurationRevision });

/** Returns the same text for conversations in which the Rules find the same; `null` unless all of them have read it. */
export const kindOfReadings = ({ ruleIds, kindOf }: RuleHistory, readings: Readings): string | null =>
  readings?.length === ruleIds.length ? readings.map((one) => kindOf(readingOf(one))).join(", ") : null;
