import {
  addBaseModel,
  downloadCheckpointFile,
  getBaseModel,
  getCheckpoint,
  getLineage,
  listBaseModels,
  listCheckpoints,
  removeBaseModel,
} from "@/server/services/models";
import { certifyCheckpoint, getCertificate, listCertificates } from "@/server/services/proof";
import {
  cancelJob,
  createJob,
  createTuningConfig,
  deleteCheckpoint,
  deleteJob,
  deleteTuningConfig,
  getJob,
  getMetrics,
  getTuningConfig,
  listCheckpointDependents,
  listEvents,
  listJobDependents,
  listJobs,
  listRolloutDecisions,
  listTriggerDecisions,
  listTuningConfigs,
  pauseJob,
  resumeJob,
  streamEvents,
  updateTuningConfig,
  validateJob,
} from "@/server/services/training";
import { get, patch, post, project, remove, under } from "./row";

const base = `${project}/fine-tuning`;
const configs = `${base}/tuning-configs`;

export const TRAINING = {
  trainingJobs: under("Fine-tuning", {
    list: get(`${base}/jobs`, listJobs),
    create: post(`${base}/jobs`, createJob, 202),
    validate: post(`${base}/validate`, validateJob),
    get: get(`${base}/jobs/:jobId`, getJob),
    delete: remove(`${base}/jobs/:jobId`, deleteJob),
    dependents: get(`${base}/jobs/:jobId/dependents`, listJobDependents),
    cancel: post(`${base}/jobs/:jobId/cancel`, cancelJob),
    pause: post(`${base}/jobs/:jobId/pause`, pauseJob),
    resume: post(`${base}/jobs/:jobId/resume`, resumeJob, 202),
    events: get(`${base}/jobs/:jobId/events`, listEvents),
    streamEvents: get(`${base}/jobs/:jobId/event-stream`, streamEvents),
    metrics: get(`${base}/jobs/:jobId/metrics`, getMetrics),
  }),
  checkpoints: under("Fine-tuning", {
    list: get(`${base}/checkpoints`, listCheckpoints),
    get: get(`${base}/checkpoints/:checkpointId`, getCheckpoint),
    delete: remove(`${base}/checkpoints/:checkpointId`, deleteCheckpoint),
    dependents: get(`${base}/checkpoints/:checkpointId/dependents`, listCheckpointDependents),
    download: get(`${base}/checkpoints/:checkpointId/content`, downloadCheckpointFile),
  }),
  certificates: under("Fine-tuning", {
    create: post(`${base}/checkpoints/:checkpointId/certificates`, certifyCheckpoint, 202),
    list: get(`${base}/checkpoints/:checkpointId/certificates`, listCertificates),
    get: get(`${base}/certificates/:certificateId`, getCertificate),
  }),
  lineage: under("Fine-tuning", {
    get: get(`${base}/lineage/:rootModelId`, getLineage),
  }),
  tuningConfigs: under("Fine-tuning", {
    list: get(configs, listTuningConfigs),
    create: post(configs, createTuningConfig, 201),
    get: get(`${configs}/:configId`, getTuningConfig),
    update: patch(`${configs}/:configId`, updateTuningConfig),
    delete: remove(`${configs}/:configId`, deleteTuningConfig),
    decisions: get(`${configs}/:configId/decisions`, listTriggerDecisions),
    rollouts: get(`${configs}/:configId/rollouts`, listRolloutDecisions),
  }),
  baseModels: under("Fine-tuning", {
    list: get(`${base}/base-models`, listBaseModels),
    add: post(`${base}/base-models`, addBaseModel, 201),
    get: get(`${base}/base-models/:baseModelId`, getBaseModel),
    remove: remove(`${base}/base-models/:baseModelId`, removeBaseModel),
  }),
};
