import { functionOptions } from "@/server/platform/jobs/catalogue";
import { repricingRequested } from "@/server/platform/jobs/events";
import { failRepricing, runRepricing } from "@/server/services/costs";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const NAME = "reprice";

/** Long enough to amortize a step's overhead, short enough for a graceful stop. */
const STEP_MS = 5_000;
/** Steps per run. The rest goes to a new run, queued behind other pending ones. */
const STEPS = 60;
const AT_ONCE = 2;

export const reprice = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [repricingRequested],
    concurrency: [{ limit: 1, key: "event.data.repricingId" }, { limit: AT_ONCE }],
    retries: 5,
    onFailure: async ({ event, error, step }) => {
      const { projectId, repricingId } = event.data.event.data;
      await step.run("fail", () => failRepricing(jobContext(NAME, projectId), repricingId, error.message));
    },
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(NAME, data.projectId);
    for (let n = 0; n < STEPS; n += 1) {
      const { done, wait } = await step.run(`turn-${n}`, () => runRepricing(ctx, data.repricingId, { forMs: STEP_MS }));
      if (done) return { done };
      if (wait) await step.sleep(`wait-${n}`, "1s");
    }
    await step.sendEvent("go-on", repricingRequested.create(data));
    return { done: false };
  },
);
