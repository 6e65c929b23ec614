import type { ruleRuns } from "@/db/schema";
import type { RuleRun } from "../schemas";

/** Converts a row to its JSON form, with links to its Rule, backfill and conversation. */
export function ruleRunJson(row: typeof ruleRuns.$inferSelect): RuleRun {
  const base = `/v1/projects/${row.projectId}`;
  return {
    ...row,
    links: {
      rule: `${base}/diagnostics/rules#${row.ruleId}`,
      backfill: row.backfillId && `${base}/diagnostics/backfills/${row.backfillId}`,
      conversation: `${base}/conversations/${row.conversationId}`,
    },
  };
}
