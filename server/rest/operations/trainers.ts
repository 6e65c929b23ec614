import {
  downloadCheckpointFile,
  getMetrics,
  listEvents,
  listTrainers,
  streamEvents,
} from "@/server/services/fine-tuning";
import { about, get, project } from "./line";

const base = `${project}/fine-tuning`;

export const TRAINERS = about("Fine-tuning", [
  get(`${base}/jobs/:jobId/events`, listEvents),
  get(`${base}/jobs/:jobId/event-stream`, streamEvents),
  get(`${base}/jobs/:jobId/metrics`, getMetrics),
  get(`${base}/checkpoints/:checkpointId/content`, downloadCheckpointFile),
  get(`${base}/trainers`, listTrainers),
]);
