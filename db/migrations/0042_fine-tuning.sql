CREATE TABLE "base_models" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"source" text NOT NULL,
	"model_id" text NOT NULL,
	"revision" text,
	"name" text NOT NULL,
	"license" text,
	"trust_remote_code" boolean DEFAULT false NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "base_models_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "base_models_code_is_pinned" CHECK (not "base_models"."trust_remote_code" or "base_models"."revision" ~ '^[0-9a-f]{40}$')
);
--> statement-breakpoint
CREATE TABLE "checkpoints" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"job_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"step_number" integer NOT NULL,
	"epoch" double precision,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"is_best" boolean NOT NULL,
	"is_final" boolean NOT NULL,
	"resumable" boolean NOT NULL,
	"metrics" jsonb NOT NULL,
	"files" jsonb NOT NULL,
	"bytes" bigint NOT NULL,
	"content_sha256" text NOT NULL,
	"base_model" jsonb NOT NULL,
	"parent_checkpoint_id" text,
	"inference_profile" jsonb,
	"tainted_at" bigint,
	"created_at" bigint NOT NULL,
	CONSTRAINT "checkpoints_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "trainer_commands" (
	"id" text PRIMARY KEY NOT NULL,
	"trainer_id" text NOT NULL,
	"state" text NOT NULL,
	"payload" jsonb NOT NULL,
	"result" jsonb,
	"sent_at" bigint,
	"done_at" bigint,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "trainer_commands_done_has_a_result" CHECK (("trainer_commands"."state" = 'done') = ("trainer_commands"."result" is not null))
);
--> statement-breakpoint
CREATE TABLE "trainers" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"key_hash" text,
	"key_hint" text,
	"capabilities" jsonb,
	"capabilities_hash" text,
	"boot_id" text,
	"version" text,
	"jobs_running" integer DEFAULT 0 NOT NULL,
	"last_seen_at" bigint,
	"error" text,
	"disabled_at" bigint,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "trainers_agents_have_a_key" CHECK (("trainers"."kind" = 'agent') = ("trainers"."key_hash" is not null))
);
--> statement-breakpoint
CREATE TABLE "training_artifacts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"job_id" text NOT NULL,
	"checkpoint_id" text NOT NULL,
	"kind" text NOT NULL,
	"quantization" text,
	"state" text NOT NULL,
	"files" jsonb NOT NULL,
	"bytes" bigint NOT NULL,
	"warnings" jsonb NOT NULL,
	"error" jsonb,
	"created_at" bigint NOT NULL,
	CONSTRAINT "training_artifacts_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "training_artifacts_failure_has_an_error" CHECK ("training_artifacts"."state" <> 'failed' or "training_artifacts"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "training_events" (
	"project_id" text NOT NULL,
	"job_id" text NOT NULL,
	"seq" integer NOT NULL,
	"attempt" integer NOT NULL,
	"at" bigint NOT NULL,
	"level" text NOT NULL,
	"type" text NOT NULL,
	"message" text NOT NULL,
	"data" jsonb NOT NULL,
	CONSTRAINT "training_events_project_id_job_id_seq_pk" PRIMARY KEY("project_id","job_id","seq")
);
--> statement-breakpoint
CREATE TABLE "training_jobs" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"phase" text,
	"stop_reason" text,
	"error" jsonb,
	"dataset_id" text NOT NULL,
	"dataset_version" integer NOT NULL,
	"method" text NOT NULL,
	"adapter" text NOT NULL,
	"spec" jsonb NOT NULL,
	"resolved_spec" jsonb,
	"base_model_id" text NOT NULL,
	"parent_checkpoint_id" text,
	"manifest_sha256" text NOT NULL,
	"validation_manifest_sha256" text,
	"tuning_config_id" text,
	"cloned_from_id" text,
	"trainer_id" text,
	"dispatched_at" bigint,
	"attempt" integer DEFAULT 0 NOT NULL,
	"last_seq" integer DEFAULT 0 NOT NULL,
	"progress" jsonb,
	"stale_since" bigint,
	"requested" jsonb,
	"tainted_at" bigint,
	"due_at" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "training_jobs_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "training_jobs_ended" CHECK (("training_jobs"."status" in ('succeeded', 'failed', 'cancelled')) = ("training_jobs"."finished_at" is not null)),
	CONSTRAINT "training_jobs_failure_has_an_error" CHECK ("training_jobs"."status" <> 'failed' or "training_jobs"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "training_manifests" (
	"project_id" text NOT NULL,
	"sha256" text NOT NULL,
	"dataset_id" text NOT NULL,
	"dataset_version" integer NOT NULL,
	"split" text NOT NULL,
	"method" text NOT NULL,
	"rows" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"file_id" text,
	"rows_erased" integer DEFAULT 0 NOT NULL,
	"erased_at" bigint,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "training_manifests_project_id_sha256_pk" PRIMARY KEY("project_id","sha256"),
	CONSTRAINT "training_manifests_content" CHECK (("training_manifests"."file_id" is null) = ("training_manifests"."erased_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "training_points" (
	"project_id" text NOT NULL,
	"job_id" text NOT NULL,
	"series" text NOT NULL,
	"level" smallint NOT NULL,
	"bucket" integer NOT NULL,
	"count" integer NOT NULL,
	"sum" double precision NOT NULL,
	"min" double precision NOT NULL,
	"max" double precision NOT NULL,
	"step" integer NOT NULL,
	"value" double precision NOT NULL,
	"at" bigint NOT NULL,
	CONSTRAINT "training_points_project_id_job_id_series_level_bucket_pk" PRIMARY KEY("project_id","job_id","series","level","bucket")
);
--> statement-breakpoint
CREATE TABLE "trigger_decisions" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"config_id" text NOT NULL,
	"outcome" text NOT NULL,
	"reason" text NOT NULL,
	"message" text NOT NULL,
	"job_id" text,
	"times" integer DEFAULT 1 NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"last_at" bigint NOT NULL,
	CONSTRAINT "trigger_decisions_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "trigger_decisions_job" CHECK (("trigger_decisions"."outcome" = 'started') = ("trigger_decisions"."job_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "tuning_configs" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"dataset_id" text NOT NULL,
	"base_model" jsonb NOT NULL,
	"engine" text NOT NULL,
	"method" text NOT NULL,
	"adapter" text NOT NULL,
	"settings" jsonb NOT NULL,
	"trigger_enabled" boolean NOT NULL,
	"min_new_examples" integer NOT NULL,
	"cron" text,
	"cooldown_minutes" integer NOT NULL,
	"daily_cap" integer NOT NULL,
	"deployment" jsonb NOT NULL,
	"due_at" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "tuning_configs_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "tuning_configs_limits" CHECK ("tuning_configs"."min_new_examples" >= 1 and "tuning_configs"."cooldown_minutes" >= 0 and "tuning_configs"."daily_cap" >= 1),
	CONSTRAINT "tuning_configs_due_when_on" CHECK ("tuning_configs"."trigger_enabled" or "tuning_configs"."due_at" is null)
);
--> statement-breakpoint
ALTER TABLE "base_models" ADD CONSTRAINT "base_models_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkpoints" ADD CONSTRAINT "checkpoints_job" FOREIGN KEY ("project_id","job_id") REFERENCES "public"."training_jobs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trainer_commands" ADD CONSTRAINT "trainer_commands_trainer_id_trainers_id_fk" FOREIGN KEY ("trainer_id") REFERENCES "public"."trainers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_artifacts" ADD CONSTRAINT "training_artifacts_job" FOREIGN KEY ("project_id","job_id") REFERENCES "public"."training_jobs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_events" ADD CONSTRAINT "training_events_job" FOREIGN KEY ("project_id","job_id") REFERENCES "public"."training_jobs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_jobs" ADD CONSTRAINT "training_jobs_manifest" FOREIGN KEY ("project_id","manifest_sha256") REFERENCES "public"."training_manifests"("project_id","sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_jobs" ADD CONSTRAINT "training_jobs_validation_manifest" FOREIGN KEY ("project_id","validation_manifest_sha256") REFERENCES "public"."training_manifests"("project_id","sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_manifests" ADD CONSTRAINT "training_manifests_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "training_points" ADD CONSTRAINT "training_points_job" FOREIGN KEY ("project_id","job_id") REFERENCES "public"."training_jobs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trigger_decisions" ADD CONSTRAINT "trigger_decisions_config" FOREIGN KEY ("project_id","config_id") REFERENCES "public"."tuning_configs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tuning_configs" ADD CONSTRAINT "tuning_configs_dataset" FOREIGN KEY ("project_id","dataset_id") REFERENCES "public"."datasets"("project_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "base_models_once" ON "base_models" USING btree ("project_id","source","model_id");--> statement-breakpoint
CREATE INDEX "base_models_newest" ON "base_models" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "checkpoints_newest" ON "checkpoints" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "checkpoints_of_job" ON "checkpoints" USING btree ("project_id","job_id","step_number" desc);--> statement-breakpoint
CREATE INDEX "trainer_commands_waiting" ON "trainer_commands" USING btree ("trainer_id","created_at") WHERE state <> 'done';--> statement-breakpoint
CREATE INDEX "trainer_commands_done" ON "trainer_commands" USING btree ("done_at") WHERE state = 'done';--> statement-breakpoint
CREATE UNIQUE INDEX "trainers_by_url" ON "trainers" USING btree ("kind") WHERE kind = 'url';--> statement-breakpoint
CREATE UNIQUE INDEX "trainers_key" ON "trainers" USING btree ("key_hash") WHERE key_hash is not null;--> statement-breakpoint
CREATE INDEX "training_artifacts_of_checkpoint" ON "training_artifacts" USING btree ("project_id","checkpoint_id");--> statement-breakpoint
CREATE INDEX "training_artifacts_of_job" ON "training_artifacts" USING btree ("project_id","job_id");--> statement-breakpoint
CREATE INDEX "training_jobs_newest" ON "training_jobs" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "training_jobs_due" ON "training_jobs" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "training_jobs_manifest_sha256" ON "training_jobs" USING btree ("project_id","manifest_sha256");--> statement-breakpoint
CREATE INDEX "training_jobs_validation_manifest_sha256" ON "training_jobs" USING btree ("project_id","validation_manifest_sha256");--> statement-breakpoint
CREATE INDEX "training_jobs_of_config" ON "training_jobs" USING btree ("project_id","tuning_config_id","created_at" desc);--> statement-breakpoint
CREATE UNIQUE INDEX "training_jobs_once" ON "training_jobs" USING btree ("project_id","tuning_config_id","manifest_sha256") WHERE tuning_config_id is not null and actor_kind = 'job';--> statement-breakpoint
CREATE INDEX "training_manifests_of_version" ON "training_manifests" USING btree ("project_id","dataset_id","dataset_version");--> statement-breakpoint
CREATE INDEX "trigger_decisions_newest" ON "trigger_decisions" USING btree ("project_id","config_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "tuning_configs_newest" ON "tuning_configs" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "tuning_configs_dataset_id" ON "tuning_configs" USING btree ("project_id","dataset_id");--> statement-breakpoint
CREATE INDEX "tuning_configs_due" ON "tuning_configs" USING btree ("due_at") WHERE due_at is not null;