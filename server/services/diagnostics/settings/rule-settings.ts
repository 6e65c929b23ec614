import { and, desc, eq, inArray } from "drizzle-orm";
import { ruleSettings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ownRulesAt, projectRules } from "../own-rules/stored-rules";
import { defaultConfiguration, type RuleConfiguration, ruleConfiguration } from "../rules";
import type { Rule } from "../types";

export type ConfiguredRule = { rule: Rule; revision: number; enabled: boolean; configuration: RuleConfiguration };

/** The revision of an unchanged Rule, which has no row. */
const FIRST_REVISION = 1;

/** Returns every Rule, built in or the project's own, with this project's settings applied to the defaults. */
export async function configuredRules(ctx: Pick<Ctx, "db" | "projectId">): Promise<ConfiguredRule[]> {
  const rows = await ctx.db
    .selectDistinctOn([ruleSettings.id])
    .from(ruleSettings)
    .where(eq(ruleSettings.projectId, ctx.projectId))
    .orderBy(ruleSettings.id, desc(ruleSettings.revision));
  const changed = new Map(rows.map((row) => [row.id, row]));
  return (await projectRules(ctx)).map((rule) => {
    const row = changed.get(rule.id);
    return {
      rule,
      revision: row?.revision ?? FIRST_REVISION,
      enabled: row?.enabled ?? true,
      configuration: row ? ruleConfiguration(rule).parse(row.configuration) : defaultConfiguration(rule),
    };
  });
}

/** Loads these revisions and returns a lookup of a Rule's configuration by revision. */
export async function configurationsAt(ctx: Pick<Ctx, "db" | "projectId">, revisions: readonly number[]) {
  const rows = await ctx.db
    .select()
    .from(ruleSettings)
    .where(and(eq(ruleSettings.projectId, ctx.projectId), inArray(ruleSettings.revision, [...new Set(revisions)])));
  const stored = new Map(rows.map((row) => [`${row.id} ${row.revision}`, row.configuration]));
  return (rule: Rule, revision: number): RuleConfiguration => {
    const configuration = stored.get(`${rule.id} ${revision}`);
    return configuration === undefined ? defaultConfiguration(rule) : ruleConfiguration(rule).parse(configuration);
  };
}

type OfRun = { ruleId: string; ruleVersion: number };

/** Returns a lookup of the configured Rule of a Run. An own Rule is as it was in the version that the Run is about. */
export async function rulesOfRuns(ctx: Pick<Ctx, "db" | "projectId">, runs: readonly OfRun[]) {
  const current = new Map((await configuredRules(ctx)).map((configured) => [configured.rule.id, configured]));
  const isEarlier = ({ ruleId, ruleVersion }: OfRun) => {
    const rule = current.get(ruleId)?.rule;
    return rule?.own !== undefined && rule.version !== ruleVersion;
  };
  const earlier = await ownRulesAt(
    ctx,
    runs.filter(isEarlier).map(({ ruleId }) => ruleId),
  );
  return ({ ruleId, ruleVersion }: OfRun): ConfiguredRule | undefined => {
    const configured = current.get(ruleId);
    const rule = earlier(ruleId, ruleVersion);
    return configured && rule ? { ...configured, rule } : configured;
  };
}
