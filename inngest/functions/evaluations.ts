import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { evaluationDue } from "@/server/platform/jobs/events";
import { runEvaluation, wakeEvaluations } from "@/server/services/fine-tuning";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const RUN = "run-evaluation";
/** Each waits up to 20 s for the trainer; what is left after them is woken by the poll. */
const TURNS = 40;
const PAUSE = "1s";
const AT_ONCE = 4;

export const runEvaluations = inngest.createFunction(
  {
    ...functionOptions(RUN),
    triggers: [evaluationDue],
    concurrency: [
      { limit: 1, key: "event.data.evaluationId" },
      { limit: AT_ONCE, key: "event.data.projectId" },
    ],
    // A trainer's failures are handled by the service; these are the database's. The poll wakes what is left over.
    retries: 5,
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(RUN, data.projectId);
    for (let n = 0; n < TURNS; n += 1) {
      if (n > 0) await step.sleep(`wait-${n}`, PAUSE);
      const { done, waits } = await step.run(`turn-${n}`, () => runEvaluation(ctx, data.evaluationId));
      if (done || waits) return { done };
    }
    return { done: false };
  },
);

export const pollEvaluations = inngest.createFunction(
  {
    ...functionOptions("poll-evaluations"),
    triggers: [{ cron: "* * * * *" }],
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  ({ step }) => step.run("wake", () => wakeEvaluations(db())),
);
