import "server-only";

export { cancelBackgroundJob } from "./cancel-background-job";
export { getBackgroundJob } from "./get-background-job";
export { listBackgroundJobs } from "./list-background-jobs";
export { EMBEDDED, recordEngine } from "./record-engine";
export { replayBackgroundJob, replayFailedBackgroundJobs } from "./replay-background-job";
export { summariseBackgroundJobs } from "./summarise-background-jobs";
