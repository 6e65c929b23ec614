CREATE TABLE "backfill_counts" (
	"project_id" text NOT NULL,
	"id" bigserial NOT NULL,
	"backfill_id" text NOT NULL,
	"queued" integer NOT NULL,
	"running" integer NOT NULL,
	"completed" integer NOT NULL,
	"skipped" integer NOT NULL,
	"failed" integer NOT NULL,
	CONSTRAINT "backfill_counts_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "backfills" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"rule_id" text NOT NULL,
	"configuration_revision" integer NOT NULL,
	"start_ms" bigint NOT NULL,
	"end_ms" bigint NOT NULL,
	"max_conversations" integer NOT NULL,
	"scan_status" text NOT NULL,
	"cursor" jsonb,
	"conversations_expected" integer NOT NULL,
	"conversations_scanned" integer DEFAULT 0 NOT NULL,
	"rate" double precision,
	"rate_at" bigint,
	"rate_count" integer DEFAULT 0 NOT NULL,
	"error" text,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"paused_at" bigint,
	"cancelled_at" bigint,
	"finished_at" bigint,
	CONSTRAINT "backfills_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "backfills_window" CHECK ("backfills"."start_ms" < "backfills"."end_ms" and "backfills"."max_conversations" > 0),
	CONSTRAINT "backfills_failure_has_an_error" CHECK ("backfills"."scan_status" <> 'failed' or "backfills"."error" is not null)
);
--> statement-breakpoint
ALTER TABLE "backfill_counts" ADD CONSTRAINT "backfill_counts_backfill" FOREIGN KEY ("project_id","backfill_id") REFERENCES "public"."backfills"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backfills" ADD CONSTRAINT "backfills_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backfill_counts_backfill_id" ON "backfill_counts" USING btree ("project_id","backfill_id");--> statement-breakpoint
CREATE INDEX "backfills_newest" ON "backfills" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "backfills_rule" ON "backfills" USING btree ("project_id","rule_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "backfills_status" ON "backfills" USING btree ("project_id","scan_status","created_at" desc,"id" desc);