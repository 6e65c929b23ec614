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
  ingest_receipts: "Receipts of batches",
  projection_queue: "Waiting to be read",
  rule_runs: "Rule Runs",
  rule_run_detections: "Rule Runs in progress",
  adjudications: "Answers of the adjudicator",
  collection_queue: "Queue of collection",
  findings: "Findings",
  occurrences: "Occurrences",
  job_runs: "Background jobs",
  job_events: "Events of background jobs",
  memberships: "Members",
  api_keys: "API keys",
  projects: "Project",
  daily_costs: "Costs by day",
  daily_label_costs: "Costs by day and label",
  deleted_traces: "Hashes of deleted traces",
  example_revisions: "Examples, with their earlier revisions",
  dataset_import_sources: "Conversations that imported files have Examples of",
  example_candidates: "Collected Examples in review",
  training_manifests: "Frozen Examples of trainings",
  training_jobs: "Training jobs",
  training_events: "Logs of trainings",
  training_points: "Charts of trainings",
  checkpoints: "Checkpoints",
  training_artifacts: "Files built from checkpoints",
  deployments: "Deployments",
  parity_certificates: "Parity certificates",
  model_exports: "Exports to model hubs",
  rollout_decisions: "Decisions of automatic deployment",
  evaluations: "Before/after evaluations",
  evaluation_rows: "Answers of before/after evaluations",
  tuning_configs: "Tuning configurations",
  trigger_decisions: "Decisions of tuning triggers",
  parked_traces: "Traces that could not be read",
};

const ORDER: readonly string[] = Object.keys(WORDS);
const placeOf = (table: string) => (ORDER.includes(table) ? ORDER.indexOf(table) : ORDER.length);

/** Ordered by how people think of them. */
export const byMeaning = (one: string, other: string) => placeOf(one) - placeOf(other) || one.localeCompare(other);

/** A table's contents as a readable name. */
export const tableWords = (table: string) => (table in WORDS ? WORDS[table as ReportedTable] : table);
