import type { Capability } from "@/server/platform/capabilities";
import {
  addBaseModel,
  cancelExport,
  cancelJob,
  certifyCheckpoint,
  createExport,
  createJob,
  createTuningConfig,
  deleteTuningConfig,
  getBaseModel,
  getCertificate,
  getCheckpoint,
  getExport,
  getJob,
  getLineage,
  getTuningConfig,
  listBaseModels,
  listCertificates,
  listCheckpoints,
  listExports,
  listJobs,
  listTriggerDecisions,
  listTuningConfigs,
  pauseJob,
  removeBaseModel,
  resumeJob,
  updateTuningConfig,
  validateJob,
} from "@/server/services/fine-tuning";
import type { AbsentOperation, Method } from "../operation";
import { about, get, patch, post, project, remove } from "./line";

/** The detail of every 501 of what this version does not do. It must be true of it and promise nothing. */
const ABSENT =
  "This version of Whetstone trains and exports models. It does not deploy them yet: a checkpoint's files can be downloaded.";

const READS: readonly Capability[] = ["workspace:read", "project:data:read"];
const base = `${project}/fine-tuning`;
const configs = `${base}/tuning-configs`;

const route = (
  method: Method,
  path: string,
  name: string,
  summary: string,
  capability: readonly Capability[] = READS,
): Omit<AbsentOperation, "subject"> => ({
  method,
  path: base + path,
  name: `fineTuning.${name}`,
  summary,
  description: "Not available in this version: authorized callers get a 501 that says so.",
  effect: method === "GET" ? "read" : "write",
  capability,
  absent: ABSENT,
});

/** The routes of fine-tuning, with their capabilities. */
export const FINE_TUNING = about("Fine-tuning", [
  get(`${base}/jobs`, listJobs),
  post(`${base}/jobs`, createJob, 202),
  post(`${base}/validate`, validateJob),
  get(`${base}/jobs/:jobId`, getJob),
  post(`${base}/jobs/:jobId/cancel`, cancelJob),
  post(`${base}/jobs/:jobId/pause`, pauseJob),
  post(`${base}/jobs/:jobId/resume`, resumeJob, 202),
  get(`${base}/checkpoints`, listCheckpoints),
  get(`${base}/checkpoints/:checkpointId`, getCheckpoint),
  route("POST", "/checkpoints/:checkpointId/deploy", "deployCheckpoint", "Deploy a checkpoint.", [
    "project:models:manage",
  ]),
  post(`${base}/checkpoints/:checkpointId/certificates`, certifyCheckpoint, 202),
  get(`${base}/checkpoints/:checkpointId/certificates`, listCertificates),
  get(`${base}/certificates/:certificateId`, getCertificate),
  get(`${base}/lineage/:rootModelId`, getLineage),
  get(configs, listTuningConfigs),
  post(configs, createTuningConfig, 201),
  get(`${configs}/:configId`, getTuningConfig),
  patch(`${configs}/:configId`, updateTuningConfig),
  remove(`${configs}/:configId`, deleteTuningConfig),
  get(`${configs}/:configId/decisions`, listTriggerDecisions),
  get(`${base}/base-models`, listBaseModels),
  post(`${base}/base-models`, addBaseModel, 201),
  get(`${base}/base-models/:baseModelId`, getBaseModel),
  remove(`${base}/base-models/:baseModelId`, removeBaseModel),
  post(`${base}/export`, createExport, 202),
  get(`${base}/exports`, listExports),
  get(`${base}/exports/:exportId`, getExport),
  post(`${base}/exports/:exportId/cancel`, cancelExport),
]);
