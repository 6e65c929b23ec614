import type { Capability } from "@/server/platform/capabilities";
import {
  addBaseModel,
  cancelJob,
  completeChat,
  createJob,
  createTuningConfig,
  deleteTuningConfig,
  deployCheckpoint,
  getBaseModel,
  getCheckpoint,
  getDeployment,
  getJob,
  getTuningConfig,
  listBaseModels,
  listCheckpoints,
  listDeployments,
  listJobs,
  listRolloutDecisions,
  listServedModels,
  listTriggerDecisions,
  listTuningConfigs,
  pauseJob,
  removeBaseModel,
  resumeJob,
  rollBackDeployment,
  startPlayground,
  stopDeployment,
  updateTuningConfig,
  validateJob,
} from "@/server/services/fine-tuning";
import type { AbsentOperation, Method } from "../operation";
import { about, get, patch, post, project, remove } from "./line";

/** The detail of every 501 of what this version does not do. It must be true of it and promise nothing. */
const ABSENT =
  "This version of Whetstone trains and deploys models. It does not export them yet, and it draws no lineage: a checkpoint's files can be downloaded.";

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
  post(`${base}/checkpoints/:checkpointId/deploy`, deployCheckpoint),
  get(`${base}/deployments`, listDeployments),
  get(`${base}/deployments/:deploymentId`, getDeployment),
  post(`${base}/deployments/:deploymentId/stop`, stopDeployment),
  post(`${base}/deployments/:deploymentId/roll-back`, rollBackDeployment),
  post(`${base}/playgrounds`, startPlayground, 202),
  post(`${project}/deployments/:deploymentId/v1/chat/completions`, completeChat),
  get(`${project}/deployments/:deploymentId/v1/models`, listServedModels),
  route("GET", "/lineage/:rootModelId", "getLineage", "Read the lineage of a root model."),
  get(configs, listTuningConfigs),
  post(configs, createTuningConfig, 201),
  get(`${configs}/:configId`, getTuningConfig),
  patch(`${configs}/:configId`, updateTuningConfig),
  remove(`${configs}/:configId`, deleteTuningConfig),
  get(`${configs}/:configId/decisions`, listTriggerDecisions),
  get(`${configs}/:configId/rollouts`, listRolloutDecisions),
  get(`${base}/base-models`, listBaseModels),
  post(`${base}/base-models`, addBaseModel, 201),
  get(`${base}/base-models/:baseModelId`, getBaseModel),
  remove(`${base}/base-models/:baseModelId`, removeBaseModel),
  route("POST", "/export", "createExport", "Export a checkpoint to a public hub of models.", ["project:models:manage"]),
]);
