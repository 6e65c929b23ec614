/**
 * The values that columns may hold: the schema declares them, and services, platform and screens import them from here. No
 * imports, so that client code does not bundle the database.
 */

export const ROLES = ["viewer", "editor", "manager", "owner"] as const;

export const ACTOR_KINDS = ["user", "apiKey", "job", "operator"] as const;
/** A visitor is an unauthenticated caller who was rejected; appears in the audit log only. */
export const AUDIT_ACTOR_KINDS = [...ACTOR_KINDS, "visitor"] as const;
export const AUDIT_DOORS = ["rest", "trpc", "page", "cli", "job"] as const;

export const MAIL_KINDS = ["invitation", "passwordReset"] as const;

export const BACKUP_KINDS = ["backup", "restore"] as const;
export const DELETION_SCOPES = ["conversation", "user", "project", "retention"] as const;
export const DELETION_STATUSES = ["queued", "running", "completed"] as const;

export const TELEMETRY_SIGNALS = ["traces", "logs"] as const;
export const MODEL_CALL_TYPES = ["llm", "embedding"] as const;
export const SPAN_STATUSES = ["ok", "error"] as const;

export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const;
export const REVIEW_STATUSES = ["unreviewed", "confirmed", "dismissed"] as const;
export const RESOLUTION_STATUSES = ["resolved", "unresolved"] as const;
export const RULE_RUN_STATUSES = ["queued", "running", "completed", "skipped", "failed"] as const;
export const RULE_RUN_ORIGINS = ["on_demand", "automatic", "backfill"] as const;

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

/** An import may contain message content, which its deletion-registry entry records. */
export const FILE_KINDS = ["import"] as const;
/** In lifecycle order. */
export const FILE_STATES = ["uploading", "storing", "stored", "deleting"] as const;
