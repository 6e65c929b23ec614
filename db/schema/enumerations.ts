/**
 * The values that columns may hold: the schema declares them, and services, platform and screens import them from here. No
 * imports, so that client code does not bundle the database.
 */

export const ROLES = ["viewer", "editor", "manager", "owner"] as const;

export const ACTOR_KINDS = ["user", "apiKey", "job", "operator"] as const;
/** A visitor is an unauthenticated caller who was rejected; appears in the audit log only. */
export const AUDIT_ACTOR_KINDS = [...ACTOR_KINDS, "visitor"] as const;
export const AUDIT_DOORS = ["rest", "trpc", "page", "cli", "job"] as const;

export const MAIL_KINDS = ["invitation", "passwordReset", "alert"] as const;

export const BACKUP_KINDS = ["backup", "restore"] as const;
export const DELETION_SCOPES = ["conversation", "user", "project", "retention"] as const;
export const DELETION_STATUSES = ["queued", "running", "completed"] as const;

export const TELEMETRY_SIGNALS = ["traces", "logs"] as const;
/** Why a request with telemetry was refused; `others`: more senders than are told apart. */
export const REFUSAL_REASONS = [
  "missing_key",
  "unknown_key",
  "inactive_key",
  "missing_capability",
  "wrong_path",
  "wrong_method",
  "wrong_content_type",
  "too_large",
  "malformed_body",
  "rate_limited",
  "unavailable",
  "metrics_not_stored",
  "others",
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];
export const MODEL_CALL_TYPES = ["llm", "embedding"] as const;
export const SPAN_STATUSES = ["ok", "error"] as const;

/** What users say about an answer. */
export const FEEDBACK_KINDS = ["thumb", "score", "comment", "correction"] as const;
/** Sent over `/v1`, or read from telemetry. */
/** Who judges: a person, a model that is asked to, or a program. */
export const EVALUATOR_KINDS = ["human", "model", "code"] as const;

export const FEEDBACK_SOURCES = ["api", "otlp"] as const;

export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const;
export const REVIEW_STATUSES = ["unreviewed", "confirmed", "dismissed"] as const;
export const RESOLUTION_STATUSES = ["resolved", "unresolved"] as const;
/** `wrong` counts against the Rule: what it reported is not a problem. */
export const DISMISSAL_REASONS = ["wrong", "expected", "not_important", "duplicate", "other"] as const;
export const FINDING_TRENDS = ["new", "ongoing", "escalating", "regressed"] as const;
export const FINDING_EVENT_KINDS = [
  "created",
  "merged",
  "split",
  "reviewed",
  "dismissed",
  "returned",
  "resolved",
  "reopened",
  "regressed",
  "escalating",
  "calmed",
  "severity",
  "assignee",
  "note",
  "undone",
  "handed_off",
  "detached",
  "fix_watched",
  "fix_proven",
  "fix_not_proven",
] as const;
/** What of the application a fix changed. */
export const FIX_KINDS = ["code", "prompt", "model", "weights"] as const;
/**
 * Why a fix is no longer watched: long enough, by a person, or because its Finding was resolved anew, reopened or merged.
 * Replaced, for a deployed model: another checkpoint answers under its name.
 */
export const FIX_ENDS = ["over", "stopped", "replaced", "reopened", "merged"] as const;
/** What conversations of an experiment of the gateway are answered with: as before, or with the variant. */
export const EXPERIMENT_ARMS = ["baseline", "variant"] as const;
/** What releases of an application differ by: each is a filter of the list of conversations. */
export const VERSION_DIMENSIONS = ["version", "model", "label", "prompt"] as const;
/** What conversations since a fix went out show about it. */
export const FIX_VERDICTS = ["proven", "not_proven", "not_enough", "regressed"] as const;
export const RULE_RUN_STATUSES = ["queued", "running", "completed", "skipped", "failed"] as const;
export const RULE_RUN_ORIGINS = ["on_demand", "automatic", "backfill"] as const;

export const BACKFILL_SCAN_STATUSES = [
  "queued",
  "scanning",
  "processing",
  "completed",
  "completed_with_errors",
  "failed",
] as const;

export const REPRICING_STATES = ["queued", "running", "completed", "failed", "undoing", "undone"] as const;
/** The model vendors with default prices, and `external` for everything else. */
export const PRICE_PROVIDERS = [
  "openai",
  "anthropic",
  "google",
  "xai",
  "mistral",
  "deepseek",
  "cohere",
  "moonshotai",
  "zai",
  "minimax",
  "external",
] as const;
export const CONDITION_OPERATORS = ["gt", "gte", "lt", "lte", "eq", "neq"] as const;

export const JOB_RUN_STATES = ["queued", "running", "sleeping", "waiting", "completed", "failed", "cancelled"] as const;
export const JOB_STEP_STATES = ["planned", "retrying", "sleeping", "waiting", "completed", "failed"] as const;

/** The outside services that a project can be connected to. */
export const CONNECTION_KINDS = ["model", "webhook", "github", "gitlab", "linear", "jira", "model-hub"] as const;

/** The connection kinds that are issue trackers: two code hosts, two for project management. */
export const TRACKER_KINDS = ["github", "gitlab", "linear", "jira"] as const;
/** In lifecycle order; the last two are history. */
export const WORK_ITEM_STATES = ["pending", "open", "closed", "failed", "replaced", "abandoned"] as const;
/** States of the one work item that a Finding is linked to. */
export const LINKED_STATES = ["pending", "open", "closed", "failed"] as const;
/** What happened to a ticket or will happen: we make the first four changes; the rest were seen in the tracker. */
export const TICKET_CHANGE_KINDS = [
  "create",
  "comment",
  "close",
  "reopen",
  "seen_closed",
  "seen_open",
  "seen_gone",
] as const;
export const TICKET_CHANGE_STATES = ["queued", "done", "failed", "skipped"] as const;
/** The event that one of our changes reports to the tracker. */
export const TICKET_CHANGE_REASONS = [
  "handed_off",
  "regressed",
  "reopened",
  "resolved",
  "dismissed",
  "merged",
  "fix_proven",
  "fix_not_proven",
] as const;
export const CODE_REFERENCE_KINDS = ["commit", "pull_request"] as const;
export const CODE_REFERENCE_STATES = ["open", "merged", "closed"] as const;
export const TRACKER_DELIVERY_STATES = ["received", "processed", "ignored", "failed"] as const;
/** What happens to a ticket whose Finding regresses, and to one whose Finding is resolved by hand. */
export const ON_REGRESSION = ["reopen", "new_ticket", "comment"] as const;
export const ON_RESOLUTION = ["close", "comment"] as const;

/** An import may contain message content, which its deletion-registry entry records. */
export const FILE_KINDS = ["import", "manifest"] as const;
/** In lifecycle order. */
export const FILE_STATES = ["uploading", "storing", "stored", "deleting"] as const;

/** The events of a Finding that a webhook is told about. */
export const NOTICE_KINDS = ["new", "regressed", "escalating"] as const;
export const DELIVERY_STATES = ["queued", "delivered", "failed"] as const;

/** What an alert measures. */
export const ALERT_MEASURES = [
  "daily_cost",
  "monthly_cost",
  "daily_user_cost",
  "error_rate",
  "latency_p95",
  "finding_share",
  "silence",
] as const;
/** What a measure is compared with: a limit, or its own past. */
export const ALERT_CONDITIONS = ["threshold", "change"] as const;
export const ALERT_STATES = ["ok", "firing", "no_data", "too_few"] as const;
/** What a message about an alert says. */
export const ALERT_EVENTS = ["fired", "cleared"] as const;

/** Lists whose filters can be saved as a view, by the name of their page. */
export const SAVED_VIEW_LISTS = [
  "conversations",
  "findings",
  "rule-runs",
  "backfills",
  "jobs",
  "audit",
  "charts",
] as const;

/** Whose calls of models a budget limits: all, those of one key, or those of each user. */
export const BUDGET_SCOPES = ["project", "key", "user"] as const;

/** What a managed prompt is: one text, or messages of a chat. */
export const PROMPT_KINDS = ["text", "chat"] as const;
export const PROMPT_ROLES = ["system", "developer", "user", "assistant"] as const;

/** What a shared copy leaves out: values that masking finds, all content of messages, or nothing. */
export const SHARE_MASKINGS = ["personal_data", "content", "nothing"] as const;

export const COLLECTION_OBJECTIVES = [
  "preserve_successful_behavior",
  "correct_failed_conversations",
  "learn_from_user_corrections",
  "teach_project_knowledge",
] as const;
export const EXAMPLE_SOURCE_KINDS = [
  "manual",
  "import",
  "conversation",
  "finding",
  "correction",
  "knowledge_goal",
] as const;
export const EXAMPLE_SPLITS = ["train", "validation", "test"] as const;
export const DATASET_VERSION_KINDS = ["edit", "import", "collection", "restore"] as const;
export const CANDIDATE_STATUSES = ["waiting", "approved", "rejected"] as const;
/** What collection does with personal data and secrets: replaces them by placeholders, or holds the Example back. */
export const COLLECTION_MASKINGS = ["mask", "hold_back"] as const;
export const COLLECTION_PASS_ORIGINS = ["automatic", "backfill"] as const;
export const COLLECTION_PASS_STATUSES = ["queued", "running", "completed", "cancelled", "failed"] as const;
/** `all_or_nothing` stores nothing if a row is unusable; `good_rows` stores the others. */
export const IMPORT_ON_ERROR = ["all_or_nothing", "good_rows"] as const;
/** What happens to a row whose reference or content the Dataset already has. Equal content is never stored twice. */
export const IMPORT_DUPLICATES = ["skip", "update", "keep"] as const;
export const IMPORT_STATUSES = [
  "queued",
  "validating",
  "storing",
  "completed",
  "completed_with_errors",
  "cancelling",
  "cancelled",
  "failed",
] as const;

export const TRAINING_ENGINES = ["transformers"] as const;
export const TRAINING_METHODS = ["sft", "dpo", "orpo", "kto"] as const;
export const TRAINING_ADAPTERS = ["lora", "qlora", "full"] as const;
export const OUTPUT_FORMATS = ["safetensors", "gguf"] as const;
export const GGUF_QUANTIZATIONS = [
  "q4_0",
  "q4_k_m",
  "q4_k_s",
  "q5_0",
  "q5_k_m",
  "q6_k",
  "q8_0",
  "f16",
  "bf16",
  "f32",
] as const;
export const COMPRESSED_QUANTIZATIONS = ["fp8", "fp8_dynamic", "fp8_static", "int8"] as const;
/** A job stays `pausing` or `cancelling` until the trainer has stopped; a `paused` job can be resumed. */
export const TRAINING_JOB_STATUSES = [
  "queued",
  "validating",
  "running",
  "pausing",
  "paused",
  "cancelling",
  "succeeded",
  "failed",
  "cancelled",
] as const;
export const TRAINING_STOP_REASONS = ["completed", "early_stopped", "max_steps", "max_runtime", "user"] as const;
export const TRAINING_EVENT_LEVELS = ["info", "warn", "error"] as const;
export const BASE_MODEL_SOURCES = ["hub", "local"] as const;
export const CHECKPOINT_KINDS = ["adapter", "full"] as const;
/** `pruned`: the trainer deleted its files, according to the job's settings. */
export const CHECKPOINT_STATES = ["stored", "pruned"] as const;
export const ARTIFACT_KINDS = ["merged-16bit", "lora-adapter", "gguf", "gguf-lora", "compressed"] as const;
export const ARTIFACT_STATES = ["ready", "failed"] as const;
/** `agent`: a trainer that calls us; `url`: one that an earlier release called, until it gets a key. */
export const TRAINING_REMOVAL_KINDS = ["job", "checkpoint", "deployment", "manifest"] as const;
export const TRAINER_KINDS = ["url", "agent"] as const;
export const TRAINER_COMMAND_STATES = ["queued", "sent", "done"] as const;
export const TRIGGER_OUTCOMES = ["started", "skipped", "failed"] as const;
/** `service`: people and applications call it; `playground`: started to try a model, stopped when it is no longer used. */
export const DEPLOYMENT_PURPOSES = ["service", "playground"] as const;
export const SERVE_BACKENDS = ["transformers", "llama.cpp", "vllm"] as const;
/** `failed`, `timeout` and `stopped` are final. A crash takes `running` back to `starting` while it is restarted. */
export const DEPLOYMENT_STATUSES = [
  "pending",
  "preparing",
  "starting",
  "verifying",
  "running",
  "stopping",
  "stopped",
  "failed",
  "timeout",
] as const;
export const ROLLOUT_OUTCOMES = ["deployed", "skipped", "failed"] as const;
export const CERTIFICATE_STATUSES = ["queued", "running", "ready", "failed"] as const;
export const PARITY_VERDICTS = ["passed", "failed"] as const;
export const MODEL_EXPORT_FORMATS = ["gguf", "merged-16bit", "lora-adapter"] as const;
export const EXPORT_STATUSES = [
  "queued",
  "preflight",
  "building",
  "uploading",
  "succeeded",
  "failed",
  "cancelled",
] as const;
/** `examples`: held-out Examples; `finding`: conversations replayed from a Finding. */
export const EVALUATION_KINDS = ["examples", "finding"] as const;
export const EVALUATION_STATUSES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
export const EVALUATION_OUTCOMES = ["win", "tie", "loss"] as const;
/** `stopped`: the budget or the endpoint did not allow the rest, which can be asked later. */
export const JUDGING_STATUSES = ["queued", "running", "done", "stopped", "cancelled"] as const;
/** What a judging model is asked about a row: whether each answer is right, and which is better, in both orders. */
export const JUDGEMENT_QUESTIONS = ["right_before", "right_after", "before_first", "after_first"] as const;
export const PROOF_VERDICTS = ["proven", "not_proven", "not_enough"] as const;
export const COMPACTION_STATES = ["running", "paused", "completed"] as const;
/** The tables that a compaction processes, in this order. */
export const COMPACTED_TABLES = ["spans", "log_records"] as const;

export const SAMPLE_STATES = ["loading", "ready", "failed"] as const;
