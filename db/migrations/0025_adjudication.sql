CREATE TABLE "adjudications" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"answer" jsonb NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "adjudications_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "adjudicator_usage" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"day" integer NOT NULL,
	"calls" bigint DEFAULT 0 NOT NULL,
	"tokens" bigint DEFAULT 0 NOT NULL,
	"usd" numeric DEFAULT '0' NOT NULL,
	"unpriced_calls" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "adjudicator_usage_project_id_id_day_pk" PRIMARY KEY("project_id","id","day")
);
--> statement-breakpoint
CREATE TABLE "rule_run_detections" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"detected" jsonb NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "rule_run_detections_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "diagnostic_settings" ADD COLUMN "adjudicator_connection_id" text;--> statement-breakpoint
ALTER TABLE "adjudications" ADD CONSTRAINT "adjudications_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "adjudicator_usage" ADD CONSTRAINT "adjudicator_usage_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_run_detections" ADD CONSTRAINT "rule_run_detections_run" FOREIGN KEY ("project_id","id") REFERENCES "public"."rule_runs"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "adjudications_conversation_id" ON "adjudications" USING btree ("project_id","conversation_id");