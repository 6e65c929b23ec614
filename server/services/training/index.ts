import "server-only";

export { getMetrics, listEvents, streamEvents } from "./events";
export { takeAgentEvents } from "./events/take-events";
export { cancelJob, pauseJob, resumeJob } from "./jobs/change-jobs";
export { createJob } from "./jobs/create-job";
export { getJob } from "./jobs/get-job";
export { listJobs } from "./jobs/list-jobs";
export { playTraining } from "./jobs/play-training";
export { runTrainingJob, wakeTrainingJobs } from "./jobs/run-job";
export { validateJob } from "./jobs/validate-job";
export { forgetTraining } from "./manifests/forget-training";
export { openManifest } from "./manifests/open-manifest";
export {
  deleteCheckpoint,
  deleteJob,
  listCheckpointDependents,
  listJobDependents,
  queueRemovalsOf,
  releaseRemovals,
  removedColumns,
  runRemoval,
  wakeRemovals,
} from "./removal";
export { createTuningConfig } from "./tuning-configs/create-tuning-config";
export { deleteTuningConfig } from "./tuning-configs/delete-tuning-config";
export { dueTuningConfigs, evaluateTrigger } from "./tuning-configs/evaluate-trigger";
export { listRolloutDecisions } from "./tuning-configs/list-rollout-decisions";
export { getTuningConfig, listTriggerDecisions, listTuningConfigs } from "./tuning-configs/list-tuning-configs";
export { updateTuningConfig } from "./tuning-configs/update-tuning-config";
