CREATE TABLE "finding_causes" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"finding_id" text NOT NULL,
	"rule_id" text NOT NULL,
	"signal" text NOT NULL,
	"cause" text,
	"keys" text[],
	"pinned" boolean DEFAULT false NOT NULL,
	"occurrence_count" integer DEFAULT 0 NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "finding_causes_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "finding_days" (
	"project_id" text NOT NULL,
	"finding_id" text NOT NULL,
	"day" bigint NOT NULL,
	"conversations" integer NOT NULL,
	CONSTRAINT "finding_days_project_id_finding_id_day_pk" PRIMARY KEY("project_id","finding_id","day")
);
--> statement-breakpoint
CREATE TABLE "finding_events" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"finding_id" text NOT NULL,
	"change_id" text,
	"kind" text NOT NULL,
	"at" bigint NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"origin" text,
	"detail" jsonb NOT NULL,
	CONSTRAINT "finding_events_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "finding_notes" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"finding_id" text NOT NULL,
	"author_kind" text NOT NULL,
	"author_id" text,
	"text" text NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"edited_at" bigint,
	CONSTRAINT "finding_notes_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
DROP INDEX "findings_fingerprint";--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "detected_severity" text;--> statement-breakpoint
UPDATE "findings" SET detected_severity = severity, recount_due_at = coalesce(recount_due_at, 0);--> statement-breakpoint
ALTER TABLE "findings" ALTER COLUMN "detected_severity" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "pinned_severity" text;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "escalating_since" bigint;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "dismissed_at" bigint;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "dismissal_reason" text;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "dismissed_rate" double precision;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "assignee_id" text;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "merged_into_id" text;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "separated" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "recent_affected" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "recent_conversations" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "recount_origin" text;--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "conversations_updated_to" text;--> statement-breakpoint
ALTER TABLE "occurrences" ADD COLUMN "cause_ids" text[];--> statement-breakpoint
UPDATE "occurrences" o SET cause_ids = array[f.fingerprint] FROM "findings" f WHERE f.project_id = o.project_id AND f.id = o.finding_id;--> statement-breakpoint
ALTER TABLE "occurrences" ALTER COLUMN "cause_ids" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "occurrences" ADD COLUMN "parts" jsonb;--> statement-breakpoint
ALTER TABLE "occurrences" ADD COLUMN "placed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "finding_causes" ADD CONSTRAINT "finding_causes_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "finding_days" ADD CONSTRAINT "finding_days_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "finding_events" ADD CONSTRAINT "finding_events_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "finding_notes" ADD CONSTRAINT "finding_notes_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "finding_causes_finding_id" ON "finding_causes" USING btree ("project_id","finding_id");--> statement-breakpoint
CREATE INDEX "finding_causes_keys" ON "finding_causes" USING gin ("keys") WITH (fastupdate=off);--> statement-breakpoint
CREATE INDEX "finding_causes_without_keys" ON "finding_causes" USING btree ("project_id","id") WHERE keys is null;--> statement-breakpoint
CREATE INDEX "finding_events_newest" ON "finding_events" USING btree ("project_id","finding_id","at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "finding_events_change" ON "finding_events" USING btree ("project_id","change_id") WHERE change_id is not null;--> statement-breakpoint
CREATE INDEX "finding_notes_newest" ON "finding_notes" USING btree ("project_id","finding_id","created_at" desc,"id" desc);--> statement-breakpoint
ALTER TABLE "findings" ADD CONSTRAINT "findings_merged_into" FOREIGN KEY ("project_id","merged_into_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "findings_by_score" ON "findings" USING btree ("project_id","diagnostic_score" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "findings_by_conversations" ON "findings" USING btree ("project_id","occurrence_count" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "findings_by_first_seen" ON "findings" USING btree ("project_id","first_detected_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "findings_assignee" ON "findings" USING btree ("project_id","assignee_id") WHERE assignee_id is not null;--> statement-breakpoint
CREATE INDEX "findings_merged" ON "findings" USING btree ("project_id","merged_into_id") WHERE merged_into_id is not null;--> statement-breakpoint
CREATE INDEX "findings_escalating" ON "findings" USING btree ("project_id","escalating_since") WHERE escalating_since is not null;--> statement-breakpoint
CREATE INDEX "findings_conversations_due" ON "findings" USING btree ("project_id","id") WHERE conversations_updated_to is not null;--> statement-breakpoint
INSERT INTO "finding_causes" (project_id, id, finding_id, rule_id, signal, cause, occurrence_count) SELECT project_id, fingerprint, id, rule_id, signal, cause, occurrence_count FROM "findings";--> statement-breakpoint
ALTER TABLE "findings" DROP COLUMN "fingerprint";--> statement-breakpoint
ALTER TABLE "findings" DROP COLUMN "cause";