import { eq } from "drizzle-orm";
import { ruleSettings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DEFAULT_CONFIGURATION, RULES, type RuleConfiguration, ruleConfiguration } from "./rules";
import type { Rule } from "./types";

export type ConfiguredRule = { rule: Rule; enabled: boolean; configuration: RuleConfiguration };

/** Every built-in Rule as this project has it: what it changed, over the defaults. */
export async function configuredRules(ctx: Pick<Ctx, "db" | "projectId">): Promise<ConfiguredRule[]> {
  const rows = await ctx.db.select().from(ruleSettings).where(eq(ruleSettings.projectId, ctx.projectId));
  const changed = new Map(rows.map((row) => [row.id, row]));
  return RULES.map((rule) => {
    const row = changed.get(rule.id);
    return {
      rule,
      enabled: row?.enabled ?? true,
      configuration: row ? ruleConfiguration(rule).parse(row.configuration) : DEFAULT_CONFIGURATION,
    };
  });
}
