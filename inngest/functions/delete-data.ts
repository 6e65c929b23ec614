import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { deletionRequested } from "@/server/platform/jobs/events";
import { runDeletion } from "@/server/services/deletion";
import { inngest } from "../client";

const NAME = "delete-data";

/** Long enough to amortize a step's overhead, short enough for a graceful stop. */
const STEP_MS = 5_000;
/** Steps per run. The rest goes to a new run, queued behind other pending ones. */
const STEPS = 60;
const AT_ONCE = 2;

export const deleteData = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [deletionRequested],
    concurrency: [{ limit: 1, key: "event.data.deletionId" }, { limit: AT_ONCE }],
    retries: 10,
  },
  async ({ event: { data }, step }) => {
    for (let n = 0; n < STEPS; n += 1) {
      const { done } = await step.run(`delete-${n}`, () =>
        runDeletion(db(), data.deletionId, { forMs: STEP_MS, jobName: NAME }),
      );
      if (done) return { done };
    }
    await step.sendEvent("go-on", deletionRequested.create(data));
    return { done: false };
  },
);
