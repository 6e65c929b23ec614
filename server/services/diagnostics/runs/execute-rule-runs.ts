import type { Ctx } from "@/server/platform/context";
import type { WindowSize } from "@/server/services/telemetry";
import { adjudicateRuleRuns } from "./adjudicate-rule-runs";
import { detectRuleRuns } from "./detect-rule-runs";
import { recordRuleRuns } from "./record-rule-runs";

/** Executes all steps of Runs, one after the other, for callers without a job. Throws if a Run fails; the others complete. */
export async function executeRuleRuns(
  ctx: Ctx,
  runIds: readonly string[],
  size?: WindowSize,
): Promise<{ completed: number }> {
  const detected = await detectRuleRuns(ctx, runIds, size);
  await adjudicateRuleRuns(ctx, detected.undecided, size);
  const recorded = await recordRuleRuns(ctx, detected.undecided);
  const failed = detected.failed.length + recorded.failed.length;
  if (failed > 0) throw new Error(`${failed} Rule ${failed === 1 ? "Run" : "Runs"} failed.`);
  return { completed: detected.finished + recorded.finished };
}
