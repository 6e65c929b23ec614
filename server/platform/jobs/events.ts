import { eventType } from "inngest";
import { z } from "zod";

/** More than this many Rule Runs are told in several events, so that a turn stays short. */
export const RUNS_PER_EVENT = 100;

/** Rule Runs wait to be executed: `emit(ctx.db, ruleRunsQueued.create({ projectId, runIds }))`. */
export const ruleRunsQueued = eventType("diagnostics/rule-runs.queued", {
  schema: z.object({
    projectId: z.string().min(1),
    runIds: z.array(z.string().min(1)).min(1).max(RUNS_PER_EVENT),
  }),
});

/** A worker has started: conversations may have gone quiet while none ran. Sent once a start. */
export const inactivitySweepRequested = eventType("diagnostics/quiet-sweep.requested", { schema: z.object({}) });

/**
 * A deletion waits to be carried out. Its receipt says of what: an event outlives what it is about. `projectId` is left
 * out where the project itself goes: nobody is left in it to see the job, and the job must not delete itself.
 */
export const deletionRequested = eventType("data/deletion.requested", {
  schema: z.object({ deletionId: z.string().min(1), projectId: z.string().min(1).optional() }),
});

/** A repricing waits to be carried out, or to be undone. */
export const repricingRequested = eventType("pricing/repricing.requested", {
  schema: z.object({ projectId: z.string().min(1), repricingId: z.string().min(1) }),
});

const housekeeping = z.object({
  projectId: z.string().min(1),
  /** The day that it is for, `2026-11-20`. */
  day: z.string().min(1),
  /** Counts the runs that the day's work is cut into. */
  turn: z.int().min(0),
});
export type HousekeepingDue = z.infer<typeof housekeeping>;

/** What a project no longer keeps is to be deleted, and its size to be measured. */
export const housekeepingDue = eventType("data/housekeeping.due", { schema: housekeeping });

/** Somebody wants to know how much a project stores. */
export const storageMeasurementRequested = eventType("data/storage-measurement.requested", {
  schema: z.object({ projectId: z.string().min(1) }),
});

/** An e-mail waits to be sent; `projectId`: the project that it is about, if any. */
export const mailQueued = eventType("mail/queued", {
  schema: z.object({ mailId: z.string().min(1), projectId: z.string().min(1).optional() }),
});

/**
 * Somebody forgot their password. Told for addresses that nobody has too, with an id that nobody has: asking does the
 * same work either way.
 */
export const passwordForgotten = eventType("identity/password.forgotten", {
  schema: z.object({ userId: z.string().min(1), mailId: z.string().min(1) }),
});

/** The key ring has a new key: stored secrets are to be rewrapped under it. */
export const keyRingRotated = eventType("secrets/key-ring.rotated", {
  schema: z.object({ ringKey: z.string().min(1) }),
});
