ALTER TABLE "alerts" DROP CONSTRAINT "alerts_silence_is_compared_with_a_limit";--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "finding_id" text;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alerts_finding_id" ON "alerts" USING btree ("project_id","finding_id");--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_share_is_of_a_finding" CHECK (("alerts"."measure" = 'finding_share') = ("alerts"."finding_id" is not null));--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_compared_with_a_limit" CHECK ("alerts"."condition" = 'threshold' or "alerts"."measure" in ('daily_cost', 'error_rate', 'latency_p95'));