import { db } from "@/db/pool";
import { trainingJobDue, trainingRemovalDue } from "@/server/platform/jobs/events";
import { runRemoval, runTrainingJob, wakeRemovals, wakeTrainingJobs } from "@/server/services/training";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";
import { inPasses, inTurns, pollOptions, turnOptions } from "../../turns";

const RUN = "run-training-job";
const REMOVE = "remove-training-files";
/** The start is followed closely; after that, the poll and the trainer's own calls take over, since a job may take days. */
const TURNS = { turns: 5, pause: "2s" };

export const runTrainingJobs = inngest.createFunction(
  { ...turnOptions(RUN, "jobId"), triggers: [trainingJobDue] },
  ({ event: { data }, step }) =>
    inTurns(step, TURNS, () => runTrainingJob(jobContext(RUN, data.projectId), data.jobId)),
);

export const removeTrainingFiles = inngest.createFunction(
  { ...turnOptions(REMOVE, "removalId"), triggers: [trainingRemovalDue] },
  ({ event: { data }, step }) =>
    inTurns(step, { turns: 1, pause: "2s" }, () => runRemoval(jobContext(REMOVE, data.projectId), data.removalId)),
);

export const pollTrainingJobs = inngest.createFunction(pollOptions("poll-training-jobs"), ({ step }) =>
  inPasses(step, (n) => step.run(`wake-${n}`, async () => (await wakeTrainingJobs(db())) + (await wakeRemovals(db())))),
);
