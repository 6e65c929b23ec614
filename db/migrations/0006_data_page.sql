CREATE TABLE "backups" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"taken_at" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"rows" bigint NOT NULL,
	"checksum" text NOT NULL,
	"verified_at" bigint,
	"with_secret" boolean NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deletion_receipts" ADD COLUMN "expected" integer;--> statement-breakpoint
CREATE INDEX "backups_newest" ON "backups" USING btree ("created_at" desc,"id" desc);