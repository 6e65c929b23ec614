DROP INDEX "job_runs_project";--> statement-breakpoint
ALTER TABLE "job_runs" ADD COLUMN "retries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "job_runs_project_function" ON "job_runs" USING btree ("project_id","function_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "job_runs_project_open" ON "job_runs" USING btree ("project_id","created_at" desc,"id" desc) WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "job_runs_project_dead" ON "job_runs" USING btree ("project_id","created_at" desc,"id" desc) WHERE state in ('failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "job_runs_project" ON "job_runs" USING btree ("project_id","created_at" desc,"id" desc);