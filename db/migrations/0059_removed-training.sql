CREATE TABLE "training_removals" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"trainer_id" text,
	"checkpoint_ids" text[] NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"due_at" bigint NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "training_removals_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "base_models" ADD COLUMN "found" jsonb;--> statement-breakpoint
ALTER TABLE "example_revisions" ADD COLUMN "likeness" bigint[];--> statement-breakpoint
ALTER TABLE "training_removals" ADD CONSTRAINT "training_removals_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "training_removals_due" ON "training_removals" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "example_revisions_likeness" ON "example_revisions" USING gin ("likeness") WITH (fastupdate=off) WHERE to_version is null;--> statement-breakpoint
CREATE INDEX "example_revisions_without_likeness" ON "example_revisions" USING btree ("project_id","dataset_id") WHERE to_version is null and likeness is null;