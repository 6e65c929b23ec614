CREATE TABLE "api_keys" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"hint" text NOT NULL,
	"capabilities" text[] NOT NULL,
	"expires_at" bigint,
	"last_used_at" bigint,
	"revoked_at" bigint,
	"created_by" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "api_keys_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "conversation_messages" (
	"project_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"position" integer NOT NULL,
	"role" text NOT NULL,
	"parts" jsonb NOT NULL,
	"tool_calls" jsonb NOT NULL,
	"tool_call_id" text,
	"span_id" text,
	"at" bigint,
	"digest" text NOT NULL,
	CONSTRAINT "conversation_messages_project_id_conversation_id_position_pk" PRIMARY KEY("project_id","conversation_id","position")
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"key" text NOT NULL,
	"external_id" text,
	"user_id" text,
	"preview" text,
	"trace_ids" text[] DEFAULT '{}' NOT NULL,
	"models" text[] DEFAULT '{}' NOT NULL,
	"started_at" bigint NOT NULL,
	"last_activity_at" bigint NOT NULL,
	"message_count" integer DEFAULT 0 NOT NULL,
	"model_call_count" integer DEFAULT 0 NOT NULL,
	"tool_call_count" integer DEFAULT 0 NOT NULL,
	"error_count" integer DEFAULT 0 NOT NULL,
	"finding_count" integer DEFAULT 0 NOT NULL,
	"unpriced_call_count" integer DEFAULT 0 NOT NULL,
	"usage" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"cost" numeric,
	"words" text[] DEFAULT '{}' NOT NULL,
	"received_at" bigint NOT NULL,
	"diagnosed_received_at" bigint,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "conversations_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "conversations_counts" CHECK ("conversations"."message_count" >= 0 and "conversations"."model_call_count" >= 0 and "conversations"."finding_count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "diagnostic_settings" (
	"project_id" text PRIMARY KEY NOT NULL,
	"automatic_scheduling_enabled" boolean NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "findings" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"rule_id" text NOT NULL,
	"signal" text NOT NULL,
	"fingerprint" text NOT NULL,
	"cause" text NOT NULL,
	"title" text NOT NULL,
	"summary" text NOT NULL,
	"severity" text NOT NULL,
	"diagnostic_score" double precision NOT NULL,
	"diagnostic_score_parts" jsonb NOT NULL,
	"review_status" text NOT NULL,
	"resolution_status" text,
	"resolved_at" bigint,
	"regressed_at" bigint,
	"occurrence_count" integer DEFAULT 0 NOT NULL,
	"user_count" integer DEFAULT 0 NOT NULL,
	"first_detected_at" bigint NOT NULL,
	"last_detected_at" bigint NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "findings_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "findings_score" CHECK ("findings"."diagnostic_score" between 0 and 1),
	CONSTRAINT "findings_dismissed_has_no_resolution" CHECK ("findings"."review_status" <> 'dismissed' or "findings"."resolution_status" is null),
	CONSTRAINT "findings_resolved_at" CHECK (("findings"."resolution_status" is not distinct from 'resolved') = ("findings"."resolved_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "ingest_receipts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"signal" text NOT NULL,
	"received" integer NOT NULL,
	"stored" integer NOT NULL,
	"rejected" integer NOT NULL,
	"rejections" jsonb NOT NULL,
	"trace_ids" text[] NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "ingest_receipts_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "ingest_receipts_add_up" CHECK ("ingest_receipts"."stored" + "ingest_receipts"."rejected" <= "ingest_receipts"."received")
);
--> statement-breakpoint
CREATE TABLE "job_events" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigserial NOT NULL,
	"project_id" text,
	"name" text NOT NULL,
	"data" json NOT NULL,
	"occurred_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"dispatched_at" bigint,
	"retry_at" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text,
	"function_id" text NOT NULL,
	"event_id" text NOT NULL,
	"event" json NOT NULL,
	"state" text NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"max_attempts" integer NOT NULL,
	"crashes" integer DEFAULT 0 NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"call_at" bigint,
	"due_at" bigint,
	"queue_at" bigint,
	"lane" text NOT NULL,
	"concurrency_keys" json DEFAULT '[]'::json NOT NULL,
	"idempotency_key" text,
	"lease_until" bigint,
	"lease_token" text,
	"output" json,
	"error" json,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint
);
--> statement-breakpoint
CREATE TABLE "job_schedules" (
	"function_id" text NOT NULL,
	"cron" text NOT NULL,
	"next_at" bigint NOT NULL,
	CONSTRAINT "job_schedules_function_id_cron_pk" PRIMARY KEY("function_id","cron")
);
--> statement-breakpoint
CREATE TABLE "job_steps" (
	"run_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text,
	"op" text NOT NULL,
	"state" text NOT NULL,
	"position" integer,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" bigint,
	"waits_for" text,
	"wait_if" text,
	"data" json,
	"error" json,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"finished_at" bigint,
	CONSTRAINT "job_steps_run_id_id_pk" PRIMARY KEY("run_id","id")
);
--> statement-breakpoint
CREATE TABLE "log_records" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"trace_id" text,
	"span_id" text,
	"source_id" text NOT NULL,
	"event_name" text,
	"severity" smallint,
	"time_us" bigint NOT NULL,
	"body" jsonb,
	"attributes" jsonb NOT NULL,
	CONSTRAINT "log_records_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "login_attempts" (
	"subject" text NOT NULL,
	"window_start" bigint NOT NULL,
	"failures" integer NOT NULL,
	CONSTRAINT "login_attempts_subject_window_start_pk" PRIMARY KEY("subject","window_start")
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"project_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "memberships_project_id_user_id_pk" PRIMARY KEY("project_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "model_calls" (
	"project_id" text NOT NULL,
	"trace_id" text NOT NULL,
	"span_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"provider" text,
	"requested_model" text,
	"response_model" text,
	"response_id" text,
	"usage" jsonb,
	"raw_usage" jsonb,
	"usage_rule" text,
	"finish_reasons" text[] NOT NULL,
	"status" text NOT NULL,
	"error" jsonb,
	"started_at" bigint NOT NULL,
	"ended_at" bigint NOT NULL,
	"digest" text NOT NULL,
	"cost_total" numeric,
	"cost" jsonb,
	"reported_cost" numeric,
	CONSTRAINT "model_calls_project_id_trace_id_span_id_pk" PRIMARY KEY("project_id","trace_id","span_id")
);
--> statement-breakpoint
CREATE TABLE "model_price_definitions" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_model_price_id" text,
	"provider" text NOT NULL,
	"model_name" text NOT NULL,
	"match_pattern" text NOT NULL,
	"pricing_tiers" jsonb NOT NULL,
	"effective_from" bigint NOT NULL,
	"superseded_at" bigint,
	"created_by" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "model_price_definitions_project_id_id_version_pk" PRIMARY KEY("project_id","id","version")
);
--> statement-breakpoint
CREATE TABLE "occurrences" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"finding_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"rule_run_id" text,
	"score" double precision NOT NULL,
	"confidence" double precision NOT NULL,
	"severity" text NOT NULL,
	"title" text NOT NULL,
	"summary" text NOT NULL,
	"evidence" jsonb NOT NULL,
	"detected_at" bigint NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "occurrences_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "projection_queue" (
	"project_id" text NOT NULL,
	"id" bigserial NOT NULL,
	"trace_id" text NOT NULL,
	"received_at" bigint NOT NULL,
	CONSTRAINT "projection_queue_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"pricing_version" integer DEFAULT 0 NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rule_runs" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"rule_id" text NOT NULL,
	"rule_version" integer NOT NULL,
	"conversation_id" text NOT NULL,
	"last_activity_at" bigint NOT NULL,
	"origin" text NOT NULL,
	"backfill_id" text,
	"trace_ids" text[] DEFAULT '{}' NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"result_count" integer,
	"skip_reason" text,
	"error_message" text,
	"notes" text[] DEFAULT '{}' NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint,
	CONSTRAINT "rule_runs_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "rule_runs_skip_has_a_reason" CHECK (("rule_runs"."status" = 'skipped') = ("rule_runs"."skip_reason" is not null)),
	CONSTRAINT "rule_runs_failure_has_a_message" CHECK ("rule_runs"."status" <> 'failed' or "rule_runs"."error_message" is not null)
);
--> statement-breakpoint
CREATE TABLE "rule_settings" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"enabled" boolean NOT NULL,
	"configuration" jsonb NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "rule_settings_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"revoked_at" bigint,
	"user_agent" text
);
--> statement-breakpoint
CREATE TABLE "setup_tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "span_sources" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"resource" jsonb NOT NULL,
	"scope_name" text NOT NULL,
	"scope_version" text NOT NULL,
	CONSTRAINT "span_sources_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "spans" (
	"project_id" text NOT NULL,
	"trace_id" text NOT NULL,
	"span_id" text NOT NULL,
	"parent_span_id" text,
	"source_id" text NOT NULL,
	"name" text NOT NULL,
	"kind" smallint NOT NULL,
	"status_code" smallint NOT NULL,
	"status_message" text,
	"started_us" bigint NOT NULL,
	"ended_us" bigint NOT NULL,
	"attributes" jsonb NOT NULL,
	"events" jsonb,
	CONSTRAINT "spans_project_id_trace_id_span_id_pk" PRIMARY KEY("project_id","trace_id","span_id")
);
--> statement-breakpoint
CREATE TABLE "tool_calls" (
	"project_id" text NOT NULL,
	"trace_id" text NOT NULL,
	"span_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"call_id" text,
	"name" text NOT NULL,
	"arguments" text,
	"result" text,
	"error" jsonb,
	"started_at" bigint NOT NULL,
	"ended_at" bigint NOT NULL,
	"digest" text NOT NULL,
	CONSTRAINT "tool_calls_project_id_trace_id_span_id_pk" PRIMARY KEY("project_id","trace_id","span_id")
);
--> statement-breakpoint
CREATE TABLE "traces" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"conversation_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "traces_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"password_hash" text NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversation_messages" ADD CONSTRAINT "conversation_messages_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "diagnostic_settings" ADD CONSTRAINT "diagnostic_settings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "findings" ADD CONSTRAINT "findings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ingest_receipts" ADD CONSTRAINT "ingest_receipts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_steps" ADD CONSTRAINT "job_steps_run_id_job_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."job_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_records" ADD CONSTRAINT "log_records_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_records" ADD CONSTRAINT "log_records_trace" FOREIGN KEY ("project_id","trace_id") REFERENCES "public"."traces"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_calls" ADD CONSTRAINT "model_calls_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_price_definitions" ADD CONSTRAINT "model_price_definitions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projection_queue" ADD CONSTRAINT "projection_queue_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_runs" ADD CONSTRAINT "rule_runs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_runs" ADD CONSTRAINT "rule_runs_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_settings" ADD CONSTRAINT "rule_settings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "span_sources" ADD CONSTRAINT "span_sources_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spans" ADD CONSTRAINT "spans_trace" FOREIGN KEY ("project_id","trace_id") REFERENCES "public"."traces"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "traces" ADD CONSTRAINT "traces_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "traces" ADD CONSTRAINT "traces_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_id" ON "api_keys" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "conversations_key" ON "conversations" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "conversations_newest" ON "conversations" USING btree ("project_id","started_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "conversations_by_activity" ON "conversations" USING btree ("project_id","last_activity_at");--> statement-breakpoint
CREATE INDEX "conversations_user" ON "conversations" USING btree ("project_id","user_id","started_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "conversations_with_findings" ON "conversations" USING btree ("project_id","started_at" desc,"id" desc) WHERE finding_count > 0;--> statement-breakpoint
CREATE INDEX "conversations_with_errors" ON "conversations" USING btree ("project_id","started_at" desc,"id" desc) WHERE error_count > 0;--> statement-breakpoint
CREATE INDEX "conversations_models" ON "conversations" USING gin ("models");--> statement-breakpoint
CREATE INDEX "conversations_words" ON "conversations" USING gin ("words");--> statement-breakpoint
CREATE INDEX "conversations_undiagnosed" ON "conversations" USING btree ("project_id","received_at") WHERE diagnosed_received_at is distinct from received_at;--> statement-breakpoint
CREATE UNIQUE INDEX "findings_fingerprint" ON "findings" USING btree ("project_id","fingerprint");--> statement-breakpoint
CREATE INDEX "findings_newest" ON "findings" USING btree ("project_id","last_detected_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "findings_by_review" ON "findings" USING btree ("project_id","review_status","last_detected_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "findings_by_resolution" ON "findings" USING btree ("project_id","resolution_status","last_detected_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "findings_by_severity" ON "findings" USING btree ("project_id","severity","last_detected_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "findings_by_signal" ON "findings" USING btree ("project_id","rule_id","signal");--> statement-breakpoint
CREATE INDEX "ingest_receipts_newest" ON "ingest_receipts" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "job_events_waiting" ON "job_events" USING btree ("seq") WHERE dispatched_at is null;--> statement-breakpoint
CREATE INDEX "job_events_dispatched" ON "job_events" USING btree ("dispatched_at") WHERE dispatched_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "job_runs_once" ON "job_runs" USING btree ("event_id","function_id");--> statement-breakpoint
CREATE INDEX "job_runs_lane" ON "job_runs" USING btree ("lane","queue_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "job_runs_due" ON "job_runs" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "job_runs_leased" ON "job_runs" USING btree ("lease_until") WHERE lease_token is not null;--> statement-breakpoint
CREATE INDEX "job_runs_open" ON "job_runs" USING btree ("function_id") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "job_runs_finished" ON "job_runs" USING btree ("finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "job_runs_idempotency" ON "job_runs" USING btree ("function_id","idempotency_key") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX "job_runs_newest" ON "job_runs" USING btree ("created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "job_runs_project" ON "job_runs" USING btree ("project_id","created_at" desc);--> statement-breakpoint
CREATE INDEX "job_steps_waiting" ON "job_steps" USING btree ("waits_for") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "log_records_trace_id" ON "log_records" USING btree ("project_id","trace_id");--> statement-breakpoint
CREATE INDEX "memberships_user" ON "memberships" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "model_calls_conversation_id" ON "model_calls" USING btree ("project_id","conversation_id");--> statement-breakpoint
CREATE INDEX "model_calls_newest" ON "model_calls" USING btree ("project_id","started_at" desc);--> statement-breakpoint
CREATE INDEX "model_calls_response" ON "model_calls" USING btree ("project_id","response_id") WHERE response_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "model_price_definitions_in_force" ON "model_price_definitions" USING btree ("project_id","provider","model_name") WHERE superseded_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "occurrences_once" ON "occurrences" USING btree ("project_id","finding_id","conversation_id");--> statement-breakpoint
CREATE INDEX "occurrences_newest" ON "occurrences" USING btree ("project_id","finding_id","detected_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "occurrences_conversation_id" ON "occurrences" USING btree ("project_id","conversation_id");--> statement-breakpoint
CREATE INDEX "projection_queue_order" ON "projection_queue" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "rule_runs_once" ON "rule_runs" USING btree ("project_id","rule_id","rule_version","conversation_id","last_activity_at");--> statement-breakpoint
CREATE INDEX "rule_runs_newest" ON "rule_runs" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "rule_runs_conversation_id" ON "rule_runs" USING btree ("project_id","conversation_id");--> statement-breakpoint
CREATE INDEX "rule_runs_status" ON "rule_runs" USING btree ("project_id","status","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tool_calls_conversation_id" ON "tool_calls" USING btree ("project_id","conversation_id");--> statement-breakpoint
CREATE INDEX "traces_conversation_id" ON "traces" USING btree ("project_id","conversation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));