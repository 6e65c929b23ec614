import { desc, sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { NOW } from "../now";
import { actor, chatPayload, createdAt, projectId, unixMs } from "./columns";
import {
  CANDIDATE_STATUSES,
  COLLECTION_OBJECTIVES,
  COLLECTION_PASS_ORIGINS,
  COLLECTION_PASS_STATUSES,
  DATASET_VERSION_KINDS,
  EXAMPLE_SOURCE_KINDS,
  EXAMPLE_SPLITS,
  IMPORT_DUPLICATES,
  IMPORT_ON_ERROR,
  IMPORT_STATUSES,
} from "./enumerations";
import { owningProjectId, withinProject } from "./projects";
import { conversations } from "./telemetry";

/** A named set of training Examples of one schema, and what it collects automatically. */
export const datasets = pgTable(
  "datasets",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    schemaType: text("schema_type", { enum: ["chat"] })
      .notNull()
      .default("chat"),
    schemaVersion: integer("schema_version").notNull().default(1),
    collectionObjective: text("collection_objective", { enum: COLLECTION_OBJECTIVES }),
    collectionEnabled: boolean("collection_enabled").notNull().default(false),
    collectionFilters: jsonb("collection_filters")
      .$type<{ knowledgeGoalIds?: string[] | undefined }>()
      .notNull()
      .default({}),
    /** Whether collected Examples need a person's approval before they enter the Dataset. */
    collectionReview: boolean("collection_review").notNull().default(true),
    /** Whether the project's connected model is asked for a better answer where no person gave one. */
    collectionAsksModel: boolean("collection_asks_model").notNull().default(false),
    /** Current Examples; changed in the transaction that writes them. */
    exampleCount: integer("example_count").notNull().default(0),
    /** The newest version; 0 before the first. */
    version: integer("version").notNull().default(0),
    /** The ordinal of the newest Example; 0 before the first. */
    lastOrdinal: integer("last_ordinal").notNull().default(0),
    ...actor(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull().default(NOW),
    /** Set by a deletion: the Dataset is gone for every reader, and a job deletes its rows in batches. */
    deletedAt: unixMs("deleted_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("datasets_newest").on(t.projectId, desc(t.createdAt), desc(t.id)).where(sql`deleted_at is null`),
    index("datasets_deleted").on(t.projectId, t.id).where(sql`deleted_at is not null`),
    check("datasets_counts", sql`${t.exampleCount} >= 0 and ${t.version} >= 0`),
    check("datasets_collect_for_an_objective", sql`not ${t.collectionEnabled} or ${t.collectionObjective} is not null`),
  ],
);

/** What one import, collection pass, edit session or restore changed. */
export const datasetVersions = pgTable(
  "dataset_versions",
  {
    projectId: projectId(),
    datasetId: text("dataset_id").notNull(),
    number: integer("number").notNull(),
    kind: text("kind", { enum: DATASET_VERSION_KINDS }).notNull(),
    /** The import, the collection pass, or the number of the version restored. */
    causeId: text("cause_id"),
    added: integer("added").notNull().default(0),
    changed: integer("changed").notNull().default(0),
    removed: integer("removed").notNull().default(0),
    /** Examples in this version. */
    exampleCount: integer("example_count").notNull(),
    ...actor(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull().default(NOW),
    /** Set once nothing more can join it. */
    closedAt: unixMs("closed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.datasetId, t.number] }),
    withinProject("dataset_versions_dataset", t, t.datasetId, datasets).onDelete("cascade"),
    uniqueIndex("dataset_versions_cause").on(t.projectId, t.datasetId, t.kind, t.causeId).where(sql`kind <> 'restore'`),
  ],
);

const WORDS = `.content ? (@.type() == "string" && @ != "")`;
/**
 * The MD5 of an Example's words, as SQL over `payload`: the texts of its messages and its answer as a JSON array, which every format
 * of an export keeps. `wordsHashOf` returns the same.
 */
export const EXAMPLE_WORDS_HASH = `md5((jsonb_path_query_array(payload, '$.input.messages[*]${WORDS}') || jsonb_path_query_array(payload, '$.expectedOutput.message${WORDS}'))::text)`;

/**
 * An Example's content in the versions from `fromVersion` up to but excluding `toVersion`; the current one has no `toVersion`.
 * A version costs only what it changes: unchanged Examples keep their rows.
 */
export const exampleRevisions = pgTable(
  "example_revisions",
  {
    projectId: projectId(),
    datasetId: text("dataset_id").notNull(),
    exampleId: text("example_id").notNull(),
    fromVersion: integer("from_version").notNull(),
    toVersion: integer("to_version"),
    /** The Example's number in its Dataset, in order of creation; the same in all its revisions. */
    ordinal: integer("ordinal").notNull(),
    payload: chatPayload("payload").notNull(),
    tags: text("tags").array().notNull(),
    split: text("split", { enum: EXAMPLE_SPLITS }).notNull(),
    sourceKind: text("source_kind", { enum: EXAMPLE_SOURCE_KINDS }).notNull(),
    externalRef: text("external_ref"),
    objective: text("objective", { enum: COLLECTION_OBJECTIVES }),
    /** The conversation it was made from, which retention may have deleted since, and its end user. */
    conversationId: text("conversation_id"),
    userId: text("user_id"),
    /** Index in the conversation of the message whose better form is the expected output. */
    turn: integer("turn"),
    findingId: text("finding_id"),
    /** The member who approved or corrected it. */
    reviewerId: text("reviewer_id"),
    /** SHA-256 of the payload as canonical JSON (RFC 8785). */
    contentHash: text("content_hash").notNull(),
    /** Equal for the same source and objective, so that nothing is collected twice. */
    provenanceKey: text("provenance_key"),
    /** An estimate. */
    tokens: integer("tokens").notNull(),
    /** The distinct lower-cased words of its messages, and its attributes prefixed such as `tag:` and `split:`. */
    terms: text("terms").array().notNull(),
    /** Hashes of which copies share at least one: bands of its question's MinHash, and its long answer. Null if stored before. */
    likeness: bigint("likeness", { mode: "number" }).array(),
    ...actor(),
    /** When the Example was created. */
    createdAt: unixMs("created_at").notNull(),
    /** When this revision was created. */
    updatedAt: unixMs("updated_at").notNull().default(NOW),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.datasetId, t.exampleId, t.fromVersion] }),
    withinProject("example_revisions_dataset", t, t.datasetId, datasets).onDelete("cascade"),
    uniqueIndex("example_revisions_current").on(t.projectId, t.datasetId, t.exampleId).where(sql`to_version is null`),
    uniqueIndex("example_revisions_content").on(t.projectId, t.datasetId, t.contentHash).where(sql`to_version is null`),
    uniqueIndex("example_revisions_provenance")
      .on(t.projectId, t.datasetId, t.provenanceKey)
      .where(sql`to_version is null and provenance_key is not null`),
    uniqueIndex("example_revisions_newest")
      .on(t.projectId, t.datasetId, desc(t.ordinal))
      .where(sql`to_version is null`),
    index("example_revisions_external_ref")
      .on(t.projectId, t.datasetId, t.externalRef)
      .where(sql`to_version is null and external_ref is not null`),
    index("example_revisions_opened").on(t.projectId, t.datasetId, t.fromVersion),
    index("example_revisions_closed").on(t.projectId, t.datasetId, t.toVersion).where(sql`to_version is not null`),
    index("example_revisions_of_conversation")
      .on(t.projectId, t.conversationId)
      .where(sql`conversation_id is not null`),
    index("example_revisions_words")
      .on(t.projectId, sql.raw(EXAMPLE_WORDS_HASH))
      .where(sql`conversation_id is not null`),
    index("example_revisions_of_user").on(t.projectId, t.userId).where(sql`user_id is not null`),
    // Keyed by Dataset and a run of 8,640 ordinals (the function's unit is a day): a list walks back run by run and reads at
    // most one run of a common word. A trigger moves each statement's rows from the pending list into the index in one go.
    index("example_revisions_keys")
      .using("gin", sql`search_keys(dataset_id, ordinal::bigint * 10000, terms)`)
      .with({ fastupdate: "on", gin_pending_list_limit: 65_536 })
      .where(sql`to_version is null`),
    // A pending list would be searched for every key of every lookup.
    index("example_revisions_likeness")
      .using("gin", t.likeness)
      .with({ fastupdate: "off" })
      .where(sql`to_version is null`),
    index("example_revisions_without_likeness")
      .on(t.projectId, t.datasetId)
      .where(sql`to_version is null and likeness is null`),
    check("example_revisions_range", sql`${t.toVersion} is null or ${t.toVersion} > ${t.fromVersion}`),
  ],
);

/** Counts of current Examples by split, source, objective, tag and token range; changed in the transaction that writes them. */
export const datasetFacets = pgTable(
  "dataset_facets",
  {
    projectId: projectId(),
    datasetId: text("dataset_id").notNull(),
    facet: text("facet").notNull(),
    value: text("value").notNull(),
    count: integer("count").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.datasetId, t.facet, t.value] }),
    withinProject("dataset_facets_dataset", t, t.datasetId, datasets).onDelete("cascade"),
    check("dataset_facets_count", sql`${t.count} >= 0`),
  ],
);

/** Something that a model should know about the project, and the phrases used to find conversations about it. */
export const knowledgeGoals = pgTable(
  "knowledge_goals",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    title: text("title").notNull(),
    description: text("description").notNull().default(""),
    keyPhrases: text("key_phrases").array().notNull(),
    ...actor(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull().default(NOW),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("knowledge_goals_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
  ],
);

/** Every proposal that collection stored, kept after its review so that the same source is never proposed twice. */
export const exampleCandidates = pgTable(
  "example_candidates",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    datasetId: text("dataset_id").notNull(),
    objective: text("objective", { enum: COLLECTION_OBJECTIVES }).notNull(),
    reasonCode: text("reason_code").notNull(),
    /** A sentence for people. */
    reason: text("reason").notNull(),
    sourceKind: text("source_kind", { enum: EXAMPLE_SOURCE_KINDS }).notNull(),
    conversationId: text("conversation_id").notNull(),
    userId: text("user_id"),
    turn: integer("turn").notNull(),
    findingId: text("finding_id"),
    knowledgeGoalId: text("knowledge_goal_id"),
    proposedByModel: boolean("proposed_by_model").notNull().default(false),
    payload: chatPayload("payload").notNull(),
    contentHash: text("content_hash").notNull(),
    provenanceKey: text("provenance_key").notNull(),
    /** MinHash of its words: 64 numbers; and its bands, of which near-duplicates share at least one. */
    signature: bigint("signature", { mode: "number" }).array().notNull(),
    bands: text("bands").array().notNull(),
    status: text("status", { enum: CANDIDATE_STATUSES }).notNull().default("waiting"),
    /** The reviewer who is looking at it, and until when it is offered to no other reviewer. */
    claimedBy: text("claimed_by"),
    claimedUntil: unixMs("claimed_until"),
    /** When it was skipped: it comes after everything that was pending then. */
    skippedAt: unixMs("skipped_at"),
    reviewedBy: text("reviewed_by"),
    reviewedAt: unixMs("reviewed_at"),
    rejectReason: text("reject_reason"),
    exampleId: text("example_id"),
    /** The pass that proposed it. */
    passId: text("pass_id"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("example_candidates_dataset", t, t.datasetId, datasets).onDelete("cascade"),
    uniqueIndex("example_candidates_provenance").on(t.projectId, t.datasetId, t.provenanceKey),
    index("example_candidates_waiting").on(t.projectId, t.skippedAt, t.createdAt, t.id).where(sql`status = 'waiting'`),
    index("example_candidates_of_dataset").on(t.projectId, t.datasetId, t.status, desc(t.createdAt), desc(t.id)),
    index("example_candidates_of_conversation").on(t.projectId, t.conversationId),
    index("example_candidates_of_user").on(t.projectId, t.userId).where(sql`user_id is not null`),
    index("example_candidates_of_finding").on(t.projectId, t.datasetId, t.findingId).where(sql`finding_id is not null`),
    index("example_candidates_reviewed")
      .on(t.projectId, t.reviewedBy, desc(t.reviewedAt))
      .where(sql`reviewed_by is not null`),
    index("example_candidates_of_pass").on(t.projectId, t.passId).where(sql`status = 'waiting'`),
    index("example_candidates_bands").using("gin", t.bands).with({ fastupdate: "off" }),
    check(
      "example_candidates_reviewed",
      sql`(${t.status} = 'approved') = (${t.exampleId} is not null) and (${t.status} = 'waiting') = (${t.reviewedAt} is null)`,
    ),
  ],
);

/** One pass over settled conversations for a Dataset: those settled since the last pass, or those of a past window. */
export const collectionPasses = pgTable(
  "collection_passes",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    datasetId: text("dataset_id").notNull(),
    origin: text("origin", { enum: COLLECTION_PASS_ORIGINS }).notNull(),
    /** Conversations whose last activity lies in `[startMs, endMs)`. */
    startMs: unixMs("start_ms").notNull(),
    endMs: unixMs("end_ms").notNull(),
    status: text("status", { enum: COLLECTION_PASS_STATUSES }).notNull(),
    /** The last conversation read; null before the first. */
    cursor: jsonb("cursor").$type<readonly [lastActivityAt: number, conversationId: string]>(),
    conversationsExpected: integer("conversations_expected").notNull(),
    conversationsRead: integer("conversations_read").notNull().default(0),
    proposed: integer("proposed").notNull().default(0),
    /** Counts of what was left out, by reason code. */
    left: jsonb("left").$type<Record<string, number>>().notNull().default({}),
    rate: doublePrecision("rate"),
    error: text("error"),
    ...actor(),
    createdAt: createdAt(),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("collection_passes_dataset", t, t.datasetId, datasets).onDelete("cascade"),
    index("collection_passes_newest").on(t.projectId, t.datasetId, desc(t.createdAt), desc(t.id)),
    check("collection_passes_window", sql`${t.startMs} < ${t.endMs}`),
  ],
);

/** Conversations that automatic collection has to read: they became inactive, or something about them changed since. */
export const collectionQueue = pgTable(
  "collection_queue",
  {
    projectId: projectId(),
    conversationId: text("conversation_id").notNull(),
    queuedAt: unixMs("queued_at").notNull().default(NOW),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.conversationId] }),
    withinProject("collection_queue_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    index("collection_queue_oldest").on(t.projectId, t.queuedAt, t.conversationId),
  ],
);

/** A file being read into a Dataset, as one version. */
export const datasetImports = pgTable(
  "dataset_imports",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    datasetId: text("dataset_id").notNull(),
    fileId: text("file_id").notNull(),
    fileName: text("file_name").notNull(),
    format: text("format").notNull(),
    /** For a CSV or Parquet file: what each column contains. */
    mapping: jsonb("mapping").$type<Record<string, string>>(),
    onError: text("on_error", { enum: IMPORT_ON_ERROR }).notNull(),
    duplicates: text("duplicates", { enum: IMPORT_DUPLICATES }).notNull(),
    status: text("status", { enum: IMPORT_STATUSES }).notNull(),
    /** Rows stored or permanently rejected; the import resumes after them. */
    rowsDone: integer("rows_done").notNull().default(0),
    bytesDone: bigint("bytes_done", { mode: "number" }).notNull().default(0),
    bytesTotal: bigint("bytes_total", { mode: "number" }).notNull(),
    rowsValid: integer("rows_valid").notNull().default(0),
    created: integer("created").notNull().default(0),
    updated: integer("updated").notNull().default(0),
    duplicate: integer("duplicate").notNull().default(0),
    rejected: integer("rejected").notNull().default(0),
    /** The first of them, with their lines. */
    errors: jsonb("errors").$type<{ line: number; message: string }[]>().notNull().default([]),
    version: integer("version"),
    /** Recent rows per second. */
    rate: doublePrecision("rate"),
    /** Why it failed. */
    error: text("error"),
    /** When its file was deleted because it contained rows of a deleted user or conversation. */
    fileErasedAt: unixMs("file_erased_at"),
    ...actor(),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    cancelledAt: unixMs("cancelled_at"),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("dataset_imports_dataset", t, t.datasetId, datasets).onDelete("cascade"),
    index("dataset_imports_newest").on(t.projectId, t.datasetId, desc(t.createdAt), desc(t.id)),
    check("dataset_imports_failure_has_an_error", sql`${t.status} <> 'failed' or ${t.error} is not null`),
  ],
);

/** Conversations with rows in an import's file (exported Examples made from them). Lets a deletion find the file. */
export const datasetImportSources = pgTable(
  "dataset_import_sources",
  {
    projectId: projectId(),
    importId: text("import_id").notNull(),
    conversationId: text("conversation_id").notNull(),
    /** Known even after the conversation has expired. */
    userId: text("user_id"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.importId, t.conversationId] }),
    withinProject("dataset_import_sources_import", t, t.importId, datasetImports).onDelete("cascade"),
    index("dataset_import_sources_of_conversation").on(t.projectId, t.conversationId),
    index("dataset_import_sources_of_user").on(t.projectId, t.userId).where(sql`user_id is not null`),
  ],
);
