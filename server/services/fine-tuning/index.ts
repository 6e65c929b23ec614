import "server-only";

export { addBaseModel } from "./base-models/add-base-model";
export { getBaseModel, listBaseModels } from "./base-models/list-base-models";
export { removeBaseModel } from "./base-models/remove-base-model";
export { certifyCheckpoint, getCertificate, listCertificates, runCertificate, wakeCertificates } from "./certificates";
export { downloadCheckpointFile } from "./checkpoints/download-checkpoint-file";
export { getCheckpoint, listCheckpoints } from "./checkpoints/list-checkpoints";
export {
  completeChat,
  deployCheckpoint,
  getDeployment,
  listDeployments,
  listServedModels,
  rollBackDeployment,
  runDeployment,
  startPlayground,
  stopDeployment,
  stopOrphans,
  wakeDeployments,
} from "./deployments";
export {
  answeredFor,
  cancelEvaluation,
  createEvaluation,
  forgetEvaluations,
  getEvaluation,
  listEvaluationRows,
  listEvaluations,
  nextBlindRow,
  playEvaluation,
  replayedFrom,
  reviewEvaluationRow,
  runEvaluation,
  wakeEvaluations,
} from "./evaluations";
export { getMetrics, listEvents, streamEvents } from "./events";
export { takeAgentEvents, takeWebhookEvents } from "./events/take-events";
export { cancelExport, createExport, getExport, listExports, runExport, wakeExports } from "./exports";
export { cancelJob, pauseJob, resumeJob } from "./jobs/change-jobs";
export { createJob } from "./jobs/create-job";
export { getJob } from "./jobs/get-job";
export { listJobs } from "./jobs/list-jobs";
export { playTraining } from "./jobs/play-training";
export { runTrainingJob, wakeTrainingJobs } from "./jobs/run-job";
export { validateJob } from "./jobs/validate-job";
export { getLineage } from "./lineage/get-lineage";
export { forgetTraining } from "./manifests/forget-training";
export { openManifest } from "./manifests/open-manifest";
export { runRollout, wakeRollouts } from "./rollouts/run-rollout";
export {
  addTrainer,
  authenticateAgent,
  forgetOldCommands,
  leaseCommands,
  leaseInput,
  listTrainers,
  refreshTrainers,
  removeTrainer,
  requireSignature,
  takeResult,
  trainerHealth,
} from "./trainers";
export { createTuningConfig } from "./tuning-configs/create-tuning-config";
export { deleteTuningConfig } from "./tuning-configs/delete-tuning-config";
export { dueTuningConfigs, evaluateTrigger } from "./tuning-configs/evaluate-trigger";
export { listRolloutDecisions } from "./tuning-configs/list-rollout-decisions";
export { getTuningConfig, listTriggerDecisions, listTuningConfigs } from "./tuning-configs/list-tuning-configs";
export { updateTuningConfig } from "./tuning-configs/update-tuning-config";
