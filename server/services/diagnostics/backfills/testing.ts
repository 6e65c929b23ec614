import { and, eq } from "drizzle-orm";
import { ruleRuns } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { executeRuleRuns } from "../runs/execute-rule-runs";
import { runBackfill } from "./run-backfill";

/** Executes the queued Runs of a backfill, as `run-rules` does. */
export async function executeQueued(ctx: Ctx, backfillId: string) {
  const rows = await ctx.db
    .select({ id: ruleRuns.id })
    .from(ruleRuns)
    .where(
      and(eq(ruleRuns.projectId, ctx.projectId), eq(ruleRuns.backfillId, backfillId), eq(ruleRuns.status, "queued")),
    );
  await executeRuleRuns(
    ctx,
    rows.map(({ id }) => id),
  );
}

/** Runs a backfill to completion, including the Runs that it queues. */
export async function runToEnd(ctx: Ctx, backfillId: string) {
  while (!(await runBackfill(ctx, backfillId, { forMs: 0 })).done) await executeQueued(ctx, backfillId);
}
