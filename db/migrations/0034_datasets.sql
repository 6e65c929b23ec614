CREATE TABLE "collection_passes" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"dataset_id" text NOT NULL,
	"origin" text NOT NULL,
	"start_ms" bigint NOT NULL,
	"end_ms" bigint NOT NULL,
	"status" text NOT NULL,
	"cursor" jsonb,
	"conversations_expected" integer NOT NULL,
	"conversations_read" integer DEFAULT 0 NOT NULL,
	"proposed" integer DEFAULT 0 NOT NULL,
	"left" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"rate" double precision,
	"error" text,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"finished_at" bigint,
	CONSTRAINT "collection_passes_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "collection_passes_window" CHECK ("collection_passes"."start_ms" < "collection_passes"."end_ms")
);
--> statement-breakpoint
CREATE TABLE "dataset_facets" (
	"project_id" text NOT NULL,
	"dataset_id" text NOT NULL,
	"facet" text NOT NULL,
	"value" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "dataset_facets_project_id_dataset_id_facet_value_pk" PRIMARY KEY("project_id","dataset_id","facet","value"),
	CONSTRAINT "dataset_facets_count" CHECK ("dataset_facets"."count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "dataset_imports" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"dataset_id" text NOT NULL,
	"file_id" text NOT NULL,
	"file_name" text NOT NULL,
	"format" text NOT NULL,
	"mapping" jsonb,
	"on_error" text NOT NULL,
	"duplicates" text NOT NULL,
	"status" text NOT NULL,
	"rows_done" integer DEFAULT 0 NOT NULL,
	"bytes_done" bigint DEFAULT 0 NOT NULL,
	"bytes_total" bigint NOT NULL,
	"rows_valid" integer DEFAULT 0 NOT NULL,
	"created" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"duplicate" integer DEFAULT 0 NOT NULL,
	"rejected" integer DEFAULT 0 NOT NULL,
	"errors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"rejects_file_id" text,
	"version" integer,
	"error" text,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"cancelled_at" bigint,
	"finished_at" bigint,
	CONSTRAINT "dataset_imports_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "dataset_imports_failure_has_an_error" CHECK ("dataset_imports"."status" <> 'failed' or "dataset_imports"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "dataset_versions" (
	"project_id" text NOT NULL,
	"dataset_id" text NOT NULL,
	"number" integer NOT NULL,
	"kind" text NOT NULL,
	"cause_id" text,
	"added" integer DEFAULT 0 NOT NULL,
	"changed" integer DEFAULT 0 NOT NULL,
	"removed" integer DEFAULT 0 NOT NULL,
	"example_count" integer NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"closed_at" bigint,
	CONSTRAINT "dataset_versions_project_id_dataset_id_number_pk" PRIMARY KEY("project_id","dataset_id","number")
);
--> statement-breakpoint
CREATE TABLE "datasets" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"schema_type" text DEFAULT 'chat' NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	"collection_objective" text,
	"collection_enabled" boolean DEFAULT false NOT NULL,
	"collection_filters" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"collection_review" boolean DEFAULT true NOT NULL,
	"example_count" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"last_ordinal" integer DEFAULT 0 NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"deleted_at" bigint,
	CONSTRAINT "datasets_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "datasets_counts" CHECK ("datasets"."example_count" >= 0 and "datasets"."version" >= 0),
	CONSTRAINT "datasets_collect_for_an_objective" CHECK (not "datasets"."collection_enabled" or "datasets"."collection_objective" is not null)
);
--> statement-breakpoint
CREATE TABLE "example_candidates" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"dataset_id" text NOT NULL,
	"objective" text NOT NULL,
	"reason_code" text NOT NULL,
	"reason" text NOT NULL,
	"source_kind" text NOT NULL,
	"conversation_id" text NOT NULL,
	"user_id" text,
	"turn" integer NOT NULL,
	"finding_id" text,
	"knowledge_goal_id" text,
	"proposed_by_model" boolean DEFAULT false NOT NULL,
	"payload" jsonb NOT NULL,
	"content_hash" text NOT NULL,
	"provenance_key" text NOT NULL,
	"signature" bigint[] NOT NULL,
	"bands" text[] NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"claimed_by" text,
	"claimed_until" bigint,
	"skipped_at" bigint,
	"reviewed_by" text,
	"reviewed_at" bigint,
	"reject_reason" text,
	"example_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "example_candidates_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "example_candidates_reviewed" CHECK (("example_candidates"."status" = 'approved') = ("example_candidates"."example_id" is not null) and ("example_candidates"."status" = 'waiting') = ("example_candidates"."reviewed_at" is null))
);
--> statement-breakpoint
CREATE TABLE "example_revisions" (
	"project_id" text NOT NULL,
	"dataset_id" text NOT NULL,
	"example_id" text NOT NULL,
	"from_version" integer NOT NULL,
	"to_version" integer,
	"ordinal" integer NOT NULL,
	"payload" jsonb NOT NULL,
	"tags" text[] NOT NULL,
	"split" text NOT NULL,
	"source_kind" text NOT NULL,
	"external_ref" text,
	"objective" text,
	"conversation_id" text,
	"user_id" text,
	"turn" integer,
	"finding_id" text,
	"reviewer_id" text,
	"content_hash" text NOT NULL,
	"provenance_key" text,
	"tokens" integer NOT NULL,
	"terms" text[] NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint NOT NULL,
	"updated_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "example_revisions_project_id_dataset_id_example_id_from_version_pk" PRIMARY KEY("project_id","dataset_id","example_id","from_version"),
	CONSTRAINT "example_revisions_range" CHECK ("example_revisions"."to_version" is null or "example_revisions"."to_version" > "example_revisions"."from_version")
);
--> statement-breakpoint
CREATE TABLE "knowledge_goals" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"title" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"key_phrases" text[] NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "knowledge_goals_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "collection_passes" ADD CONSTRAINT "collection_passes_dataset" FOREIGN KEY ("project_id","dataset_id") REFERENCES "public"."datasets"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_facets" ADD CONSTRAINT "dataset_facets_dataset" FOREIGN KEY ("project_id","dataset_id") REFERENCES "public"."datasets"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_imports" ADD CONSTRAINT "dataset_imports_dataset" FOREIGN KEY ("project_id","dataset_id") REFERENCES "public"."datasets"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_versions" ADD CONSTRAINT "dataset_versions_dataset" FOREIGN KEY ("project_id","dataset_id") REFERENCES "public"."datasets"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "datasets" ADD CONSTRAINT "datasets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "example_candidates" ADD CONSTRAINT "example_candidates_dataset" FOREIGN KEY ("project_id","dataset_id") REFERENCES "public"."datasets"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "example_revisions" ADD CONSTRAINT "example_revisions_dataset" FOREIGN KEY ("project_id","dataset_id") REFERENCES "public"."datasets"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_goals" ADD CONSTRAINT "knowledge_goals_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "collection_passes_newest" ON "collection_passes" USING btree ("project_id","dataset_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "dataset_imports_newest" ON "dataset_imports" USING btree ("project_id","dataset_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE UNIQUE INDEX "dataset_versions_cause" ON "dataset_versions" USING btree ("project_id","dataset_id","kind","cause_id") WHERE kind <> 'restore';--> statement-breakpoint
CREATE INDEX "datasets_newest" ON "datasets" USING btree ("project_id","created_at" desc,"id" desc) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "datasets_deleted" ON "datasets" USING btree ("project_id","id") WHERE deleted_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "example_candidates_provenance" ON "example_candidates" USING btree ("project_id","dataset_id","provenance_key");--> statement-breakpoint
CREATE INDEX "example_candidates_waiting" ON "example_candidates" USING btree ("project_id","skipped_at","created_at","id") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "example_candidates_of_dataset" ON "example_candidates" USING btree ("project_id","dataset_id","status","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "example_candidates_of_conversation" ON "example_candidates" USING btree ("project_id","conversation_id");--> statement-breakpoint
CREATE INDEX "example_candidates_of_user" ON "example_candidates" USING btree ("project_id","user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "example_candidates_of_finding" ON "example_candidates" USING btree ("project_id","dataset_id","finding_id") WHERE finding_id is not null;--> statement-breakpoint
CREATE INDEX "example_candidates_bands" ON "example_candidates" USING gin ("bands") WITH (fastupdate=off);--> statement-breakpoint
CREATE UNIQUE INDEX "example_revisions_current" ON "example_revisions" USING btree ("project_id","dataset_id","example_id") WHERE to_version is null;--> statement-breakpoint
CREATE UNIQUE INDEX "example_revisions_content" ON "example_revisions" USING btree ("project_id","dataset_id","content_hash") WHERE to_version is null;--> statement-breakpoint
CREATE UNIQUE INDEX "example_revisions_provenance" ON "example_revisions" USING btree ("project_id","dataset_id","provenance_key") WHERE to_version is null and provenance_key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "example_revisions_newest" ON "example_revisions" USING btree ("project_id","dataset_id","ordinal" desc) WHERE to_version is null;--> statement-breakpoint
CREATE INDEX "example_revisions_external_ref" ON "example_revisions" USING btree ("project_id","dataset_id","external_ref") WHERE to_version is null and external_ref is not null;--> statement-breakpoint
CREATE INDEX "example_revisions_opened" ON "example_revisions" USING btree ("project_id","dataset_id","from_version");--> statement-breakpoint
CREATE INDEX "example_revisions_closed" ON "example_revisions" USING btree ("project_id","dataset_id","to_version") WHERE to_version is not null;--> statement-breakpoint
CREATE INDEX "example_revisions_of_conversation" ON "example_revisions" USING btree ("project_id","conversation_id") WHERE conversation_id is not null;--> statement-breakpoint
CREATE INDEX "example_revisions_of_user" ON "example_revisions" USING btree ("project_id","user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "example_revisions_keys" ON "example_revisions" USING gin (search_keys(dataset_id, ordinal::bigint * 10000, terms)) WITH (fastupdate=off) WHERE to_version is null;--> statement-breakpoint
CREATE INDEX "knowledge_goals_newest" ON "knowledge_goals" USING btree ("project_id","created_at" desc,"id" desc);