import { functionOptions } from "@/server/platform/jobs/catalogue";
import { rolloutDue } from "@/server/platform/jobs/events";
import { runRollout } from "@/server/services/fine-tuning";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const RUN = "run-rollout";
/** Comparisons take minutes: the poll goes on with what takes longer. */
const TURNS = 5;
const PAUSE = "5s";

export const runRollouts = inngest.createFunction(
  {
    ...functionOptions(RUN),
    triggers: [rolloutDue],
    concurrency: [{ limit: 1, key: "event.data.decisionId" }],
    // The poll wakes what is left over.
    retries: 5,
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(RUN, data.projectId);
    for (let n = 0; n < TURNS; n += 1) {
      if (n > 0) await step.sleep(`wait-${n}`, PAUSE);
      const { done } = await step.run(`turn-${n}`, () => runRollout(ctx, data.decisionId));
      if (done) return { done };
    }
    return { done: false };
  },
);
