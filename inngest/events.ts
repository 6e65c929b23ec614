import { eventType } from "inngest";
import { z } from "zod";

/** More than this many Rule Runs are told in several events, so that a turn stays short. */
export const RUNS_PER_EVENT = 100;

/** Rule Runs wait to be executed: `emit(ctx.db, ruleRunsQueued.create({ projectId, runIds }))`. */
export const ruleRunsQueued = eventType("diagnostics/rule-runs.queued", {
  schema: z.object({
    projectId: z.string().min(1),
    runIds: z.array(z.string().min(1)).min(1).max(RUNS_PER_EVENT),
  }),
});

/** A worker has started: conversations may have gone quiet while none ran. Sent once a start. */
export const quietSweepRequested = eventType("diagnostics/quiet-sweep.requested", { schema: z.object({}) });
