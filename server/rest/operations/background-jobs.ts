import {
  cancelBackgroundJob,
  getBackgroundJob,
  listBackgroundJobs,
  replayBackgroundJob,
  replayFailedBackgroundJobs,
  summariseBackgroundJobs,
} from "@/server/services/background-jobs";
import { about, get, post, project } from "./line";

export const BACKGROUND_JOBS = about("Background jobs", [
  get(`${project}/background-jobs`, listBackgroundJobs),
  get(`${project}/background-jobs/:backgroundJobId`, getBackgroundJob),
  post(`${project}/background-jobs/:backgroundJobId/replay`, replayBackgroundJob, 202),
  post(`${project}/background-jobs/:backgroundJobId/cancel`, cancelBackgroundJob),
  get(`${project}/background-job-summary`, summariseBackgroundJobs),
  post(`${project}/background-job-replays`, replayFailedBackgroundJobs, 202),
]);
