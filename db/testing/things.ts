import { getTableName, is, Table } from "drizzle-orm";
import * as schema from "@/db/schema";

/** The table that a field's id refers to, its id column, and the time by which its lists are ordered. */
type Reference = { table: string; id: string; time: string };

/** Fields that do not simply refer to `id` in the table of that name, ordered by `created_at`. */
const REFERENCES: Record<string, Partial<Reference> & { table: string }> = {
  backgroundJobId: { table: "job_runs" },
  certificateId: { table: "parity_certificates" },
  candidateId: { table: "example_candidates" },
  collectionPassId: { table: "collection_passes" },
  changeId: { table: "finding_events", id: "change_id", time: "at" },
  conversationId: { table: "conversations", time: "started_at" },
  deletionId: { table: "deletion_receipts" },
  deliveryId: { table: "deliveries" },
  exampleId: { table: "example_revisions", id: "example_id" },
  importId: { table: "dataset_imports" },
  baselineConnectionId: { table: "connections" },
  exportId: { table: "model_exports" },
  fixId: { table: "fixes" },
  gatewayAliasId: { table: "gateway_aliases" },
  findingId: { table: "findings", time: "last_detected_at" },
  clonedFromId: { table: "training_jobs" },
  configId: { table: "tuning_configs" },
  jobId: { table: "training_jobs" },
  keyId: { table: "api_keys" },
  messageIndex: { table: "conversation_messages", id: "position", time: "at" },
  n: { table: "evaluation_rows", id: "n" },
  noteId: { table: "finding_notes" },
  modelPriceId: { table: "model_price_definitions" },
  promptName: { table: "prompts", id: "name" },
  rootModelId: { table: "training_jobs" },
  receiptId: { table: "ingest_receipts" },
  runId: { table: "rule_runs" },
  spanId: { table: "tool_calls", id: "span_id" },
  telemetryId: { table: "tool_calls", id: "span_id" },
  trackerDeliveryId: { table: "tracker_deliveries", time: "received_at" },
  userId: { table: "memberships", id: "user_id" },
  version: { table: "dataset_versions", id: "number" },
};
/** Ids of things that do not belong to a project. */
const NOBODYS = new Set(["ruleId", "trainerId"]);

const TABLES = new Set<string>(Object.values(schema).flatMap((one) => (is(one, Table) ? [getTableName(one)] : [])));

function known(field: string): Reference | undefined {
  const named = `${field.replace(/Id$/, "").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}s`;
  const reference = REFERENCES[field] ?? (field.endsWith("Id") && TABLES.has(named) ? { table: named } : undefined);
  return reference && { id: "id", time: "created_at", ...reference };
}

/** Returns whether a field is the id of something that belongs to a project. */
export const namesAThing = (field: string) => known(field) !== undefined;

/** Returns the table that a field's id refers to; `null` if it belongs to no project. Throws for an unknown field. */
export function placeOf(field: string): Reference | null {
  if (NOBODYS.has(field)) return null;
  const reference = known(field);
  if (!reference) throw new Error(`Say in db/testing/things.ts what ${field} is an id of.`);
  return reference;
}
