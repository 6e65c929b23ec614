import { functionOptions } from "@/server/platform/jobs/catalogue";
import { importRequested } from "@/server/platform/jobs/events";
import { failImport, runImport } from "@/server/services/datasets";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";

const NAME = "import-examples";

/** Long enough to amortize a step's overhead, short enough for a graceful stop. */
const STEP_MS = 2_000;
/** Steps per run. The rest goes to a new run, queued behind other pending ones. */
const STEPS = 150;
const AT_ONCE = 2;

/** Reads a file into a Dataset. */
export const importExamples = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [importRequested],
    concurrency: [{ limit: 1, key: "event.data.importId" }, { limit: AT_ONCE }],
    retries: 5,
    onFailure: async ({ event, error, step }) => {
      const { projectId, importId } = event.data.event.data;
      await step.run("fail", () => failImport(jobContext(NAME, projectId), importId, error.message));
    },
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(NAME, data.projectId);
    for (let n = 0; n < STEPS; n += 1) {
      const { done, wait } = await step.run(`turn-${n}`, () => runImport(ctx, data.importId, { forMs: STEP_MS }));
      if (done) return { done };
      if (wait) await step.sleep(`wait-${n}`, "1s");
    }
    await step.sendEvent("go-on", importRequested.create(data));
    return { done: false };
  },
);
