import { z } from "zod";
import {
  idInput,
  pageInput,
  pagination,
  queryBoolean,
  queryUnixMs,
  sortOrder,
  unixMs,
} from "@/server/platform/schemas";

/** `retrying`: failed and waiting for its next attempt. `failed`: out of attempts, can be replayed. */
export const BACKGROUND_JOB_STATES = [
  "queued",
  "running",
  "retrying",
  "sleeping",
  "waiting",
  "completed",
  "failed",
  "cancelled",
] as const;
const state = z.enum(BACKGROUND_JOB_STATES);

/** The program's error message, without stack, secrets, or ids that the job does not carry itself. */
const error = z.object({ name: z.string(), message: z.string() });

/** One run of a background function for one event. Times are Unix ms. */
export const backgroundJob = z.object({
  id: z.string(),
  functionId: z.string(),
  /** Describes what the function does. */
  functionName: z.string(),
  /** Whether this is the function's failure handler, which runs when its retries are exhausted. */
  afterFailure: z.boolean(),
  eventName: z.string(),
  /** The ids that its event carries, by kind: `count` in total, the first few in `ids`. */
  carries: z.array(z.object({ of: z.string(), count: z.int(), ids: z.array(z.string()) })),
  /** The existing conversations of its Rule Runs: `conversationCount` in total, the first few here. */
  conversationIds: z.array(z.string()),
  conversationCount: z.int(),
  /** By id: the current title or name of those of the things above that have one and that the caller may read. */
  names: z.record(z.string(), z.string()),
  state,
  /** 0 before the first start, then 1, plus 1 for each retry. */
  attempts: z.int(),
  error: error.nullable(),
  /** Whether it can currently be cancelled or replayed. */
  cancellable: z.boolean(),
  replayable: z.boolean(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  /** When it continues (Unix ms): its next attempt, the end of its sleep, or the timeout of its wait. */
  nextAt: z.number().nullable(),
});
export type BackgroundJob = z.infer<typeof backgroundJob>;

const step = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["step", "sleep", "wait", "invoke"]),
  state: z.enum(["queued", "retrying", "sleeping", "waiting", "completed", "failed"]),
  attempts: z.int(),
  startedAt: z.number(),
  finishedAt: z.number().nullable(),
  nextAt: z.number().nullable(),
  error: error.nullable(),
});
export type BackgroundJobStep = z.infer<typeof step>;

const which = {
  functionId: z.string().min(1).max(200).optional(),
  /** Inclusive, by creation time. */
  createdAfter: queryUnixMs.optional(),
  /** Exclusive. */
  createdBefore: queryUnixMs.optional(),
};
export const BACKGROUND_JOB_SORTS = ["created", "duration", "attempts"] as const;
export type BackgroundJobSort = (typeof BACKGROUND_JOB_SORTS)[number];

export const listBackgroundJobsInput = z.strictObject({
  state: state.optional(),
  /** Whether it has finished, in any state. */
  finished: queryBoolean().optional(),
  ...which,
  sort: z.enum(BACKGROUND_JOB_SORTS).default("created"),
  order: sortOrder.default("desc"),
  ...pageInput,
});
/** `sampled`: more jobs match than are sorted. */
export const backgroundJobsReply = z.object({
  backgroundJobs: z.array(backgroundJob),
  sampled: z.boolean(),
  pagination,
});

export const getBackgroundJobInput = z.strictObject({ backgroundJobId: idInput });
export const backgroundJobReply = z.object({ backgroundJob: backgroundJob.extend({ steps: z.array(step) }) });
export type BackgroundJobDetail = z.infer<typeof backgroundJobReply>["backgroundJob"];

export const replayBackgroundJobInput = z.strictObject({
  backgroundJobId: idInput,
  /** The last seen `finishedAt`: the request is refused when the job has failed again since then. */
  finishedAt: unixMs.optional(),
});
export const cancelBackgroundJobInput = z.strictObject({ backgroundJobId: idInput });
export const changedBackgroundJobReply = z.object({ backgroundJob });
/** The reply for callers who may not read jobs. */
export const changedStateReply = z.object({ backgroundJob: backgroundJob.pick({ id: true, state: true }) });

export const replayFailedBackgroundJobsInput = z.strictObject({
  functionId: which.functionId,
  createdAfter: unixMs.optional(),
  createdBefore: unixMs.optional(),
});
/** `replayed`: number of jobs queued again; `more`: whether others are left. */
export const replayedReply = z.object({ replayed: z.int(), more: z.boolean() });

export const summaryReply = z.object({
  summary: z.object({
    /** An Inngest server lists its jobs in its own dashboard, not here. */
    engine: z.enum(["embedded", "inngest"]),
    dashboardUrl: z.string().nullable(),
    /** A change of engine within the last days: when the unfinished jobs of `from` were taken over. */
    engineChange: z.object({ from: z.enum(["embedded", "inngest"]), at: z.number() }).nullable(),
    /** Number of jobs by state. */
    counts: z.object({
      queued: z.int(),
      running: z.int(),
      retrying: z.int(),
      sleeping: z.int(),
      waiting: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
    } satisfies Record<(typeof BACKGROUND_JOB_STATES)[number], z.ZodType>),
    /** Counting stops at this many jobs: the oldest unfinished ones, and the newest finished ones. */
    countedUpTo: z.int(),
    /** When the most overdue job was due (Unix ms); `null` when none is overdue. */
    oldestDueAt: z.number().nullable(),
    /** The functions of all listed jobs. */
    functions: z.array(z.object({ id: z.string(), name: z.string(), afterFailure: z.boolean() })),
  }),
});
export type BackgroundJobSummary = z.infer<typeof summaryReply>["summary"];
