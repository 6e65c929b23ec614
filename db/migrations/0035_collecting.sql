CREATE TABLE "collection_queue" (
	"project_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"queued_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "collection_queue_project_id_conversation_id_pk" PRIMARY KEY("project_id","conversation_id")
);
--> statement-breakpoint
ALTER TABLE "diagnostic_settings" ADD COLUMN "collection_masking" text DEFAULT 'mask' NOT NULL;--> statement-breakpoint
ALTER TABLE "example_candidates" ADD COLUMN "pass_id" text;--> statement-breakpoint
ALTER TABLE "collection_queue" ADD CONSTRAINT "collection_queue_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "collection_queue_oldest" ON "collection_queue" USING btree ("project_id","queued_at","conversation_id");--> statement-breakpoint
CREATE INDEX "example_candidates_reviewed" ON "example_candidates" USING btree ("project_id","reviewed_by","reviewed_at" desc) WHERE reviewed_by is not null;--> statement-breakpoint
CREATE INDEX "example_candidates_of_pass" ON "example_candidates" USING btree ("project_id","pass_id") WHERE status = 'waiting';