import {
  cancelBackgroundJob,
  getBackgroundJob,
  listBackgroundJobs,
  replayBackgroundJob,
  replayFailedBackgroundJobs,
  summariseBackgroundJobs,
} from "@/server/services/background-jobs";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const backgroundJobsRouter = router({
  list: query(listBackgroundJobs),
  get: query(getBackgroundJob),
  summary: query(summariseBackgroundJobs),
  replay: mutation(replayBackgroundJob),
  replayFailed: mutation(replayFailedBackgroundJobs),
  cancel: mutation(cancelBackgroundJob),
});
