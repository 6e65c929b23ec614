import { and, eq, inArray } from "drizzle-orm";
import { ruleRuns } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { type Run, storedError } from "./started-runs";

export type FailedRun = { run: Run; error: unknown };

/**
 * Logs and stores why attempts failed; the Runs stay running until their retries are exhausted. Throws if nothing else
 * succeeded: then the job itself is what fails and is retried.
 */
export async function noteFailures(ctx: Ctx, failures: readonly FailedRun[], { succeeded }: { succeeded: number }) {
  for (const { run, error } of failures) {
    const safe = loggable(error);
    logger("diagnostics").error({ err: safe, runId: run.id, ruleId: run.ruleId }, "A Rule Run failed.");
    const message = safe instanceof Error ? safe.message : String(safe);
    await ctx.db
      .update(ruleRuns)
      .set({
        status: "running",
        attempts: run.attempts,
        startedAt: run.startedAt,
        errorMessage: storedError(message),
      })
      .where(
        and(
          eq(ruleRuns.projectId, ctx.projectId),
          eq(ruleRuns.id, run.id),
          inArray(ruleRuns.status, ["queued", "running"]),
        ),
      );
  }
  const [first] = failures;
  if (first && succeeded === 0) throw loggable(first.error);
}
