CREATE TABLE "telemetry_refusals" (
	"project_id" text,
	"key_id" text,
	"source" text,
	"reason" text NOT NULL,
	"minute" bigint NOT NULL,
	"count" bigint NOT NULL,
	"last_at" bigint NOT NULL,
	CONSTRAINT "telemetry_refusals_row" UNIQUE NULLS NOT DISTINCT("project_id","minute","reason","key_id","source"),
	CONSTRAINT "telemetry_refusals_count" CHECK ("telemetry_refusals"."count" > 0)
);
--> statement-breakpoint
ALTER TABLE "telemetry_refusals" ADD CONSTRAINT "telemetry_refusals_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "telemetry_refusals_by_minute" ON "telemetry_refusals" USING btree ("minute");