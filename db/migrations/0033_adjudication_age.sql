ALTER TABLE "adjudications" ADD COLUMN "model" text;--> statement-breakpoint
ALTER TABLE "adjudications" ADD COLUMN "input_tokens" integer;--> statement-breakpoint
ALTER TABLE "adjudications" ADD COLUMN "output_tokens" integer;--> statement-breakpoint
ALTER TABLE "diagnostic_settings" ADD COLUMN "adjudication_cache_days" integer DEFAULT 30 NOT NULL;--> statement-breakpoint
CREATE INDEX "adjudications_created_at" ON "adjudications" USING btree ("project_id","created_at","id");