import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { collectionPassRequested } from "@/server/platform/jobs/events";
import { collectSettled, failCollectionPass, runCollectionPass } from "@/server/services/collection";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";
import { inSweeps, pollOptions } from "../../turns";

/** Bounds a step, for a graceful stop. */
const SWEEP_MS = 10_000;

export const collectExamples = inngest.createFunction(
  // Concurrent sweeps would read the same conversations.
  pollOptions("collect-examples"),
  async ({ step }) => {
    const swept = await inSweeps(step, () => collectSettled(db(), { forMs: SWEEP_MS }));
    return { conversations: swept.reduce((sum, { conversations }) => sum + conversations, 0) };
  },
);

const PASS = "collection-pass";
const STEP_MS = 2_000;
/** Steps per run. The rest goes to a new run, queued behind other pending ones. */
const STEPS = 60;
const AT_ONCE = 2;

/** Carries out a requested pass over the past. */
export const collectionPass = inngest.createFunction(
  {
    ...functionOptions(PASS),
    triggers: [collectionPassRequested],
    concurrency: [{ limit: 1, key: "event.data.collectionPassId" }, { limit: AT_ONCE }],
    retries: 5,
    onFailure: async ({ event, error, step }) => {
      const { projectId, collectionPassId } = event.data.event.data;
      await step.run("fail", async () => {
        await failCollectionPass(jobContext(PASS, projectId), collectionPassId, error.message);
      });
    },
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(PASS, data.projectId);
    for (let n = 0; n < STEPS; n += 1) {
      const { done, wait } = await step.run(`turn-${n}`, () =>
        runCollectionPass(ctx, data.collectionPassId, { forMs: STEP_MS }),
      );
      if (done) return { done };
      if (wait) await step.sleep(`wait-${n}`, "2s");
    }
    await step.sendEvent("go-on", collectionPassRequested.create(data));
    return { done: false };
  },
);
