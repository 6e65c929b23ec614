import {
  cancelJob,
  createJob,
  getJob,
  listJobs,
  pauseJob,
  resumeJob,
  validateJob,
} from "@/server/services/fine-tuning";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const trainingJobsRouter = router({
  list: query(listJobs),
  get: query(getJob),
  create: mutation(createJob),
  validate: mutation(validateJob),
  cancel: mutation(cancelJob),
  pause: mutation(pauseJob),
  resume: mutation(resumeJob),
});
