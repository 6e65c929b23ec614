import { desc, sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { actor, createdAt, projectId, unixMs } from "./columns";
import { datasets } from "./datasets";
import {
  ARTIFACT_KINDS,
  ARTIFACT_STATES,
  BASE_MODEL_SOURCES,
  CHECKPOINT_KINDS,
  CHECKPOINT_STATES,
  TRAINER_COMMAND_STATES,
  TRAINER_KINDS,
  TRAINING_ADAPTERS,
  TRAINING_ENGINES,
  TRAINING_EVENT_LEVELS,
  TRAINING_JOB_STATUSES,
  TRAINING_METHODS,
  TRAINING_REMOVAL_KINDS,
  TRAINING_STOP_REASONS,
  TRIGGER_OUTCOMES,
} from "./enumerations";
import { ofProject, owningProjectId, withinProject } from "./projects";

type Json = Record<string, unknown>;

/** The machines that train, for the whole installation. */
export const trainers = pgTable(
  "trainers",
  {
    id: text("id").primaryKey(),
    kind: text("kind", { enum: TRAINER_KINDS }).notNull(),
    name: text("name").notNull(),
    /** For an agent: HMAC-SHA-256 of its key under WHETSTONE_SECRET, hex, and the last four characters of the key. */
    keyHash: text("key_hash"),
    keyHint: text("key_hint"),
    /** Its capabilities as it reports them, in the form of the trainer's contract; null until it was first reached. */
    capabilities: jsonb("capabilities").$type<Json>(),
    capabilitiesHash: text("capabilities_hash"),
    /** Changes when the machine restarts. */
    bootId: text("boot_id"),
    version: text("version"),
    /** Unfinished jobs that it reported. */
    jobsRunning: integer("jobs_running").notNull().default(0),
    lastSeenAt: unixMs("last_seen_at"),
    /** Why the last attempt to reach it failed; null while it can be reached. */
    error: text("error"),
    disabledAt: unixMs("disabled_at"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("trainers_by_url").on(t.kind).where(sql`kind = 'url'`),
    uniqueIndex("trainers_key").on(t.keyHash).where(sql`key_hash is not null`),
    check("trainers_agents_have_a_key", sql`(${t.kind} = 'agent') = (${t.keyHash} is not null)`),
  ],
);

/** Calls for a trainer that fetches them itself. Deleted an hour after their result. */
export const trainerCommands = pgTable(
  "trainer_commands",
  {
    id: text("id").primaryKey(),
    trainerId: text("trainer_id")
      .notNull()
      .references(() => trainers.id, { onDelete: "cascade" }),
    state: text("state", { enum: TRAINER_COMMAND_STATES }).notNull(),
    /** A request of the trainer's contract: method, path, query, headers, body. */
    payload: jsonb("payload").$type<Json>().notNull(),
    /** Status, headers and body of the response. */
    result: jsonb("result").$type<Json>(),
    sentAt: unixMs("sent_at"),
    doneAt: unixMs("done_at"),
    createdAt: createdAt(),
  },
  (t) => [
    index("trainer_commands_waiting").on(t.trainerId, t.createdAt).where(sql`state <> 'done'`),
    index("trainer_commands_done").on(t.doneAt).where(sql`state = 'done'`),
    check("trainer_commands_done_has_a_result", sql`(${t.state} = 'done') = (${t.result} is not null)`),
  ],
);

/** Parts of a model's answer as its tokens arrive, until the caller has read them; they go with their command. */
export const trainerCommandParts = pgTable(
  "trainer_command_parts",
  {
    commandId: text("command_id")
      .notNull()
      .references(() => trainerCommands.id, { onDelete: "cascade" }),
    seq: integer("seq").notNull(),
    text: text("text").notNull(),
  },
  (t) => [primaryKey({ columns: [t.commandId, t.seq] })],
);

/** A project's own models that may be trained, in addition to those of the catalogue. */
export const baseModels = pgTable(
  "base_models",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    source: text("source", { enum: BASE_MODEL_SOURCES }).notNull(),
    /** A hub's `owner/name`, or a path on the trainer's machine. */
    modelId: text("model_id").notNull(),
    /** A commit in the hub, or a name such as `main`, which a job resolves and pins; null for a path. */
    revision: text("revision"),
    name: text("name").notNull(),
    license: text("license"),
    /** Whether code of the model's repository may run on the trainer, for this revision only. */
    trustRemoteCode: boolean("trust_remote_code").notNull().default(false),
    /** What a trainer found in a folder when it was added: template, weights, licence, size; null if none was asked. */
    found: jsonb("found").$type<Json>(),
    ...actor(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    uniqueIndex("base_models_once").on(t.projectId, t.source, t.modelId),
    index("base_models_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    check("base_models_code_is_pinned", sql`not ${t.trustRemoteCode} or ${t.revision} ~ '^[0-9a-f]{40}$'`),
  ],
);

/** The frozen Examples of one split of a Dataset's version in the form of one method. Immutable; its id is its content's hash. */
export const trainingManifests = pgTable(
  "training_manifests",
  {
    projectId: projectId(),
    /** SHA-256 of the file's bytes, hex. */
    sha256: text("sha256").notNull(),
    datasetId: text("dataset_id").notNull(),
    datasetVersion: integer("dataset_version").notNull(),
    split: text("split", { enum: ["train", "validation"] }).notNull(),
    method: text("method", { enum: TRAINING_METHODS }).notNull(),
    rows: integer("rows").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    /** The file with its rows; null after an erasure. */
    fileId: text("file_id"),
    /** Rows of a deleted user or conversation: the content was deleted with them and is no longer used for training. */
    rowsErased: integer("rows_erased").notNull().default(0),
    erasedAt: unixMs("erased_at"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.sha256] }),
    ofProject("training_manifests_project", t),
    index("training_manifests_of_version").on(t.projectId, t.datasetId, t.datasetVersion),
    check("training_manifests_content", sql`(${t.fileId} is null) = (${t.erasedAt} is not null)`),
  ],
);

/** A reusable training configuration: base model, Dataset, settings, and when it starts automatically. */
export const tuningConfigs = pgTable(
  "tuning_configs",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    datasetId: text("dataset_id").notNull(),
    /** As in a job request: a base model or a checkpoint to continue from. */
    baseModel: jsonb("base_model").$type<Json>().notNull(),
    engine: text("engine", { enum: TRAINING_ENGINES }).notNull(),
    method: text("method", { enum: TRAINING_METHODS }).notNull(),
    adapter: text("adapter", { enum: TRAINING_ADAPTERS }).notNull(),
    /** The parts of a job request: training, lora, evaluation, output, limits. */
    settings: jsonb("settings").$type<Json>().notNull(),
    triggerEnabled: boolean("trigger_enabled").notNull(),
    minNewExamples: integer("min_new_examples").notNull(),
    /** Five fields in UTC; null: as soon as there are enough Examples. */
    cron: text("cron"),
    cooldownMinutes: integer("cooldown_minutes").notNull(),
    /** Jobs that it may start per day (UTC). */
    dailyCap: integer("daily_cap").notNull(),
    deployment: jsonb("deployment").$type<Json>().notNull(),
    /** When the trigger is next evaluated; null while it is off. */
    dueAt: unixMs("due_at"),
    ...actor(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("tuning_configs_dataset", t, t.datasetId, datasets),
    index("tuning_configs_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("tuning_configs_dataset_id").on(t.projectId, t.datasetId),
    index("tuning_configs_due").on(t.dueAt).where(sql`due_at is not null`),
    check("tuning_configs_limits", sql`${t.minNewExamples} >= 1 and ${t.cooldownMinutes} >= 0 and ${t.dailyCap} >= 1`),
    check("tuning_configs_due_when_on", sql`${t.triggerEnabled} or ${t.dueAt} is null`),
  ],
);

/** One training, from its request to its end. */
export const trainingJobs = pgTable(
  "training_jobs",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    status: text("status", { enum: TRAINING_JOB_STATUSES }).notNull(),
    phase: text("phase"),
    stopReason: text("stop_reason", { enum: TRAINING_STOP_REASONS }),
    /** In the form of the trainer's contract: code, message, blame, hint. */
    error: jsonb("error").$type<Json>(),
    /** Without a foreign key: a job outlives its Dataset. */
    datasetId: text("dataset_id").notNull(),
    datasetVersion: integer("dataset_version").notNull(),
    method: text("method", { enum: TRAINING_METHODS }).notNull(),
    adapter: text("adapter", { enum: TRAINING_ADAPTERS }).notNull(),
    /** As sent to the trainer, and with every "auto" filled in by it. */
    spec: jsonb("spec").$type<Json>().notNull(),
    resolvedSpec: jsonb("resolved_spec").$type<Json>(),
    /** The name by which people know the model being trained. */
    baseModelId: text("base_model_id").notNull(),
    parentCheckpointId: text("parent_checkpoint_id"),
    manifestSha256: text("manifest_sha256").notNull(),
    validationManifestSha256: text("validation_manifest_sha256"),
    tuningConfigId: text("tuning_config_id"),
    /** How its final checkpoint is to be published: an export's format, quantization and destination. */
    plannedExport: jsonb("planned_export").$type<Json>(),
    /** The job whose settings it copied or that it continues. */
    clonedFromId: text("cloned_from_id"),
    /** Without a foreign key: a trainer can be removed. */
    trainerId: text("trainer_id"),
    /** When the trainer accepted it. */
    dispatchedAt: unixMs("dispatched_at"),
    /** How often it was started, as the trainer counts it. */
    attempt: integer("attempt").notNull().default(0),
    /** The newest stored event; 0 before the first. */
    lastSeq: integer("last_seq").notNull().default(0),
    progress: jsonb("progress").$type<Json>(),
    /** Since when its trainer has been unreachable; null while it can be reached. */
    staleSince: unixMs("stale_since"),
    /** What was requested and the trainer has not yet confirmed: cancel, pause or resume, with its settings. */
    requested: jsonb("requested").$type<Json>(),
    /** When rows that it was trained on were deleted with their user or conversation. */
    taintedAt: unixMs("tainted_at"),
    /** When its background job next has something to do; null when nothing is pending. */
    dueAt: unixMs("due_at"),
    ...actor(),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    finishedAt: unixMs("finished_at"),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    foreignKey({
      name: "training_jobs_manifest",
      columns: [t.projectId, t.manifestSha256],
      foreignColumns: [trainingManifests.projectId, trainingManifests.sha256],
    }),
    foreignKey({
      name: "training_jobs_validation_manifest",
      columns: [t.projectId, t.validationManifestSha256],
      foreignColumns: [trainingManifests.projectId, trainingManifests.sha256],
    }),
    index("training_jobs_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("training_jobs_due").on(t.dueAt).where(sql`due_at is not null`),
    index("training_jobs_manifest_sha256").on(t.projectId, t.manifestSha256),
    index("training_jobs_validation_manifest_sha256").on(t.projectId, t.validationManifestSha256),
    index("training_jobs_of_config").on(t.projectId, t.tuningConfigId, desc(t.createdAt)),
    // One configuration's trigger never trains on the same Examples twice.
    uniqueIndex("training_jobs_once")
      .on(t.projectId, t.tuningConfigId, t.manifestSha256)
      .where(sql`tuning_config_id is not null and actor_kind = 'job'`),
    check(
      "training_jobs_ended",
      sql`(${t.status} in ('succeeded', 'failed', 'cancelled')) = (${t.finishedAt} is not null)`,
    ),
    check("training_jobs_failure_has_an_error", sql`${t.status} <> 'failed' or ${t.error} is not null`),
  ],
);

/** A training job's log, as its trainer numbered it. Metrics are stored as points only. */
export const trainingEvents = pgTable(
  "training_events",
  {
    projectId: projectId(),
    jobId: text("job_id").notNull(),
    seq: integer("seq").notNull(),
    attempt: integer("attempt").notNull(),
    /** By the trainer's clock. */
    at: unixMs("at").notNull(),
    level: text("level", { enum: TRAINING_EVENT_LEVELS }).notNull(),
    type: text("type").notNull(),
    message: text("message").notNull(),
    data: jsonb("data").$type<Json>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.jobId, t.seq] }),
    withinProject("training_events_job", t, t.jobId, trainingJobs).onDelete("cascade"),
  ],
);

/**
 * The points of a training job's charts. Level 0 holds each step's value; a point of level n sums up 32^n steps, so that a
 * chart of any length reads about as many rows as it draws.
 */
export const trainingPoints = pgTable(
  "training_points",
  {
    projectId: projectId(),
    jobId: text("job_id").notNull(),
    /** Such as `loss`, `eval_loss`, `learning_rate`. */
    series: text("series").notNull(),
    level: smallint("level").notNull(),
    /** The step, divided by 32^level and rounded down. */
    bucket: integer("bucket").notNull(),
    /** Steps with a value. */
    count: integer("count").notNull(),
    sum: doublePrecision("sum").notNull(),
    min: doublePrecision("min").notNull(),
    max: doublePrecision("max").notNull(),
    /** The newest step's number, its value, and its time by the trainer's clock. */
    step: integer("step").notNull(),
    value: doublePrecision("value").notNull(),
    at: unixMs("at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.jobId, t.series, t.level, t.bucket] }),
    withinProject("training_points_job", t, t.jobId, trainingJobs).onDelete("cascade"),
  ],
);

/** A trained state of a model, with the files that its trainer stores. */
export const checkpoints = pgTable(
  "checkpoints",
  {
    projectId: projectId(),
    /** The trainer's id, derived from job, step and content, so that registering it twice is a no-op. */
    id: text("id").notNull(),
    jobId: text("job_id").notNull(),
    attempt: integer("attempt").notNull(),
    stepNumber: integer("step_number").notNull(),
    epoch: doublePrecision("epoch"),
    kind: text("kind", { enum: CHECKPOINT_KINDS }).notNull(),
    state: text("state", { enum: CHECKPOINT_STATES }).notNull(),
    isBest: boolean("is_best").notNull(),
    isFinal: boolean("is_final").notNull(),
    resumable: boolean("resumable").notNull(),
    metrics: jsonb("metrics").$type<Record<string, number | null>>().notNull(),
    files: jsonb("files").$type<{ path: string; size: number; sha256: string }[]>().notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    contentSha256: text("content_sha256").notNull(),
    baseModel: jsonb("base_model").$type<{ id: string; revision: string | null }>().notNull(),
    parentCheckpointId: text("parent_checkpoint_id"),
    /** Null until the checkpoint has generated an answer. */
    inferenceProfile: jsonb("inference_profile").$type<Json>(),
    /** When rows that it was trained on were deleted with their user or conversation. */
    taintedAt: unixMs("tainted_at"),
    createdAt: unixMs("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("checkpoints_job", t, t.jobId, trainingJobs).onDelete("cascade"),
    index("checkpoints_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("checkpoints_of_job").on(t.projectId, t.jobId, desc(t.stepNumber)),
  ],
);

/** What was built from a checkpoint: merged, quantized, converted. Its files are on the trainer. */
export const trainingArtifacts = pgTable(
  "training_artifacts",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    jobId: text("job_id").notNull(),
    checkpointId: text("checkpoint_id").notNull(),
    kind: text("kind", { enum: ARTIFACT_KINDS }).notNull(),
    quantization: text("quantization"),
    state: text("state", { enum: ARTIFACT_STATES }).notNull(),
    files: jsonb("files").$type<{ path: string; size: number; sha256: string }[]>().notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    warnings: jsonb("warnings").$type<unknown[]>().notNull(),
    error: jsonb("error").$type<Json>(),
    createdAt: unixMs("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("training_artifacts_job", t, t.jobId, trainingJobs).onDelete("cascade"),
    index("training_artifacts_of_checkpoint").on(t.projectId, t.checkpointId),
    index("training_artifacts_of_job").on(t.projectId, t.jobId),
    check("training_artifacts_failure_has_an_error", sql`${t.state} <> 'failed' or ${t.error} is not null`),
  ],
);

/**
 * Files of a deleted job, checkpoint, deployment or manifest that are still to be deleted on a trainer. Deleted once the trainer
 * has confirmed it. Without a foreign key to the project: a trainer may be away when the project is deleted.
 */
export const trainingRemovals = pgTable(
  "training_removals",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    kind: text("kind", { enum: TRAINING_REMOVAL_KINDS }).notNull(),
    /** The id, or the manifest's hash. */
    subjectId: text("subject_id").notNull(),
    /** Without a foreign key: a trainer can be removed. */
    trainerId: text("trainer_id"),
    /** The checkpoints that were deleted with it, for a trainer that can delete nothing else. */
    checkpointIds: text("checkpoint_ids").array().notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** Why the last attempt failed. */
    error: text("error"),
    dueAt: unixMs("due_at").notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] }), index("training_removals_due").on(t.dueAt)],
);

/** What a tuning configuration's trigger decided, and why. */
export const triggerDecisions = pgTable(
  "trigger_decisions",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    configId: text("config_id").notNull(),
    outcome: text("outcome", { enum: TRIGGER_OUTCOMES }).notNull(),
    /** Such as `cooldown`; the sentence for people is `message`. */
    reason: text("reason").notNull(),
    message: text("message").notNull(),
    jobId: text("job_id"),
    /** How many times in a row it decided the same, the last time at `lastAt`. */
    times: integer("times").notNull().default(1),
    createdAt: createdAt(),
    lastAt: unixMs("last_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("trigger_decisions_config", t, t.configId, tuningConfigs).onDelete("cascade"),
    index("trigger_decisions_newest").on(t.projectId, t.configId, desc(t.createdAt), desc(t.id)),
    check("trigger_decisions_job", sql`(${t.outcome} = 'started') = (${t.jobId} is not null)`),
  ],
);
