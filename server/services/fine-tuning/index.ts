import "server-only";

export { cancelJob, pauseJob, resumeJob } from "./jobs/change-jobs";
export { createJob } from "./jobs/create-job";
export { getJob } from "./jobs/get-job";
export { listJobs } from "./jobs/list-jobs";
export { runTrainingJob, wakeTrainingJobs } from "./jobs/run-job";
export { validateJob } from "./jobs/validate-job";
