CREATE TABLE "account_audit_log" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"action" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"session_id" text,
	"target_type" text,
	"target_id" text,
	"before" jsonb,
	"after" jsonb,
	"door" text,
	"request_id" text,
	"address" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"action" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"session_id" text,
	"target_type" text,
	"target_id" text,
	"before" jsonb,
	"after" jsonb,
	"door" text,
	"request_id" text,
	"address" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "audit_log_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "deleted_traces" (
	"project_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"deleted_at" bigint NOT NULL,
	CONSTRAINT "deleted_traces_project_id_digest_pk" PRIMARY KEY("project_id","digest")
);
--> statement-breakpoint
CREATE TABLE "deletion_receipts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"scope" text NOT NULL,
	"status" text NOT NULL,
	"subject" text,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"completed_at" bigint,
	CONSTRAINT "deletion_receipts_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "deletion_receipts_forget" CHECK ("deletion_receipts"."status" <> 'completed' or "deletion_receipts"."subject" is null)
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"fingerprint" text NOT NULL,
	"token" text NOT NULL,
	"lease_until" bigint NOT NULL,
	"status" smallint,
	"answer" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "idempotency_keys_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"token_hash" text NOT NULL,
	"role" text NOT NULL,
	"email" text,
	"created_by" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"accepted_at" bigint,
	"accepted_by" text,
	"revoked_at" bigint,
	CONSTRAINT "invitations_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "password_resets" (
	"hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"project_id" text,
	"created_by" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "rate_buckets" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"tokens" double precision NOT NULL,
	"granted" double precision NOT NULL,
	"refilled_at" bigint NOT NULL,
	CONSTRAINT "rate_buckets_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "retention_settings" (
	"project_id" text PRIMARY KEY NOT NULL,
	"days" integer,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "retention_settings_floor" CHECK ("retention_settings"."days" >= 1)
);
--> statement-breakpoint
CREATE TABLE "stored_sizes" (
	"project_id" text NOT NULL,
	"table_name" text NOT NULL,
	"rows" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"measured_at" bigint NOT NULL,
	CONSTRAINT "stored_sizes_project_id_table_name_pk" PRIMARY KEY("project_id","table_name")
);
--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_traces" ADD CONSTRAINT "deleted_traces_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rate_buckets" ADD CONSTRAINT "rate_buckets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_settings" ADD CONSTRAINT "retention_settings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_sizes" ADD CONSTRAINT "stored_sizes_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_audit_log_user" ON "account_audit_log" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_newest" ON "audit_log" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("project_id","actor_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("project_id","action","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_target" ON "audit_log" USING btree ("project_id","target_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deletion_receipts_id" ON "deletion_receipts" USING btree ("id");--> statement-breakpoint
CREATE INDEX "deletion_receipts_newest" ON "deletion_receipts" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "invitations_newest" ON "invitations" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "invitations_token" ON "invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "password_resets_user" ON "password_resets" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "log_records_source" ON "log_records" USING btree ("project_id","source_id");--> statement-breakpoint
CREATE INDEX "spans_source" ON "spans" USING btree ("project_id","source_id");