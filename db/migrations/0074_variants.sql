CREATE TABLE "variants" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"connection_id" text NOT NULL,
	"model" text NOT NULL,
	"based_on" text,
	"system_prompt" text,
	"parameters" jsonb NOT NULL,
	"tool_descriptions" jsonb NOT NULL,
	"note" text NOT NULL,
	"finding_id" text,
	"seen_conversation_ids" text[] NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "variants_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "variants_version_counts" CHECK ("variants"."version" > 0),
	CONSTRAINT "variants_based_on" CHECK ("variants"."based_on" is null or "variants"."system_prompt" is not null)
);
--> statement-breakpoint
ALTER TABLE "evaluations" ALTER COLUMN "checkpoint_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "evaluations" ALTER COLUMN "trainer_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "evaluation_rows" ADD COLUMN "request" jsonb;--> statement-breakpoint
ALTER TABLE "evaluation_rows" ADD COLUMN "before_key" text;--> statement-breakpoint
ALTER TABLE "evaluation_rows" ADD COLUMN "after_key" text;--> statement-breakpoint
ALTER TABLE "evaluations" ADD COLUMN "variant_id" text;--> statement-breakpoint
ALTER TABLE "evaluations" ADD COLUMN "baseline" jsonb;--> statement-breakpoint
ALTER TABLE "evaluations" ADD COLUMN "max_cost" numeric;--> statement-breakpoint
ALTER TABLE "evaluations" ADD COLUMN "cost" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "variants" ADD CONSTRAINT "variants_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "variants_version" ON "variants" USING btree ("project_id",lower(name),"version" desc);--> statement-breakpoint
CREATE INDEX "variants_newest" ON "variants" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "variants_of_finding" ON "variants" USING btree ("project_id","finding_id") WHERE finding_id is not null;--> statement-breakpoint
ALTER TABLE "evaluations" ADD CONSTRAINT "evaluations_variant" FOREIGN KEY ("project_id","variant_id") REFERENCES "public"."variants"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "evaluation_rows_before_key" ON "evaluation_rows" USING btree ("project_id","before_key") WHERE before_key is not null;--> statement-breakpoint
CREATE INDEX "evaluation_rows_after_key" ON "evaluation_rows" USING btree ("project_id","after_key") WHERE after_key is not null;--> statement-breakpoint
CREATE INDEX "evaluations_of_variant" ON "evaluations" USING btree ("project_id","variant_id","created_at" desc) WHERE variant_id is not null;--> statement-breakpoint
ALTER TABLE "evaluations" ADD CONSTRAINT "evaluations_after" CHECK (("evaluations"."checkpoint_id" is not null and "evaluations"."trainer_id" is not null and "evaluations"."variant_id" is null and "evaluations"."baseline" is null)
        or ("evaluations"."checkpoint_id" is null and "evaluations"."trainer_id" is null and "evaluations"."variant_id" is not null and "evaluations"."baseline" is not null));