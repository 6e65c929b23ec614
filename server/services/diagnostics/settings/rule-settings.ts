import { and, desc, eq, inArray } from "drizzle-orm";
import { ruleSettings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DEFAULT_CONFIGURATION, RULES, type RuleConfiguration, ruleConfiguration } from "../rules";
import type { Rule } from "../types";

export type ConfiguredRule = { rule: Rule; revision: number; enabled: boolean; configuration: RuleConfiguration };

/** A Rule that nobody changed: no row says it. */
const FIRST_REVISION = 1;

/** Every built-in Rule as this project has it: what it changed, over the defaults. */
export async function configuredRules(ctx: Pick<Ctx, "db" | "projectId">): Promise<ConfiguredRule[]> {
  const rows = await ctx.db
    .selectDistinctOn([ruleSettings.id])
    .from(ruleSettings)
    .where(eq(ruleSettings.projectId, ctx.projectId))
    .orderBy(ruleSettings.id, desc(ruleSettings.revision));
  const changed = new Map(rows.map((row) => [row.id, row]));
  return RULES.map((rule) => {
    const row = changed.get(rule.id);
    return {
      rule,
      revision: row?.revision ?? FIRST_REVISION,
      enabled: row?.enabled ?? true,
      configuration: row ? ruleConfiguration(rule).parse(row.configuration) : DEFAULT_CONFIGURATION,
    };
  });
}

/** Returns what finds the configuration of a Rule at one of these revisions. */
export async function configurationsAt(ctx: Pick<Ctx, "db" | "projectId">, revisions: readonly number[]) {
  const rows = await ctx.db
    .select()
    .from(ruleSettings)
    .where(and(eq(ruleSettings.projectId, ctx.projectId), inArray(ruleSettings.revision, [...new Set(revisions)])));
  const stored = new Map(rows.map((row) => [`${row.id} ${row.revision}`, row.configuration]));
  return (rule: Rule, revision: number): RuleConfiguration => {
    const configuration = stored.get(`${rule.id} ${revision}`);
    return configuration === undefined ? DEFAULT_CONFIGURATION : ruleConfiguration(rule).parse(configuration);
  };
}
