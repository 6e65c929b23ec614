DROP INDEX "rule_runs_once";--> statement-breakpoint
ALTER TABLE "rule_runs" ADD COLUMN "evidence_at" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "rule_runs_once" ON "rule_runs" USING btree ("project_id","conversation_id","rule_id","rule_version","configuration_revision","last_activity_at","traces_key","evidence_at") WHERE status not in ('skipped', 'failed');