DROP INDEX "rule_runs_once";--> statement-breakpoint
ALTER TABLE "rule_settings" ADD COLUMN "revision" integer DEFAULT 2 NOT NULL;--> statement-breakpoint
ALTER TABLE "rule_settings" ALTER COLUMN "revision" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "rule_settings" DROP CONSTRAINT "rule_settings_project_id_id_pk";--> statement-breakpoint
ALTER TABLE "rule_settings" ADD CONSTRAINT "rule_settings_project_id_id_revision_pk" PRIMARY KEY("project_id","id","revision");--> statement-breakpoint
ALTER TABLE "rule_settings" ADD CONSTRAINT "rule_settings_revision" CHECK ("rule_settings"."revision" > 1);--> statement-breakpoint
ALTER TABLE "rule_runs" ADD COLUMN "configuration_revision" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "rule_runs" ADD COLUMN "traces_key" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "rule_runs" ADD COLUMN "read_until" bigint;--> statement-breakpoint
UPDATE "rule_runs" r SET configuration_revision = 2 FROM "rule_settings" s WHERE r.project_id = s.project_id AND r.rule_id = s.id AND (r.status <> 'completed' OR r.started_at >= s.updated_at);--> statement-breakpoint
CREATE UNIQUE INDEX "rule_runs_once" ON "rule_runs" USING btree ("project_id","conversation_id","rule_id","rule_version","configuration_revision","last_activity_at","traces_key") WHERE status not in ('skipped', 'failed');
