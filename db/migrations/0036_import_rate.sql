ALTER TABLE "dataset_imports" DROP COLUMN "rejects_file_id";--> statement-breakpoint
ALTER TABLE "dataset_imports" ADD COLUMN "rate" double precision;