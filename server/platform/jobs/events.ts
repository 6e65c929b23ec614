import { eventType } from "inngest";
import { z } from "zod";
import { RULE_RUN_ORIGINS } from "@/db/schema/enumerations";

/** Larger sets of Rule Runs are split over several events, so that one turn stays short. */
export const RUNS_PER_EVENT = 500;

/** Rule Runs are queued: `emit(ctx.db, ruleRunsQueued.create({ projectId, runIds, origin }))`. */
export const ruleRunsQueued = eventType("diagnostics/rule-runs.queued", {
  schema: z.object({
    projectId: z.string().min(1),
    runIds: z.array(z.string().min(1)).min(1).max(RUNS_PER_EVENT),
    /** Determines how soon they are executed. */
    origin: z.enum(RULE_RUN_ORIGINS).optional(),
    /** Part of a large selection, which must not delay what a person waits for. */
    bulk: z.literal(true).optional(),
  }),
});

/** Every enabled Rule must be queued for these conversations. */
export const conversationsSelected = eventType("diagnostics/conversations.selected", {
  schema: z.object({
    projectId: z.string().min(1),
    conversationIds: z.array(z.string().min(1)).min(1).max(RUNS_PER_EVENT),
  }),
});

/** A worker started: what happened while none ran is looked for at once instead of within a minute. */
export const workerStarted = eventType("jobs/worker.started", { schema: z.object({}) });

/** The move of older telemetry to shared content was continued. */
export const compactionContinued = eventType("telemetry/compaction.continued", {
  schema: z.object({ projectId: z.string().min(1) }),
});

/**
 * A deletion is pending. Its receipt records what is deleted, because an event outlives its subject. `projectId` is omitted
 * where the project itself is deleted: no member is left to see the job, and the job must not delete itself.
 */
export const deletionRequested = eventType("data/deletion.requested", {
  schema: z.object({ deletionId: z.string().min(1), projectId: z.string().min(1).optional() }),
});

/** A sample project must be filled, or its load resumed. */
export const sampleRequested = eventType("projects/sample.requested", {
  schema: z.object({ projectId: z.string().min(1) }),
});

/** A Dataset was deleted: its rows must be deleted. */
export const datasetDeleted = eventType("datasets/dataset.deleted", {
  schema: z.object({ projectId: z.string().min(1), datasetId: z.string().min(1) }),
});

/** A repricing, or its undo, is pending. */
export const repricingRequested = eventType("pricing/repricing.requested", {
  schema: z.object({ projectId: z.string().min(1), repricingId: z.string().min(1) }),
});

/** A backfill must be started or resumed. */
export const backfillRequested = eventType("diagnostics/backfill.requested", {
  schema: z.object({ projectId: z.string().min(1), backfillId: z.string().min(1) }),
});

/** A Dataset's import must be started or resumed. */
export const importRequested = eventType("datasets/import.requested", {
  schema: z.object({ projectId: z.string().min(1), importId: z.string().min(1) }),
});

/** A collection pass over the past must be started or resumed. */
export const collectionPassRequested = eventType("datasets/collection-pass.requested", {
  schema: z.object({ projectId: z.string().min(1), collectionPassId: z.string().min(1) }),
});

const housekeeping = z.object({
  projectId: z.string().min(1),
  /** The day, as `2026-11-20`. */
  day: z.string().min(1),
  /** The index of the run; a day's work is split into several. */
  turn: z.int().min(0),
});
export type HousekeepingDue = z.infer<typeof housekeeping>;

/** A project's expired data must be deleted and its size measured. */
export const housekeepingDue = eventType("data/housekeeping.due", { schema: housekeeping });

/** A measurement of a project's stored size was requested. */
export const storageMeasurementRequested = eventType("data/storage-measurement.requested", {
  schema: z.object({ projectId: z.string().min(1) }),
});

/** An e-mail is queued; `projectId`: the project that it is about, if any. */
export const mailQueued = eventType("mail/queued", {
  schema: z.object({ mailId: z.string().min(1), projectId: z.string().min(1).optional() }),
});

/**
 * A password reset was requested. Also sent for unknown addresses, with an id that no account has, so that a request takes
 * the same work either way.
 */
export const passwordForgotten = eventType("identity/password.forgotten", {
  schema: z.object({ userId: z.string().min(1), mailId: z.string().min(1) }),
});

/** The key ring has a new key: stored secrets must be rewrapped under it. */
export const keyRingRotated = eventType("secrets/key-ring.rotated", {
  schema: z.object({ ringKey: z.string().min(1) }),
});

/** A message to a webhook is queued. */
export const deliveryQueued = eventType("notifications/delivery.queued", {
  schema: z.object({ projectId: z.string().min(1), deliveryId: z.string().min(1) }),
});

/** A training job's status changed, as its trainer reported it. */
export const trainingJobMoved = eventType("fine-tuning/job.moved", {
  schema: z.object({ projectId: z.string().min(1), jobId: z.string().min(1) }),
});

/** A work item needs processing: its ticket must be created, changed or read. */
export const workItemDue = eventType("repair/work-item.due", {
  schema: z.object({ projectId: z.string().min(1), workItemId: z.string().min(1) }),
});

/** A project's tickets must be checked for changes. */
export const trackerPollDue = eventType("repair/poll.due", { schema: z.object({ projectId: z.string().min(1) }) });

/** An evaluation needs processing: responses for its rows must be requested or collected. */
export const evaluationDue = eventType("fine-tuning/evaluation.due", {
  schema: z.object({ projectId: z.string().min(1), evaluationId: z.string().min(1) }),
});

/** A connected model must be asked to judge an evaluation's rows. */
export const judgingDue = eventType("fine-tuning/judging.due", {
  schema: z.object({ projectId: z.string().min(1), evaluationId: z.string().min(1) }),
});

/** A training job needs processing: it must be sent to its trainer, cancelled or checked. */
export const trainingJobDue = eventType("fine-tuning/job.due", {
  schema: z.object({ projectId: z.string().min(1), jobId: z.string().min(1) }),
});

/** A deployment needs processing: it must be sent to its trainer, followed or stopped. */
export const deploymentDue = eventType("fine-tuning/deployment.due", {
  schema: z.object({ projectId: z.string().min(1), deploymentId: z.string().min(1) }),
});

/** A deployment began to run, crashed, failed or ended. */
export const deploymentMoved = eventType("fine-tuning/deployment.moved", {
  schema: z.object({ projectId: z.string().min(1), deploymentId: z.string().min(1) }),
});

/** A finished job's checkpoint may be deployed automatically: its gates must be checked. */
export const rolloutDue = eventType("fine-tuning/rollout.due", {
  schema: z.object({ projectId: z.string().min(1), decisionId: z.string().min(1) }),
});

/** A parity certificate needs processing: it must be sent to its trainer or checked. */
export const parityCertificateDue = eventType("fine-tuning/certificate.due", {
  schema: z.object({ projectId: z.string().min(1), certificateId: z.string().min(1) }),
});

/** The files of a deleted job or checkpoint are to be deleted. */
export const trainingRemovalDue = eventType("fine-tuning/removal.due", {
  schema: z.object({ projectId: z.string().min(1), removalId: z.string().min(1) }),
});

/** An export needs processing: it must be compared, sent to its trainer, cancelled or checked. */
export const modelExportDue = eventType("fine-tuning/export.due", {
  schema: z.object({ projectId: z.string().min(1), exportId: z.string().min(1) }),
});
