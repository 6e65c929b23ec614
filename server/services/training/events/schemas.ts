import { z } from "zod";
import { TRAINING_EVENT_LEVELS } from "@/db/schema/enumerations";
import { idInput, queryInteger } from "@/server/platform/schemas";

export const EVENTS_MAX = 500;
/** Maximum points per series in a reply. */
export const POINTS_MAX = 2_000;

export const listEventsInput = z.strictObject({
  jobId: idInput,
  /** Only events after this number. */
  after: queryInteger(0, 2_147_483_647).default(0),
  limit: queryInteger(1, EVENTS_MAX).default(100),
  /** Seconds to wait for an event if there is none yet. */
  wait: queryInteger(0, 25).default(0),
});
export const streamEventsInput = listEventsInput.pick({ jobId: true, after: true });
/**
 * An entry of a training job's log; `seq` counts from 1 without gaps, except for metrics and progress, which are in the charts
 * and the job.
 */
export const trainingEvent = z.object({
  seq: z.int(),
  attempt: z.int(),
  /** Unix ms, by the trainer's clock. */
  at: z.number(),
  level: z.enum(TRAINING_EVENT_LEVELS),
  type: z.string(),
  message: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export const eventsReply = z.object({
  events: z.array(trainingEvent),
  /** Pass it as `after` to get the following events. */
  lastSeq: z.int(),
  finished: z.boolean(),
});
export type TrainingEvent = z.infer<typeof trainingEvent>;

export const metricsInput = z.strictObject({
  jobId: idInput,
  /** Comma-separated; default: all. */
  series: z.string().min(1).max(2000).optional(),
  /** Only points after this step. */
  afterStep: queryInteger(-1, 2_147_483_647).default(-1),
  /** If there are more points, they are aggregated. */
  points: queryInteger(10, POINTS_MAX).default(500),
});
/** One series by columns: `step[i]` is the newest step of a point; `mean`, `min` and `max` are over its steps. */
export const metricSeries = z.object({
  series: z.string(),
  /** Steps per point; 1 if not aggregated. */
  stepsPerPoint: z.int(),
  step: z.array(z.int()),
  mean: z.array(z.number()),
  min: z.array(z.number()),
  max: z.array(z.number()),
  /** Unix ms, by the trainer's clock. */
  at: z.array(z.number()),
});
export const metricsReply = z.object({ metrics: z.array(metricSeries), lastStep: z.int().nullable() });
export type MetricSeries = z.infer<typeof metricSeries>;
