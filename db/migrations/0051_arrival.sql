-- What is stored arrived before the first batch that is numbered. A column with a constant default rewrites no row.
CREATE SEQUENCE "telemetry_batches" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
ALTER TABLE "log_records" ADD COLUMN "batch" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "log_records" ADD COLUMN "place" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "place" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "spans" ADD COLUMN "batch" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "spans" ADD COLUMN "place" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "place" integer DEFAULT 0 NOT NULL;