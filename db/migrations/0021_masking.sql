ALTER TABLE "ingest_receipts" ADD COLUMN "masked" integer;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "mask_messages" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "ingest_receipts" ADD CONSTRAINT "ingest_receipts_masked" CHECK ("ingest_receipts"."masked" >= 0);