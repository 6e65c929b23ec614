import type { ruleRuns } from "@/db/schema";
import type { RuleRun } from "../schemas";

/** A Run with the paths of what it belongs to. */
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
