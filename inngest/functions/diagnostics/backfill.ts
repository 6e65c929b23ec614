import { functionOptions } from "@/server/platform/jobs/catalogue";
import { backfillRequested } from "@/server/platform/jobs/events";
import { failBackfill, runBackfill } from "@/server/services/diagnostics";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";

const NAME = "backfill";

/** Bounds a step, for a graceful stop; one batch of allowed Runs takes less time to queue. */
const STEP_MS = 2_000;
/** Steps per run. The rest goes to a new run, queued behind other pending ones. */
const STEPS = 60;
const AT_ONCE = 2;

/** Queues Rule Runs as earlier ones finish. `run-rules` executes them, as it does those of any origin. */
export const backfill = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [backfillRequested],
    concurrency: [{ limit: 1, key: "event.data.backfillId" }, { limit: AT_ONCE }],
    retries: 5,
    onFailure: async ({ event, error, step }) => {
      const { projectId, backfillId } = event.data.event.data;
      await step.run("fail", () => failBackfill(jobContext(NAME, projectId), backfillId, error.message));
    },
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(NAME, data.projectId);
    for (let n = 0; n < STEPS; n += 1) {
      const { done, wait } = await step.run(`turn-${n}`, () => runBackfill(ctx, data.backfillId, { forMs: STEP_MS }));
      if (done) return { done };
      if (wait) await step.sleep(`wait-${n}`, "1s");
    }
    await step.sendEvent("go-on", backfillRequested.create(data));
    return { done: false };
  },
);
