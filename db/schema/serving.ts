import { desc, sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { actor, createdAt, projectId, unixMs } from "./columns";
import {
  CERTIFICATE_STATUSES,
  DEPLOYMENT_PURPOSES,
  DEPLOYMENT_STATUSES,
  EVALUATION_KINDS,
  EVALUATION_OUTCOMES,
  EVALUATION_STATUSES,
  EXPORT_STATUSES,
  MODEL_EXPORT_FORMATS,
  PARITY_VERDICTS,
  PROOF_VERDICTS,
  ROLLOUT_OUTCOMES,
  SERVE_BACKENDS,
} from "./enumerations";
import { ofProject, withinProject } from "./projects";
import { checkpoints, tuningConfigs } from "./training";
import { variants } from "./variants";

type Json = Record<string, unknown>;

/** A model that a trainer serves, from the request to its end. A new version under the same name is another row. */
export const deployments = pgTable(
  "deployments",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    purpose: text("purpose", { enum: DEPLOYMENT_PURPOSES }).notNull(),
    /** The model's name in calls. One row of a name runs at a time. */
    name: text("name").notNull(),
    /** What is served: a checkpoint, or in a playground a base model, as in a job request. */
    checkpointId: text("checkpoint_id"),
    baseModel: jsonb("base_model").$type<Json>(),
    /** Null until the trainer has chosen one, if the request did not. */
    backend: text("backend", { enum: SERVE_BACKENDS }),
    quantization: text("quantization"),
    status: text("status", { enum: DEPLOYMENT_STATUSES }).notNull(),
    /** What it is doing, in words. */
    stageDetail: text("stage_detail"),
    /** In the form of the trainer's contract: code, message, blame, hint. */
    error: jsonb("error").$type<Json>(),
    /** Without a foreign key: a trainer can be removed. */
    trainerId: text("trainer_id").notNull(),
    /** When the trainer accepted it. */
    dispatchedAt: unixMs("dispatched_at"),
    /** Restarts after crashes, as the trainer counts them. */
    restarts: integer("restarts").notNull().default(0),
    /** The certificate that allowed it; null if it was forced or has nothing to compare. */
    certificateId: text("certificate_id"),
    /** Deployed with `force` although its parity certificate failed or is missing. */
    isForced: boolean("is_forced").notNull().default(false),
    /** The deployment that it replaced when it started running. */
    replacesId: text("replaces_id"),
    tuningConfigId: text("tuning_config_id"),
    timeoutSeconds: integer("timeout_seconds").notNull(),
    /** A success after this time does not count. */
    deadlineAt: unixMs("deadline_at").notNull(),
    /** For a playground: it is stopped after this many seconds without a call. */
    idleSeconds: integer("idle_seconds"),
    lastCalledAt: unixMs("last_called_at"),
    verifiedAt: unixMs("verified_at"),
    firstTokenMs: integer("first_token_ms"),
    staleSince: unixMs("stale_since"),
    /** When its background job next has something to do; null when nothing is pending. */
    dueAt: unixMs("due_at"),
    ...actor(),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    endedAt: unixMs("ended_at"),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    ofProject("deployments_project", t),
    withinProject("deployments_checkpoint", t, t.checkpointId, checkpoints),
    uniqueIndex("deployments_one_runs").on(t.projectId, t.name).where(sql`status = 'running'`),
    uniqueIndex("deployments_one_starts")
      .on(t.projectId, t.name)
      .where(sql`started_at is null and status in ('pending', 'preparing', 'starting', 'verifying')`),
    index("deployments_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("deployments_of_checkpoint").on(t.projectId, t.checkpointId),
    index("deployments_due").on(t.dueAt).where(sql`due_at is not null`),
    check("deployments_serve_one_model", sql`(${t.checkpointId} is null) <> (${t.baseModel} is null)`),
    check("deployments_ended", sql`(${t.status} in ('stopped', 'failed', 'timeout')) = (${t.endedAt} is not null)`),
    check("deployments_run_once_verified", sql`${t.status} <> 'running' or ${t.verifiedAt} is not null`),
    check("deployments_failure_has_an_error", sql`${t.status} not in ('failed', 'timeout') or ${t.error} is not null`),
  ],
);

/** What automatic deployment decided about a finished job of a tuning configuration, and why. */
export const rolloutDecisions = pgTable(
  "rollout_decisions",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    configId: text("config_id").notNull(),
    jobId: text("job_id").notNull(),
    checkpointId: text("checkpoint_id"),
    /** Null while its gates are being evaluated. */
    outcome: text("outcome", { enum: ROLLOUT_OUTCOMES }),
    /** Such as `validation_loss`; the sentence for people is `message`. */
    reason: text("reason"),
    message: text("message"),
    /** Each gate with the measured and the allowed value. */
    gates: jsonb("gates").$type<Json[]>().notNull(),
    evaluationId: text("evaluation_id"),
    certificateId: text("certificate_id"),
    deploymentId: text("deployment_id"),
    dueAt: unixMs("due_at"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("rollout_decisions_config", t, t.configId, tuningConfigs).onDelete("cascade"),
    uniqueIndex("rollout_decisions_once").on(t.projectId, t.jobId),
    index("rollout_decisions_newest").on(t.projectId, t.configId, desc(t.createdAt), desc(t.id)),
    index("rollout_decisions_due").on(t.dueAt).where(sql`due_at is not null`),
    check("rollout_decisions_reason", sql`(${t.outcome} is null) = (${t.reason} is null)`),
  ],
);

/** A comparison of a checkpoint's answers with those of the forms built from it, on the same prompts. */
export const parityCertificates = pgTable(
  "parity_certificates",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    checkpointId: text("checkpoint_id").notNull(),
    /** The forms to compare: `{kind, quantization}`; and a deployment. */
    forms: jsonb("forms").$type<Json[]>().notNull(),
    deploymentId: text("deployment_id"),
    status: text("status", { enum: CERTIFICATE_STATUSES }).notNull(),
    verdict: text("verdict", { enum: PARITY_VERDICTS }),
    /** Figures of each form, without any text of prompts or answers. */
    subjects: jsonb("subjects").$type<Json[]>(),
    /** Prompts and answers. Null once text of a prompt was deleted with its user or conversation. */
    answers: jsonb("answers").$type<Json[]>(),
    error: jsonb("error").$type<Json>(),
    trainerId: text("trainer_id").notNull(),
    dispatchedAt: unixMs("dispatched_at"),
    staleSince: unixMs("stale_since"),
    dueAt: unixMs("due_at"),
    ...actor(),
    createdAt: createdAt(),
    finishedAt: unixMs("finished_at"),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("parity_certificates_checkpoint", t, t.checkpointId, checkpoints).onDelete("cascade"),
    index("parity_certificates_of_checkpoint").on(t.projectId, t.checkpointId, desc(t.createdAt), desc(t.id)),
    index("parity_certificates_due").on(t.dueAt).where(sql`due_at is not null`),
    check("parity_certificates_ended", sql`(${t.status} in ('ready', 'failed')) = (${t.finishedAt} is not null)`),
    check("parity_certificates_verdict", sql`(${t.status} = 'ready') = (${t.verdict} is not null)`),
    check("parity_certificates_failure_has_an_error", sql`${t.status} <> 'failed' or ${t.error} is not null`),
  ],
);

/** The publication of a checkpoint, or of a converted public model, in a model hub. */
export const modelExports = pgTable(
  "model_exports",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    checkpointId: text("checkpoint_id"),
    hubModel: jsonb("hub_model").$type<{ id: string; revision: string | null }>(),
    format: text("format", { enum: MODEL_EXPORT_FORMATS }).notNull(),
    quantization: text("quantization"),
    /** Without a foreign key: an export outlives its connection. */
    connectionId: text("connection_id").notNull(),
    /** The hub's address at the time of the request. */
    endpoint: text("endpoint").notNull(),
    repoId: text("repo_id").notNull(),
    isPrivate: boolean("is_private").notNull(),
    revision: text("revision").notNull(),
    status: text("status", { enum: EXPORT_STATUSES }).notNull(),
    progress: jsonb("progress").$type<Json>(),
    commitOid: text("commit_oid"),
    url: text("url"),
    files: jsonb("files").$type<{ path: string; size: number; sha256: string }[]>(),
    error: jsonb("error").$type<Json>(),
    certificateId: text("certificate_id"),
    /** Published with `force` although its parity certificate failed or is missing. */
    isForced: boolean("is_forced").notNull().default(false),
    /** The training job that planned it. */
    jobId: text("job_id"),
    trainerId: text("trainer_id").notNull(),
    dispatchedAt: unixMs("dispatched_at"),
    cancelRequestedAt: unixMs("cancel_requested_at"),
    staleSince: unixMs("stale_since"),
    dueAt: unixMs("due_at"),
    ...actor(),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    finishedAt: unixMs("finished_at"),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    ofProject("model_exports_project", t),
    withinProject("model_exports_checkpoint", t, t.checkpointId, checkpoints),
    index("model_exports_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("model_exports_of_checkpoint").on(t.projectId, t.checkpointId),
    uniqueIndex("model_exports_planned_once").on(t.projectId, t.jobId).where(sql`job_id is not null`),
    index("model_exports_due").on(t.dueAt).where(sql`due_at is not null`),
    check("model_exports_one_source", sql`(${t.checkpointId} is null) <> (${t.hubModel} is null)`),
    check("model_exports_gguf_is_quantized", sql`(${t.format} = 'gguf') = (${t.quantization} is not null)`),
    check(
      "model_exports_ended",
      sql`(${t.status} in ('succeeded', 'failed', 'cancelled')) = (${t.finishedAt} is not null)`,
    ),
    check("model_exports_failure_has_an_error", sql`${t.status} <> 'failed' or ${t.error} is not null`),
    check("model_exports_success_has_a_commit", sql`${t.status} <> 'succeeded' or ${t.commitOid} is not null`),
  ],
);

/** A comparison of the answers of two models: a base model or checkpoint, and a checkpoint trained from it. */
export const evaluations = pgTable(
  "evaluations",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    kind: text("kind", { enum: EVALUATION_KINDS }).notNull(),
    /** What answers after: a checkpoint on a trainer, or a variant of what a model is sent. */
    checkpointId: text("checkpoint_id"),
    variantId: text("variant_id"),
    /** What a checkpoint is compared with; null: the base model that its job trained. */
    baselineCheckpointId: text("baseline_checkpoint_id"),
    /** What a variant is compared with: `{connectionId, deploymentId, baseModel, model}`, which is sent the recorded messages. */
    baseline: jsonb("baseline").$type<
      Pick<typeof variants.$inferSelect, "connectionId" | "model"> &
        Partial<Pick<typeof variants.$inferSelect, "deploymentId" | "baseModel">>
    >(),
    /** US dollars that asking a variant and its baseline may cost, what it has cost, and what calls in progress may. */
    maxCost: numeric("max_cost"),
    cost: numeric("cost").notNull().default("0"),
    /** For `examples`: the Dataset and version. Without a foreign key: an evaluation outlives them. */
    datasetId: text("dataset_id"),
    datasetVersion: integer("dataset_version"),
    /** For `finding`: the Finding, and the frozen Rule whose detector reads the answers. */
    findingId: text("finding_id"),
    ruleId: text("rule_id"),
    ruleVersion: integer("rule_version"),
    ruleConfiguration: jsonb("rule_configuration").$type<Json>(),
    status: text("status", { enum: EVALUATION_STATUSES }).notNull(),
    /** Rows in total, and rows that both models have answered. */
    total: integer("total").notNull(),
    done: integer("done").notNull().default(0),
    /** Counts, rates and intervals, once it has ended. */
    summary: jsonb("summary").$type<Json>(),
    verdict: text("verdict", { enum: PROOF_VERDICTS }),
    error: jsonb("error").$type<Json>(),
    trainerId: text("trainer_id"),
    staleSince: unixMs("stale_since"),
    dueAt: unixMs("due_at"),
    ...actor(),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    finishedAt: unixMs("finished_at"),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("evaluations_checkpoint", t, t.checkpointId, checkpoints).onDelete("cascade"),
    withinProject("evaluations_variant", t, t.variantId, variants).onDelete("cascade"),
    index("evaluations_of_variant").on(t.projectId, t.variantId, desc(t.createdAt)).where(sql`variant_id is not null`),
    check(
      "evaluations_after",
      sql`(${t.checkpointId} is not null and ${t.trainerId} is not null and ${t.variantId} is null and ${t.baseline} is null)
        or (${t.checkpointId} is null and ${t.trainerId} is null and ${t.variantId} is not null and ${t.baseline} is not null)`,
    ),
    index("evaluations_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("evaluations_of_checkpoint").on(t.projectId, t.checkpointId, desc(t.createdAt)),
    index("evaluations_of_finding").on(t.projectId, t.findingId, desc(t.createdAt)).where(sql`finding_id is not null`),
    index("evaluations_due").on(t.dueAt).where(sql`due_at is not null`),
    check("evaluations_subject", sql`(${t.kind} = 'finding') = (${t.findingId} is not null)`),
    check(
      "evaluations_ended",
      sql`(${t.status} in ('succeeded', 'failed', 'cancelled')) = (${t.finishedAt} is not null)`,
    ),
    check("evaluations_failure_has_an_error", sql`${t.status} <> 'failed' or ${t.error} is not null`),
  ],
);

/** One prompt of an evaluation with the answers of both models. */
export const evaluationRows = pgTable(
  "evaluation_rows",
  {
    projectId: projectId(),
    evaluationId: text("evaluation_id").notNull(),
    n: integer("n").notNull(),
    /** Where the prompt is from. Without foreign keys: deleting either deletes the row. */
    datasetId: text("dataset_id"),
    exampleId: text("example_id"),
    conversationId: text("conversation_id"),
    /** Messages up to the answer, as they are shown. */
    prompt: jsonb("prompt").$type<Json[]>().notNull(),
    /** For a replay with tools: the messages as they were sent, the tools, and what recorded calls returned. */
    request: jsonb("request").$type<Json>(),
    /** The Example's own answer; for a replay, the recorded answer. */
    expected: text("expected"),
    /** `{content, finishReason}`. A row counts once it has both. */
    before: jsonb("before").$type<Json>(),
    after: jsonb("after").$type<Json>(),
    /** SHA-256 over what a connected model was sent, so that the same is not sent twice; null for a trainer's answers. */
    beforeKey: text("before_key"),
    afterKey: text("after_key"),
    outcome: text("outcome", { enum: EVALUATION_OUTCOMES }),
    reason: text("reason"),
    /** For a replay: whether the Finding's detector reports the answer. */
    isFoundBefore: boolean("is_found_before"),
    isFoundAfter: boolean("is_found_after"),
    /** What a right answer says; null where nobody has said it. */
    reference: text("reference"),
    /** Rows with the same number belong together, such as those of one user; null before groups were looked for. */
    groupNumber: integer("group_number"),
    /** Whether each answer is right, by reference or by a model; null before it was decided. */
    rightness: jsonb("rightness").$type<Json>(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.evaluationId, t.n] }),
    withinProject("evaluation_rows_evaluation", t, t.evaluationId, evaluations).onDelete("cascade"),
    index("evaluation_rows_of_example").on(t.projectId, t.datasetId, t.exampleId).where(sql`example_id is not null`),
    index("evaluation_rows_of_conversation").on(t.projectId, t.conversationId).where(sql`conversation_id is not null`),
    index("evaluation_rows_before_key").on(t.projectId, t.beforeKey).where(sql`before_key is not null`),
    index("evaluation_rows_after_key").on(t.projectId, t.afterKey).where(sql`after_key is not null`),
  ],
);

/** What a person says of both answers to a row, without having seen which model gave which. Overrules what was decided before. */
export const evaluationReviews = pgTable(
  "evaluation_reviews",
  {
    projectId: projectId(),
    evaluationId: text("evaluation_id").notNull(),
    n: integer("n").notNull(),
    reviewerId: text("reviewer_id").notNull(),
    isRightBefore: boolean("is_right_before").notNull(),
    isRightAfter: boolean("is_right_after").notNull(),
    /** Whether the row was drawn at random: only such rows say something about those that nobody reviewed. */
    isRandom: boolean("is_random").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.evaluationId, t.n, t.reviewerId] }),
    foreignKey({
      name: "evaluation_reviews_row",
      columns: [t.projectId, t.evaluationId, t.n],
      foreignColumns: [evaluationRows.projectId, evaluationRows.evaluationId, evaluationRows.n],
    }).onDelete("cascade"),
  ],
);
