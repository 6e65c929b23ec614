-- All that is stored was read by the first version of the readers. A new default changes no row that is there.
ALTER TABLE "conversations" ADD COLUMN "reader_version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "conversations" ALTER COLUMN "reader_version" SET DEFAULT 0;
