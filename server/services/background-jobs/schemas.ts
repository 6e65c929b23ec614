import { z } from "zod";
import { idInput, pageInput, pagination, queryBoolean, queryUnixMs, unixMs } from "@/server/platform/schemas";

/** `retrying` failed and waits for its next attempt; `failed` has used up its attempts and can be replayed. */
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

/** What went wrong, in the program's own words: no stack, no secret, no id that the job does not carry itself. */
const error = z.object({ name: z.string(), message: z.string() });

/** One run of a background function for one event. Times are Unix ms. */
export const backgroundJob = z.object({
  id: z.string(),
  functionId: z.string(),
  /** What the function does, in words. */
  functionName: z.string(),
  /** It is what the function does after its retries are used up. */
  afterFailure: z.boolean(),
  eventName: z.string(),
  /** The ids that its event carries, by what they are ids of: `count` of them, the first few in `ids`. */
  carries: z.array(z.object({ of: z.string(), count: z.int(), ids: z.array(z.string()) })),
  /** The conversations of all its Rule Runs that are still there: `conversationCount` of them, the first few here. */
  conversationIds: z.array(z.string()),
  conversationCount: z.int(),
  state,
  /** 1 for its first calls, and one more for each that failed and was repeated; 0 while it waits to be begun. */
  attempts: z.int(),
  error: error.nullable(),
  /** Whether it can be cancelled now, and whether it can be replayed. */
  cancellable: z.boolean(),
  replayable: z.boolean(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  /** When it goes on: its next attempt, the end of its sleep, the end of its patience. */
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
  /** Inclusive, by the time it was queued. */
  createdAfter: queryUnixMs.optional(),
  /** Exclusive. */
  createdBefore: queryUnixMs.optional(),
};
export const listBackgroundJobsInput = z.strictObject({
  state: state.optional(),
  /** Whether it has ended, in whatever state. */
  finished: queryBoolean().optional(),
  ...which,
  ...pageInput,
});
export const backgroundJobsReply = z.object({ backgroundJobs: z.array(backgroundJob), pagination });

export const getBackgroundJobInput = z.strictObject({ backgroundJobId: idInput });
export const backgroundJobReply = z.object({ backgroundJob: backgroundJob.extend({ steps: z.array(step) }) });
export type BackgroundJobDetail = z.infer<typeof backgroundJobReply>["backgroundJob"];

export const replayBackgroundJobInput = z.strictObject({
  backgroundJobId: idInput,
  /** The `finishedAt` that was seen: when it has failed once more since then, this asks for nothing. */
  finishedAt: unixMs.optional(),
});
export const cancelBackgroundJobInput = z.strictObject({ backgroundJobId: idInput });
export const changedBackgroundJobReply = z.object({ backgroundJob });
/** The same to whoever may not read jobs. */
export const changedStateReply = z.object({ backgroundJob: backgroundJob.pick({ id: true, state: true }) });

export const replayFailedBackgroundJobsInput = z.strictObject({
  functionId: which.functionId,
  createdAfter: unixMs.optional(),
  createdBefore: unixMs.optional(),
});
/** How many were queued again, and whether more are left. */
export const replayedReply = z.object({ replayed: z.int(), more: z.boolean() });

export const summaryReply = z.object({
  summary: z.object({
    /** With an Inngest server, jobs are listed in its dashboard and not here. */
    engine: z.enum(["embedded", "inngest"]),
    dashboardUrl: z.string().nullable(),
    /** Of the last days: when another engine took over what the one before, `from`, had not done. */
    engineChange: z.object({ from: z.enum(["embedded", "inngest"]), at: z.number() }).nullable(),
    /** By state. */
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
    /** So many unfinished jobs are counted, the oldest ones, and so many of those that have ended, the newest. */
    countedUpTo: z.int(),
    /** Since when the job has waited that should have gone on longest ago; `null` when none does. */
    oldestDueAt: z.number().nullable(),
    /** The functions of the jobs that there are. */
    functions: z.array(z.object({ id: z.string(), name: z.string(), afterFailure: z.boolean() })),
  }),
});
export type BackgroundJobSummary = z.infer<typeof summaryReply>["summary"];
