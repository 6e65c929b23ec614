CREATE TABLE "deployments" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"purpose" text NOT NULL,
	"name" text NOT NULL,
	"checkpoint_id" text,
	"base_model" jsonb,
	"backend" text,
	"quantization" text,
	"status" text NOT NULL,
	"stage_detail" text,
	"error" jsonb,
	"trainer_id" text NOT NULL,
	"dispatched_at" bigint,
	"restarts" integer DEFAULT 0 NOT NULL,
	"certificate_id" text,
	"is_forced" boolean DEFAULT false NOT NULL,
	"replaces_id" text,
	"tuning_config_id" text,
	"timeout_seconds" integer NOT NULL,
	"deadline_at" bigint NOT NULL,
	"idle_seconds" integer,
	"last_called_at" bigint,
	"verified_at" bigint,
	"first_token_ms" integer,
	"stale_since" bigint,
	"due_at" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"ended_at" bigint,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "deployments_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "deployments_serve_one_model" CHECK (("deployments"."checkpoint_id" is null) <> ("deployments"."base_model" is null)),
	CONSTRAINT "deployments_ended" CHECK (("deployments"."status" in ('stopped', 'failed', 'timeout')) = ("deployments"."ended_at" is not null)),
	CONSTRAINT "deployments_run_once_verified" CHECK ("deployments"."status" <> 'running' or "deployments"."verified_at" is not null),
	CONSTRAINT "deployments_failure_has_an_error" CHECK ("deployments"."status" not in ('failed', 'timeout') or "deployments"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "evaluation_rows" (
	"project_id" text NOT NULL,
	"evaluation_id" text NOT NULL,
	"n" integer NOT NULL,
	"dataset_id" text,
	"example_id" text,
	"conversation_id" text,
	"prompt" jsonb NOT NULL,
	"expected" text,
	"before" jsonb,
	"after" jsonb,
	"outcome" text,
	"reason" text,
	"is_found_before" boolean,
	"is_found_after" boolean,
	CONSTRAINT "evaluation_rows_project_id_evaluation_id_n_pk" PRIMARY KEY("project_id","evaluation_id","n")
);
--> statement-breakpoint
CREATE TABLE "evaluations" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"kind" text NOT NULL,
	"checkpoint_id" text NOT NULL,
	"baseline_checkpoint_id" text,
	"dataset_id" text,
	"dataset_version" integer,
	"finding_id" text,
	"rule_id" text,
	"rule_version" integer,
	"rule_configuration" jsonb,
	"status" text NOT NULL,
	"total" integer NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"summary" jsonb,
	"verdict" text,
	"error" jsonb,
	"trainer_id" text NOT NULL,
	"stale_since" bigint,
	"due_at" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "evaluations_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "evaluations_subject" CHECK (("evaluations"."kind" = 'finding') = ("evaluations"."finding_id" is not null)),
	CONSTRAINT "evaluations_ended" CHECK (("evaluations"."status" in ('succeeded', 'failed', 'cancelled')) = ("evaluations"."finished_at" is not null)),
	CONSTRAINT "evaluations_failure_has_an_error" CHECK ("evaluations"."status" <> 'failed' or "evaluations"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "model_exports" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"checkpoint_id" text,
	"hub_model" jsonb,
	"format" text NOT NULL,
	"quantization" text,
	"connection_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"repo_id" text NOT NULL,
	"is_private" boolean NOT NULL,
	"revision" text NOT NULL,
	"status" text NOT NULL,
	"progress" jsonb,
	"commit_oid" text,
	"url" text,
	"files" jsonb,
	"error" jsonb,
	"certificate_id" text,
	"is_forced" boolean DEFAULT false NOT NULL,
	"job_id" text,
	"trainer_id" text NOT NULL,
	"dispatched_at" bigint,
	"cancel_requested_at" bigint,
	"stale_since" bigint,
	"due_at" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "model_exports_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "model_exports_one_source" CHECK (("model_exports"."checkpoint_id" is null) <> ("model_exports"."hub_model" is null)),
	CONSTRAINT "model_exports_gguf_is_quantized" CHECK (("model_exports"."format" = 'gguf') = ("model_exports"."quantization" is not null)),
	CONSTRAINT "model_exports_ended" CHECK (("model_exports"."status" in ('succeeded', 'failed', 'cancelled')) = ("model_exports"."finished_at" is not null)),
	CONSTRAINT "model_exports_failure_has_an_error" CHECK ("model_exports"."status" <> 'failed' or "model_exports"."error" is not null),
	CONSTRAINT "model_exports_success_has_a_commit" CHECK ("model_exports"."status" <> 'succeeded' or "model_exports"."commit_oid" is not null)
);
--> statement-breakpoint
CREATE TABLE "parity_certificates" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"checkpoint_id" text NOT NULL,
	"forms" jsonb NOT NULL,
	"deployment_id" text,
	"status" text NOT NULL,
	"verdict" text,
	"subjects" jsonb,
	"answers" jsonb,
	"error" jsonb,
	"trainer_id" text NOT NULL,
	"dispatched_at" bigint,
	"stale_since" bigint,
	"due_at" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"finished_at" bigint,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "parity_certificates_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "parity_certificates_ended" CHECK (("parity_certificates"."status" in ('ready', 'failed')) = ("parity_certificates"."finished_at" is not null)),
	CONSTRAINT "parity_certificates_verdict" CHECK (("parity_certificates"."status" = 'ready') = ("parity_certificates"."verdict" is not null)),
	CONSTRAINT "parity_certificates_failure_has_an_error" CHECK ("parity_certificates"."status" <> 'failed' or "parity_certificates"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "rollout_decisions" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"config_id" text NOT NULL,
	"job_id" text NOT NULL,
	"checkpoint_id" text,
	"outcome" text,
	"reason" text,
	"message" text,
	"gates" jsonb NOT NULL,
	"evaluation_id" text,
	"certificate_id" text,
	"deployment_id" text,
	"due_at" bigint,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "rollout_decisions_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "rollout_decisions_reason" CHECK (("rollout_decisions"."outcome" is null) = ("rollout_decisions"."reason" is null))
);
--> statement-breakpoint
ALTER TABLE "training_jobs" ADD COLUMN "planned_export" jsonb;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_checkpoint" FOREIGN KEY ("project_id","checkpoint_id") REFERENCES "public"."checkpoints"("project_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evaluation_rows" ADD CONSTRAINT "evaluation_rows_evaluation" FOREIGN KEY ("project_id","evaluation_id") REFERENCES "public"."evaluations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evaluations" ADD CONSTRAINT "evaluations_checkpoint" FOREIGN KEY ("project_id","checkpoint_id") REFERENCES "public"."checkpoints"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_exports" ADD CONSTRAINT "model_exports_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_exports" ADD CONSTRAINT "model_exports_checkpoint" FOREIGN KEY ("project_id","checkpoint_id") REFERENCES "public"."checkpoints"("project_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "parity_certificates" ADD CONSTRAINT "parity_certificates_checkpoint" FOREIGN KEY ("project_id","checkpoint_id") REFERENCES "public"."checkpoints"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollout_decisions" ADD CONSTRAINT "rollout_decisions_config" FOREIGN KEY ("project_id","config_id") REFERENCES "public"."tuning_configs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_one_runs" ON "deployments" USING btree ("project_id","name") WHERE status = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_one_starts" ON "deployments" USING btree ("project_id","name") WHERE started_at is null and status in ('pending', 'preparing', 'starting', 'verifying');--> statement-breakpoint
CREATE INDEX "deployments_newest" ON "deployments" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "deployments_of_checkpoint" ON "deployments" USING btree ("project_id","checkpoint_id");--> statement-breakpoint
CREATE INDEX "deployments_due" ON "deployments" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "evaluation_rows_of_example" ON "evaluation_rows" USING btree ("project_id","dataset_id","example_id") WHERE example_id is not null;--> statement-breakpoint
CREATE INDEX "evaluation_rows_of_conversation" ON "evaluation_rows" USING btree ("project_id","conversation_id") WHERE conversation_id is not null;--> statement-breakpoint
CREATE INDEX "evaluations_newest" ON "evaluations" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "evaluations_of_checkpoint" ON "evaluations" USING btree ("project_id","checkpoint_id","created_at" desc);--> statement-breakpoint
CREATE INDEX "evaluations_of_finding" ON "evaluations" USING btree ("project_id","finding_id","created_at" desc) WHERE finding_id is not null;--> statement-breakpoint
CREATE INDEX "evaluations_due" ON "evaluations" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "model_exports_newest" ON "model_exports" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "model_exports_of_checkpoint" ON "model_exports" USING btree ("project_id","checkpoint_id");--> statement-breakpoint
CREATE UNIQUE INDEX "model_exports_planned_once" ON "model_exports" USING btree ("project_id","job_id") WHERE job_id is not null;--> statement-breakpoint
CREATE INDEX "model_exports_due" ON "model_exports" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "parity_certificates_of_checkpoint" ON "parity_certificates" USING btree ("project_id","checkpoint_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "parity_certificates_due" ON "parity_certificates" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "rollout_decisions_once" ON "rollout_decisions" USING btree ("project_id","job_id");--> statement-breakpoint
CREATE INDEX "rollout_decisions_newest" ON "rollout_decisions" USING btree ("project_id","config_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "rollout_decisions_due" ON "rollout_decisions" USING btree ("due_at") WHERE due_at is not null;