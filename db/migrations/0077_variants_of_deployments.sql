ALTER TABLE "variants" ALTER COLUMN "connection_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "variants" ADD COLUMN "deployment_id" text;--> statement-breakpoint
ALTER TABLE "variants" ADD CONSTRAINT "variants_one_endpoint" CHECK (("variants"."connection_id" is null) <> ("variants"."deployment_id" is null));