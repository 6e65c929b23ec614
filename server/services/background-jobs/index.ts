import "server-only";

export { cancelBackgroundJob } from "./cancel-background-job";
export { getBackgroundJob } from "./get-background-job";
export { listBackgroundJobs } from "./list-background-jobs";
export { replayBackgroundJob, replayFailedBackgroundJobs } from "./replay-background-job";
export { summariseBackgroundJobs } from "./summarise-background-jobs";
export { EMBEDDED, takeOver } from "./take-over";
