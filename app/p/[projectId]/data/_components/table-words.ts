import type { ReportedTable } from "@/server/services/deletion";

const WORDS: Record<ReportedTable, string> = {
  conversations: "Conversations",
  conversation_messages: "Messages",
  conversation_search: "Search index",
  model_calls: "Model calls",
  tool_calls: "Tool calls",
  repriced_calls: "Costs before a repricing",
  feedback: "Feedback",
  traces: "Traces",
  spans: "Spans",
  span_sources: "Resources and scopes",
  log_records: "Log records",
  content_parts: "Shared content of spans and logs",
  content_chunks: "Lists of shared content",
  content_released: "Shared content to check",
  ingest_receipts: "Batch receipts",
  projection_queue: "Waiting to be processed",
  rule_runs: "Rule Runs",
  rule_run_detections: "Rule Runs in progress",
  adjudications: "Adjudicator answers",
  collection_queue: "Collection queue",
  share_links: "Share links",
  shared_parts: "Shared copies",
  findings: "Findings",
  occurrences: "Occurrences",
  job_runs: "Background jobs",
  job_events: "Events of background jobs",
  memberships: "Members",
  api_keys: "API keys",
  projects: "Project",
  daily_costs: "Costs by day",
  daily_label_costs: "Costs by day and label",
  minute_calls: "Model calls by minute",
  deleted_traces: "Hashes of deleted traces",
  example_revisions: "Examples, with their earlier revisions",
  dataset_import_sources: "Conversations with imported Examples",
  example_candidates: "Collected Examples in review",
  training_manifests: "Frozen training Examples",
  training_jobs: "Training jobs",
  training_events: "Training logs",
  training_points: "Training charts",
  checkpoints: "Checkpoints",
  training_artifacts: "Files built from checkpoints",
  deployments: "Deployments",
  parity_certificates: "Parity certificates",
  model_exports: "Exports to model hubs",
  rollout_decisions: "Automatic deployment decisions",
  evaluations: "Before/after evaluations",
  evaluation_rows: "Before/after answers",
  evaluation_judgements: "Judgements of before/after answers",
  evaluation_judgings: "Judging of before/after answers",
  evaluation_reviews: "Reviews of before/after answers",
  tuning_configs: "Tuning configurations",
  trigger_decisions: "Tuning trigger decisions",
  gateway_calls: "Calls in progress",
  gateway_assignments: "Assignments to experiments",
  parked_traces: "Traces that could not be read",
};

const ORDER: readonly string[] = Object.keys(WORDS);
const placeOf = (table: string) => (ORDER.includes(table) ? ORDER.indexOf(table) : ORDER.length);

/** Compares tables by importance to readers, in the order of the names above. */
export const byMeaning = (one: string, other: string) => placeOf(one) - placeOf(other) || one.localeCompare(other);

/** A table's contents as a readable name. */
export const tableWords = (table: string) => (table in WORDS ? WORDS[table as ReportedTable] : table);
