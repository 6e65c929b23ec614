import { db } from "@/db/pool";
import { trainingJobDue } from "@/server/platform/jobs/events";
import { runTrainingJob, wakeTrainingJobs } from "@/server/services/training";
import { inngest } from "../client";
import { jobContext } from "../job-context";
import { inPasses, inTurns, pollOptions, turnOptions } from "../turns";

const RUN = "run-training-job";
/** The start is followed closely; after that, the poll and the trainer's own calls take over, since a job may take days. */
const TURNS = { turns: 5, pause: "2s" };

export const runTrainingJobs = inngest.createFunction(
  { ...turnOptions(RUN, "jobId"), triggers: [trainingJobDue] },
  ({ event: { data }, step }) =>
    inTurns(step, TURNS, () => runTrainingJob(jobContext(RUN, data.projectId), data.jobId)),
);

export const pollTrainingJobs = inngest.createFunction(pollOptions("poll-training-jobs"), ({ step }) =>
  inPasses(step, (n) => step.run(`wake-${n}`, () => wakeTrainingJobs(db()))),
);
