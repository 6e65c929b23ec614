ALTER TABLE "variants" DROP CONSTRAINT "variants_one_endpoint";--> statement-breakpoint
ALTER TABLE "variants" ADD COLUMN "base_model" jsonb;--> statement-breakpoint
ALTER TABLE "variants" ADD CONSTRAINT "variants_one_endpoint" CHECK (num_nonnulls("variants"."connection_id", "variants"."deployment_id", "variants"."base_model") = 1);