import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { datasetDeleted } from "@/server/platform/jobs/events";
import { deleteDatasetRows } from "@/server/services/datasets";
import { inngest } from "../../client";

const NAME = "delete-dataset";

/** Long enough to amortize a step's overhead, short enough for a graceful stop. */
const STEP_MS = 5_000;
/** Steps per run. The rest goes to a new run, queued behind other pending ones. */
const STEPS = 60;

export const deleteDatasetExamples = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [datasetDeleted],
    concurrency: [{ limit: 1, key: "event.data.datasetId" }, { limit: 1 }],
    retries: 10,
  },
  async ({ event: { data }, step }) => {
    for (let n = 0; n < STEPS; n += 1) {
      const { done } = await step.run(`delete-${n}`, () =>
        deleteDatasetRows(db(), data, { forMs: STEP_MS, jobName: NAME }),
      );
      if (done) return { done };
    }
    await step.sendEvent("go-on", datasetDeleted.create(data));
    return { done: false };
  },
);
