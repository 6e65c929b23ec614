import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { trainingJobDue } from "@/server/platform/jobs/events";
import { runTrainingJob, wakeTrainingJobs } from "@/server/services/fine-tuning";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const RUN = "run-training-job";
/** The beginning is followed closely; then the poll and the trainer's own calls follow a job that may last for days. */
const TURNS = 5;
const PAUSE = "2s";
const AT_ONCE = 4;

export const runTrainingJobs = inngest.createFunction(
  {
    ...functionOptions(RUN),
    triggers: [trainingJobDue],
    concurrency: [
      { limit: 1, key: "event.data.jobId" },
      { limit: AT_ONCE, key: "event.data.projectId" },
    ],
    // A trainer's failures are handled by the service; these are the database's. The poll wakes what is left over.
    retries: 5,
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(RUN, data.projectId);
    for (let n = 0; n < TURNS; n += 1) {
      if (n > 0) await step.sleep(`wait-${n}`, PAUSE);
      const { done } = await step.run(`turn-${n}`, () => runTrainingJob(ctx, data.jobId));
      if (done) return { done };
    }
    return { done: false };
  },
);

/** Cron's resolution is a minute, and a chart should move sooner. */
const PASSES = 3;
const INTERVAL = "20s";

export const pollTrainingJobs = inngest.createFunction(
  {
    ...functionOptions("poll-training-jobs"),
    triggers: [{ cron: "* * * * *" }],
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    for (let pass = 0; pass < PASSES; pass += 1) {
      if (pass > 0) await step.sleep(`wait-${pass}`, INTERVAL);
      await step.run(`wake-${pass}`, () => wakeTrainingJobs(db()));
    }
  },
);
