import { functionOptions } from "@/server/platform/jobs/catalogue";
import { sampleRequested } from "@/server/platform/jobs/events";
import { failSampleLoad, runSampleLoad } from "@/server/services/sample";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const NAME = "load-sample";

/** Long enough to amortize a step's overhead, short enough for a graceful stop. */
const STEP_MS = 3_000;
/** Steps per run. The rest goes to a new run, queued behind other pending ones. */
const STEPS = 100;

/** Sends the sample's conversations and reads them. */
export const loadSampleProject = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [sampleRequested],
    concurrency: [{ limit: 1, key: "event.data.projectId" }, { limit: 1 }],
    retries: 5,
    onFailure: async ({ event, error, step }) => {
      const { projectId } = event.data.event.data;
      await step.run("fail", async () => {
        await failSampleLoad(jobContext(NAME, projectId), error.message);
      });
    },
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(NAME, data.projectId);
    for (let n = 0; n < STEPS; n += 1) {
      const { done } = await step.run(`turn-${n}`, () => runSampleLoad(ctx, { forMs: STEP_MS }));
      if (done) return { done };
    }
    await step.sendEvent("go-on", sampleRequested.create(data));
    return { done: false };
  },
);
