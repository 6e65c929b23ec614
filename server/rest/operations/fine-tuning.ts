import type { Capability } from "@/server/platform/capabilities";
import {
  cancelJob,
  createJob,
  getJob,
  listJobs,
  pauseJob,
  resumeJob,
  validateJob,
} from "@/server/services/fine-tuning";
import type { AbsentOperation, Method } from "../operation";
import { about, get, post, project } from "./line";

/** The detail of every 501. It must be true of this version and promise nothing. */
export const NO_TRAINER =
  "Fine-tuning needs a trainer. One is attached with the variables TRAINER_URL and TRAINER_TOKEN, on a version of Whetstone that has the fine-tuning service; this version has none and reads neither of them.";

const READS: readonly Capability[] = ["workspace:read", "project:data:read"];
const base = `${project}/fine-tuning`;

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
  description: "Not available in this version: authorized callers get a 501 that explains how to attach a trainer.",
  effect: method === "GET" ? "read" : "write",
  capability,
  absent: NO_TRAINER,
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
  route("GET", "/checkpoints", "listCheckpoints", "List checkpoints."),
  route("GET", "/checkpoints/:checkpointId", "getCheckpoint", "Read one checkpoint."),
  route("POST", "/checkpoints/:checkpointId/deploy", "deployCheckpoint", "Deploy a checkpoint.", [
    "project:models:manage",
  ]),
  route("GET", "/lineage/:rootModelId", "getLineage", "Read the lineage of a root model."),
  route("GET", "/tuning-configs", "listTuningConfigs", "List tuning configurations."),
  route("POST", "/tuning-configs", "createTuningConfig", "Create a tuning configuration.", ["project:data:write"]),
  route("GET", "/tuning-configs/:configId", "getTuningConfig", "Read one tuning configuration."),
  route("PATCH", "/tuning-configs/:configId", "updateTuningConfig", "Change a tuning configuration.", [
    "project:data:write",
  ]),
  route("DELETE", "/tuning-configs/:configId", "deleteTuningConfig", "Delete a tuning configuration.", [
    "project:data:write",
  ]),
  route("POST", "/export", "createExport", "Export a checkpoint to a public hub of models.", ["project:models:manage"]),
]);
