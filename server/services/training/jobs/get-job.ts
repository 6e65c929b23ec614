import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { readJob } from "./read-jobs";
import { jobIdInput, jobReply } from "./schemas";

export const getJob = verb(
  {
    name: "trainingJobs.get",
    summary: "Read one training job.",
    description:
      "Includes its status, progress, the newest values of its charts, and what was built from it. `staleSince`: its trainer has been unreachable since then; the job may still be running.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: jobIdInput,
    reply: jobReply,
  },
  async (ctx, { jobId }) => {
    return { job: await readJob(ctx, jobId) };
  },
);
