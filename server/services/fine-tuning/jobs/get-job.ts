import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "../readers";
import { requireTrainer } from "../trainers";
import { readJob } from "./read-jobs";
import { jobIdInput, jobReply } from "./schemas";

export const getJob = verb(
  {
    name: "fineTuning.getJob",
    summary: "Read one training job.",
    description:
      "With its status, progress, the newest values of its charts, and what was built from it. `staleSince`: its trainer cannot be reached since then, and the job may be running all the same.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: jobIdInput,
    reply: jobReply,
  },
  async (ctx, { jobId }) => {
    await requireTrainer(ctx);
    return { job: await readJob(ctx, jobId) };
  },
);
