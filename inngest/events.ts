import { eventType } from "inngest";
import { z } from "zod";

/** More than this many Rule Runs are told in several events, so that a turn stays short. */
export const RUNS_PER_EVENT = 100;

/** Rule Runs wait to be executed. */
export const ruleRunsQueued = eventType("diagnostics/rule-runs.queued", {
  schema: z.object({
    projectId: z.string().min(1),
    runIds: z.array(z.string().min(1)).min(1).max(RUNS_PER_EVENT),
  }),
});

/** Every event of the product: `emit(ctx.db, ruleRunsQueued.create({ projectId, runIds }))`. */
export type AppEvent = ReturnType<typeof ruleRunsQueued.create>;
