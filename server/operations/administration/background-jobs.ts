import {
  cancelBackgroundJob,
  getBackgroundJob,
  listBackgroundJobs,
  replayBackgroundJob,
  replayFailedBackgroundJobs,
  summariseBackgroundJobs,
} from "@/server/services/background-jobs";
import { get, post, project, under } from "../row";

export const BACKGROUND_JOBS = {
  backgroundJobs: under("Background jobs", {
    list: get(`${project}/background-jobs`, listBackgroundJobs),
    get: get(`${project}/background-jobs/:backgroundJobId`, getBackgroundJob),
    replay: post(`${project}/background-jobs/:backgroundJobId/replay`, replayBackgroundJob, 202),
    cancel: post(`${project}/background-jobs/:backgroundJobId/cancel`, cancelBackgroundJob),
    summary: get(`${project}/background-job-summary`, summariseBackgroundJobs),
    replayFailed: post(`${project}/background-job-replays`, replayFailedBackgroundJobs, 202),
  }),
};
