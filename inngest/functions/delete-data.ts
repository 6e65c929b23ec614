import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { deletionRequested } from "@/server/platform/jobs/events";
import { runDeletion } from "@/server/services/deletion";
import { inngest } from "../client";

const NAME = "delete-data";

/** A step is one turn of a worker: long enough to be worth it, short enough to stop with the worker. */
const STEP_MS = 5_000;
/** Steps of one run; what is left is another run's, behind the others that wait. */
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
