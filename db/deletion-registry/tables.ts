import { type Entry, nothing, type TableName } from "./vocabulary";

const NO_ACCOUNT = nothing("Clients send data about their own users, who have no account here.");
const NO_CONVERSATION = nothing("Contains only people, access and settings.");
const NEITHER = nothing("Concerns the installation or the project as a whole.");

const NO_WORDS_OF_FINDING = nothing("Names Findings by id; a message's text is composed when it is sent.");

const NO_WORDS_OF_TICKET = nothing(
  "Refers to tickets, commits and pull requests, whose texts were written in the tracker.",
);

const NO_WORDS_OF_TRAINING = nothing(
  "Settings, counts, hashes and figures of a training, without the words trained on.",
);

const OF_USERS = { by: ["user_id"], erased: "cascade", with: "users" } as const;
const OPAQUE_ID = { holds: "ids", erased: "kept", because: "Only our opaque id identifies who did it." } as const;
const EVENT_IDS = {
  holds: "ids",
  erased: "expires",
  because: "Ids in events, which are deleted after 7 days.",
} as const;

const DELETE_CONVERSATIONS = "telemetry/conversations/delete-conversations";
const DELETE_UNUSED_CONTENT = "telemetry/content/delete-unused-content";
const FORGET_EXAMPLES = "datasets/examples/forget-examples";
const FORGET_TRAINING = "training/manifests/forget-training";
const FORGET_EVALUATIONS = "proof/evaluations/forget-evaluations";
const FORGET_CONVERSATIONS = "diagnostics/findings/forget-conversations";

/**
 * What each table contains and how a deletion reaches it, in the order in which a project's rows are deleted: no table blocks
 * a later one, and rows that cascade from another table's are deleted first. How to add a table:
 * docs/decisions/reading/deletion-registry.md.
 */
export const TABLES = {
  projection_queue: {
    conversation: { holds: "ids", by: ["trace_id"], erased: "deleted", in: DELETE_CONVERSATIONS },
    person: NO_ACCOUNT,
    project: "batches",
  },
  occurrences: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "deleted", in: FORGET_CONVERSATIONS },
    person: NO_ACCOUNT,
    project: "batches",
    preview: "occurrences",
    measured: true,
  },
  collection_queue: {
    conversation: { holds: "ids", by: ["conversation_id"], erased: "cascade", with: "conversations" },
    person: NO_ACCOUNT,
    project: "batches",
  },
  rule_run_detections: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "cascade", with: "rule_runs" },
    person: NO_ACCOUNT,
    project: "batches",
  },
  adjudications: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "cascade", with: "conversations" },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  rule_runs: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "deleted", in: FORGET_CONVERSATIONS },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  notices: { conversation: NO_WORDS_OF_FINDING, person: NO_ACCOUNT, project: "cascade" },
  deliveries: { conversation: NO_WORDS_OF_FINDING, person: NO_ACCOUNT, project: "cascade" },
  work_items: { conversation: NO_WORDS_OF_FINDING, person: OPAQUE_ID, project: "cascade" },
  ticket_changes: { conversation: NO_WORDS_OF_FINDING, person: NO_ACCOUNT, project: "cascade" },
  code_references: { conversation: NO_WORDS_OF_TICKET, person: NO_ACCOUNT, project: "cascade" },
  tracker_cursors: { conversation: NO_WORDS_OF_TICKET, person: NO_ACCOUNT, project: "cascade" },
  tracker_deliveries: { conversation: NO_WORDS_OF_TICKET, person: NO_ACCOUNT, project: "cascade" },
  handoff_rules: { conversation: NO_CONVERSATION, person: NO_CONVERSATION, project: "cascade" },
  findings: {
    conversation: {
      holds: "words",
      erased: "rewritten",
      in: FORGET_CONVERSATIONS,
      because: "A Finding without other occurrences is deleted; any other is rewritten from the remaining occurrences.",
    },
    person: OPAQUE_ID,
    project: "batches",
    measured: true,
  },
  feedback: {
    conversation: {
      holds: "words",
      by: ["conversation_id"],
      erased: "deleted",
      because: "Feedback on a conversation that has not arrived is deleted after 30 days.",
    },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  finding_causes: {
    conversation: {
      holds: "words",
      erased: "rewritten",
      in: FORGET_CONVERSATIONS,
      because: "A cause without other occurrences is deleted; one placed by hand keeps its hash without the words.",
    },
    person: NO_ACCOUNT,
    project: "cascade",
  },
  finding_days: {
    conversation: { holds: "sums", erased: "rewritten", because: "Recounted with the Finding." },
    person: NO_ACCOUNT,
    project: "cascade",
  },
  finding_events: {
    conversation: nothing("Names Findings, causes by their hashes, and who changed what."),
    person: OPAQUE_ID,
    project: "cascade",
  },
  fixes: {
    conversation: nothing("Counts and rates, and what members wrote about a fix."),
    person: OPAQUE_ID,
    project: "cascade",
  },
  finding_notes: {
    conversation: nothing("What members wrote, deleted with the Finding."),
    person: OPAQUE_ID,
    project: "cascade",
  },
  conversation_search: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "cascade", with: "conversations" },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  conversation_messages: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "deleted" },
    person: NO_ACCOUNT,
    project: "batches",
    preview: "messages",
    measured: true,
  },
  repriced_calls: {
    conversation: { holds: "ids", by: ["trace_id"], erased: "cascade", with: "model_calls" },
    person: NO_ACCOUNT,
    project: "batches",
  },
  model_calls: {
    conversation: { holds: "words", by: ["conversation_id", "trace_id"], erased: "deleted" },
    person: NO_ACCOUNT,
    project: "batches",
    preview: "modelCalls",
    measured: true,
  },
  tool_calls: {
    conversation: { holds: "words", by: ["conversation_id", "trace_id"], erased: "deleted" },
    person: NO_ACCOUNT,
    project: "batches",
    preview: "toolCalls",
    measured: true,
  },
  log_records: {
    conversation: { holds: "words", by: ["trace_id"], erased: "deleted" },
    person: NO_ACCOUNT,
    project: "batches",
    preview: "logRecords",
    measured: true,
  },
  spans: {
    conversation: { holds: "words", by: ["trace_id"], erased: "deleted" },
    person: NO_ACCOUNT,
    project: "batches",
    preview: "spans",
    measured: true,
  },
  content_chunks: {
    conversation: {
      holds: "hashes",
      erased: "deleted",
      in: DELETE_UNUSED_CONTENT,
      because: "Deleted once no span or log record has it.",
    },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  content_parts: {
    conversation: {
      holds: "words",
      erased: "deleted",
      in: DELETE_UNUSED_CONTENT,
      because: "Deleted once no span or log record has it.",
    },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  content_released: {
    conversation: {
      holds: "hashes",
      erased: "deleted",
      in: DELETE_UNUSED_CONTENT,
      because: "Deleted when it has been checked whether any span or log record still has the chunk.",
    },
    person: NO_ACCOUNT,
    project: "batches",
  },
  span_sources: {
    conversation: {
      holds: "words",
      erased: "deleted",
      in: DELETE_CONVERSATIONS,
      because: "Deleted once no span or log record refers to it.",
    },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  ingest_receipts: {
    conversation: {
      holds: "ids",
      erased: "rewritten",
      in: DELETE_CONVERSATIONS,
      because: "A receipt that names only deleted traces is deleted; any other drops their ids.",
    },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  gateway_calls: {
    conversation: { holds: "words", by: ["trace_id"], erased: "deleted" },
    person: NO_ACCOUNT,
    project: "cascade",
  },
  parked_traces: {
    conversation: { holds: "words", by: ["trace_id"], erased: "cascade", with: "traces" },
    person: NO_ACCOUNT,
    project: "cascade",
  },
  traces: {
    conversation: { holds: "ids", by: ["conversation_id"], erased: "deleted", in: DELETE_CONVERSATIONS },
    person: NO_ACCOUNT,
    project: "batches",
    preview: "traces",
    measured: true,
  },
  conversations: {
    conversation: { holds: "words", by: ["id"], erased: "deleted", in: DELETE_CONVERSATIONS },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  deleted_traces: {
    conversation: {
      holds: "hashes",
      erased: "kept",
      because: "Rejects spans that are sent again, without revealing the trace id.",
    },
    person: NO_ACCOUNT,
    project: "batches",
  },
  deleted_examples: {
    conversation: nothing("Names Examples by our random ids, so that a file that still contains one is refused."),
    person: NO_ACCOUNT,
    project: "cascade",
  },
  // After model_calls: deleting those writes here.
  daily_costs: {
    conversation: { holds: "sums", erased: "rewritten", because: "A trigger subtracts deleted calls from the sums." },
    person: NO_ACCOUNT,
    project: "batches",
  },
  minute_calls: {
    conversation: {
      holds: "words",
      erased: "rewritten",
      because:
        "A trigger subtracts deleted calls from the sums; labels without calls are removed when they are folded, and all after weeks.",
    },
    person: NO_ACCOUNT,
    project: "batches",
  },
  daily_label_costs: {
    conversation: {
      holds: "words",
      erased: "rewritten",
      because:
        "A trigger subtracts deleted calls from the sums; a label without calls is removed when they are folded.",
    },
    person: NO_ACCOUNT,
    project: "batches",
  },
  daily_user_costs: {
    conversation: {
      holds: "ids",
      erased: "rewritten",
      because:
        "A day whose calls changed is recounted; a deletion of a user's data deletes what was counted for them before.",
    },
    person: NO_ACCOUNT,
    project: "batches",
  },
  stale_user_days: { conversation: nothing("Names days."), person: NO_ACCOUNT, project: "cascade" },
  call_baselines: {
    conversation: nothing("Quantiles over at least fifty calls or conversations, none of which can be identified."),
    person: NO_ACCOUNT,
    project: "cascade",
  },
  example_revisions: {
    conversation: {
      holds: "words",
      by: ["conversation_id"],
      erased: "deleted",
      in: FORGET_EXAMPLES,
      because: "Every revision of an Example made from it is deleted, also from earlier versions.",
    },
    person: OPAQUE_ID,
    project: "batches",
    measured: true,
  },
  example_candidates: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "deleted" },
    person: OPAQUE_ID,
    project: "batches",
    measured: true,
  },
  dataset_facets: {
    conversation: { holds: "sums", erased: "rewritten", in: FORGET_EXAMPLES, because: "Counts follow the Examples." },
    person: NO_ACCOUNT,
    project: "cascade",
  },
  dataset_versions: {
    conversation: { holds: "sums", erased: "rewritten", in: FORGET_EXAMPLES, because: "Counts follow the Examples." },
    person: OPAQUE_ID,
    project: "cascade",
  },
  dataset_imports: {
    conversation: nothing("Names a file, and quotes what is wrong with a row, not the row."),
    person: OPAQUE_ID,
    project: "cascade",
  },
  dataset_import_sources: {
    conversation: {
      holds: "ids",
      by: ["conversation_id"],
      erased: "deleted",
      in: "datasets/imports/forget-imports",
      because: "The import's file is deleted with it.",
    },
    person: NO_ACCOUNT,
    project: "cascade",
  },
  collection_passes: {
    conversation: {
      holds: "ids",
      erased: "expires",
      because: "The cursor names the last conversation read, until the pass has ended.",
    },
    person: OPAQUE_ID,
    project: "cascade",
  },
  evaluation_judgements: {
    conversation: { holds: "words", erased: "cascade", with: "evaluation_rows" },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  evaluation_judgings: { conversation: NO_WORDS_OF_TRAINING, person: OPAQUE_ID, project: "batches" },
  evaluation_reviews: { conversation: NO_WORDS_OF_TRAINING, person: OPAQUE_ID, project: "batches" },
  evaluation_rows: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "deleted", in: FORGET_EVALUATIONS },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  evaluations: { conversation: NO_WORDS_OF_TRAINING, person: OPAQUE_ID, project: "batches" },
  variants: {
    conversation: {
      holds: "ids",
      erased: "kept",
      because:
        "What members wrote, from a system prompt that they chose, and the conversations that it was written with: a proof leaves them out.",
    },
    person: OPAQUE_ID,
    project: "cascade",
  },
  model_exports: { conversation: NO_WORDS_OF_TRAINING, person: OPAQUE_ID, project: "batches" },
  rollout_decisions: { conversation: NO_WORDS_OF_TRAINING, person: NO_ACCOUNT, project: "batches" },
  parity_certificates: {
    conversation: {
      holds: "words",
      erased: "rewritten",
      in: FORGET_TRAINING,
      because: "Prompts and answers are removed with an Example that was trained on; figures remain.",
    },
    person: OPAQUE_ID,
    project: "batches",
  },
  deployments: { conversation: NO_WORDS_OF_TRAINING, person: OPAQUE_ID, project: "batches" },
  training_points: { conversation: NO_WORDS_OF_TRAINING, person: NO_ACCOUNT, project: "batches", measured: true },
  training_events: {
    conversation: {
      holds: "words",
      erased: "deleted",
      in: FORGET_TRAINING,
      because: "Answers to held-out Examples go with an Example that was trained on; other entries contain no words.",
    },
    person: NO_ACCOUNT,
    project: "batches",
    measured: true,
  },
  training_artifacts: { conversation: NO_WORDS_OF_TRAINING, person: NO_ACCOUNT, project: "batches" },
  checkpoints: {
    conversation: {
      holds: "hashes",
      erased: "rewritten",
      in: FORGET_TRAINING,
      because: "Marked as trained on words that were deleted.",
    },
    person: NO_ACCOUNT,
    project: "batches",
  },
  training_jobs: {
    conversation: {
      holds: "hashes",
      erased: "rewritten",
      in: FORGET_TRAINING,
      because: "Marked as trained on words that were deleted; one in progress is cancelled.",
    },
    person: OPAQUE_ID,
    project: "batches",
  },
  training_manifests: {
    conversation: {
      holds: "hashes",
      erased: "rewritten",
      in: FORGET_TRAINING,
      because: "Its file is deleted with an Example in it; hash and counts remain.",
    },
    person: NO_ACCOUNT,
    project: "batches",
  },
  training_removals: {
    conversation: nothing(
      "Ids of what was trained and served, and hashes, whose files are being deleted on a trainer.",
    ),
    person: NO_ACCOUNT,
    project: "kept",
  },
  trigger_decisions: { conversation: NO_WORDS_OF_TRAINING, person: NO_ACCOUNT, project: "batches" },
  tuning_configs: { conversation: NO_WORDS_OF_TRAINING, person: OPAQUE_ID, project: "batches" },
  base_models: { conversation: NO_WORDS_OF_TRAINING, person: OPAQUE_ID, project: "cascade" },
  trainers: {
    conversation: NO_WORDS_OF_TRAINING,
    person: nothing("A machine of the installation."),
    project: "not a project's",
  },
  trainer_commands: {
    conversation: {
      holds: "words",
      erased: "expires",
      because: "A call in progress may contain rows; it is deleted an hour after its result.",
    },
    person: NO_ACCOUNT,
    project: "not a project's",
  },
  trainer_command_parts: {
    conversation: {
      holds: "words",
      erased: "expires",
      because: "Parts of an answer in progress; they are deleted with their command, once the answer has arrived.",
    },
    person: NO_ACCOUNT,
    project: "not a project's",
  },
  datasets: {
    conversation: nothing("What members wrote about it, and counts."),
    person: OPAQUE_ID,
    project: "cascade",
  },
  gateway_spending: {
    conversation: nothing("Sums of a day, by a hash of the user's id, that are deleted after a month."),
    person: NO_ACCOUNT,
    project: "cascade",
  },
  gateway_budgets: { conversation: NEITHER, person: NO_ACCOUNT, project: "cascade" },
  gateway_assignments: {
    conversation: nothing("Hashes of conversations' ids in an experiment, that are deleted once it has ended."),
    person: NO_ACCOUNT,
    project: "batches",
  },
  gateway_experiments: {
    conversation: nothing("Names of an alias and a variant, and counts."),
    person: NO_ACCOUNT,
    project: "cascade",
  },
  gateway_aliases: {
    conversation: nothing("Names that members gave to models."),
    person: NO_ACCOUNT,
    project: "cascade",
  },
  knowledge_goals: {
    conversation: nothing("What members wrote about their project."),
    person: OPAQUE_ID,
    project: "cascade",
  },

  compactions: {
    conversation: {
      holds: "ids",
      erased: "expires",
      because: "The cursor names the last row examined, until all are.",
    },
    person: NO_ACCOUNT,
    project: "cascade",
  },
  repricings: {
    conversation: {
      holds: "ids",
      erased: "expires",
      because: "The cursor names the last call examined, until the repricing is done.",
    },
    person: OPAQUE_ID,
    project: "cascade",
  },
  backfills: {
    conversation: {
      holds: "ids",
      erased: "expires",
      because: "The cursor names the last conversation scanned, until the scan has ended.",
    },
    person: OPAQUE_ID,
    project: "cascade",
  },
  backfill_counts: {
    conversation: { holds: "sums", erased: "rewritten", because: "A trigger subtracts deleted Rule Runs." },
    person: NO_ACCOUNT,
    project: "cascade",
  },

  job_runs: {
    conversation: {
      holds: "words",
      erased: "expires",
      in: "deletion/delete-batch",
      because:
        "Errors may quote content: finished runs for its Rule Runs are deleted. Others contain ids in their event and expire after 7 days.",
    },
    person: EVENT_IDS,
    project: "statement",
  },
  job_steps: {
    conversation: { holds: "words", erased: "expires", because: "Deleted with their run." },
    person: EVENT_IDS,
    project: "cascade",
  },
  job_events: { conversation: EVENT_IDS, person: EVENT_IDS, project: "statement" },
  job_schedules: { conversation: NEITHER, person: NEITHER, project: "not a project's" },
  job_engine: { conversation: NEITHER, person: NEITHER, project: "not a project's" },
  projectors: {
    conversation: {
      holds: "ids",
      erased: "expires",
      because: "Names traces only while they are being projected.",
    },
    person: NO_ACCOUNT,
    project: "not a project's",
  },

  deletion_receipts: {
    conversation: {
      holds: "ids",
      erased: "kept",
      because: "The subject is cleared when the deletion completes; the counts remain.",
    },
    person: OPAQUE_ID,
    project: "kept",
  },
  audit_log: {
    conversation: {
      holds: "ids",
      erased: "kept",
      because: "Records who did what to which conversation, by our opaque ids.",
    },
    person: {
      holds: "words",
      erased: "rewritten",
      in: "people/erase-person",
      because: "`forget_person` removes address, names and networks; what was done remains under the id.",
      keepsIds: true,
    },
    project: "cascade",
  },
  account_audit_log: {
    conversation: nothing("Contains a deleted project's last entry, and nothing about conversations."),
    person: {
      holds: "words",
      erased: "rewritten",
      in: "people/erase-person",
      because: "`forget_person` removes address, names and networks; what was done remains under the id.",
      keepsIds: true,
    },
    project: "kept",
  },
  idempotency_keys: {
    conversation: {
      holds: "sealed",
      erased: "expires",
      because: "A response, sealed with the client's key, kept for a day.",
    },
    person: { holds: "hashes", erased: "expires", because: "An HMAC of the sender, kept for a day." },
    project: "cascade",
  },
  telemetry_refusals: {
    conversation: nothing("Counts refused requests by reason and minute, for a day."),
    person: nothing("The hash is of a sender's network, for a day."),
    project: "cascade",
  },
  rate_buckets: {
    conversation: NO_CONVERSATION,
    person: OPAQUE_ID,
    project: "cascade",
  },

  users: {
    conversation: NO_CONVERSATION,
    person: { holds: "words", by: ["id"], erased: "deleted", in: "people/erase-person" },
    project: "not a project's",
  },
  identities: { conversation: NO_CONVERSATION, person: { holds: "words", ...OF_USERS }, project: "not a project's" },
  sessions: { conversation: NO_CONVERSATION, person: { holds: "words", ...OF_USERS }, project: "not a project's" },
  sign_in_networks: {
    conversation: NO_CONVERSATION,
    person: { holds: "hashes", ...OF_USERS },
    project: "not a project's",
  },
  password_resets: { conversation: NO_CONVERSATION, person: { holds: "ids", ...OF_USERS }, project: "cascade" },
  memberships: { conversation: NO_CONVERSATION, person: { holds: "ids", ...OF_USERS }, project: "at once" },
  api_keys: { conversation: NO_CONVERSATION, person: OPAQUE_ID, project: "at once" },
  invitations: {
    conversation: NO_CONVERSATION,
    person: {
      holds: "words",
      erased: "rewritten",
      in: "people/erase-person",
      because: "An open invitation is deleted; a used one loses the address.",
      keepsIds: true,
    },
    project: "at once, uncounted",
    address: "email",
  },
  login_attempts: {
    conversation: NO_CONVERSATION,
    person: { holds: "hashes", erased: "expires", because: "An HMAC of the address, kept for an hour." },
    project: "not a project's",
  },
  setup_tokens: { conversation: NEITHER, person: NEITHER, project: "not a project's" },
  outgoing_mail: {
    conversation: NO_CONVERSATION,
    person: {
      holds: "sealed",
      erased: "expires",
      because: "Recipient and content are sealed and deleted when their link expires.",
    },
    project: "cascade",
  },

  files: {
    conversation: nothing("The entry depends on the file's kind: FILE_KIND_ENTRIES."),
    person: nothing("The entry depends on the file's kind: FILE_KIND_ENTRIES."),
    project: "cascade",
  },

  projects: { conversation: NEITHER, person: NEITHER, project: "itself" },
  model_price_definitions: { conversation: NEITHER, person: OPAQUE_ID, project: "cascade" },
  price_catalogues: { conversation: NEITHER, person: NEITHER, project: "not a project's" },
  diagnostic_settings: { conversation: NEITHER, person: NEITHER, project: "cascade" },
  own_rules: { conversation: NEITHER, person: NEITHER, project: "cascade" },
  evaluators: { conversation: NEITHER, person: NEITHER, project: "cascade" },
  rule_settings: { conversation: NEITHER, person: NEITHER, project: "cascade" },
  adjudicator_usage: { conversation: NEITHER, person: NEITHER, project: "cascade" },
  retention_settings: { conversation: NEITHER, person: NEITHER, project: "cascade" },
  share_links: {
    conversation: { holds: "ids", by: ["conversation_id"], erased: "cascade", with: "conversations" },
    person: OPAQUE_ID,
    project: "cascade",
  },
  shared_parts: {
    conversation: { holds: "words", by: ["conversation_id"], erased: "cascade", with: "conversations" },
    person: NO_ACCOUNT,
    project: "cascade",
  },
  saved_views: {
    conversation: {
      holds: "ids",
      erased: "kept",
      because: "A member's own filter may name an end user's id, and remains until they delete the view.",
    },
    person: { holds: "words", by: ["user_id"], erased: "cascade", with: "memberships" },
    project: "cascade",
  },
  pinned_charts: {
    conversation: NO_CONVERSATION,
    person: { holds: "ids", by: ["user_id"], erased: "cascade", with: "memberships" },
    project: "cascade",
  },
  prompts: { conversation: nothing("What members wrote."), person: NO_ACCOUNT, project: "cascade" },
  prompt_versions: { conversation: nothing("What members wrote."), person: OPAQUE_ID, project: "cascade" },
  prompt_labels: { conversation: nothing("What members wrote."), person: NO_ACCOUNT, project: "cascade" },
  prompt_label_events: { conversation: nothing("What members wrote."), person: OPAQUE_ID, project: "cascade" },
  alerts: {
    conversation: nothing("What members wrote: names, models, labels and limits."),
    person: NO_CONVERSATION,
    project: "cascade",
  },
  alert_channels: { conversation: NEITHER, person: NEITHER, project: "cascade" },
  alert_firings: { conversation: nothing("Sums over all calls of a time."), person: NO_ACCOUNT, project: "cascade" },
  notification_rules: { conversation: NO_CONVERSATION, person: NO_CONVERSATION, project: "cascade" },
  connections: { conversation: NEITHER, person: NEITHER, project: "at once, uncounted" },
  sample_projects: { conversation: NO_CONVERSATION, person: OPAQUE_ID, project: "at once, uncounted" },
  ring_keys: { conversation: NEITHER, person: NEITHER, project: "not a project's" },
  stored_sizes: { conversation: NEITHER, person: NEITHER, project: "cascade" },
  backups: { conversation: NEITHER, person: NEITHER, project: "not a project's" },
} as const satisfies Record<TableName, Entry>;
