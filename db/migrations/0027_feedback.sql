CREATE TABLE "feedback" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"conversation_ref" text,
	"conversation_id" text,
	"trace_id" text,
	"span_id" text,
	"kind" text NOT NULL,
	"name" text,
	"value" jsonb NOT NULL,
	"scale_min" double precision,
	"scale_max" double precision,
	"comment" text,
	"given_by_user" boolean NOT NULL,
	"source" text NOT NULL,
	"identity" text NOT NULL,
	"given_at" bigint NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "feedback_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "feedback_identity" ON "feedback" USING btree ("project_id","identity");--> statement-breakpoint
CREATE INDEX "feedback_newest" ON "feedback" USING btree ("project_id","given_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "feedback_newest_of_kind" ON "feedback" USING btree ("project_id","kind","given_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "feedback_of_conversation" ON "feedback" USING btree ("project_id","conversation_id","given_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "feedback_waiting" ON "feedback" USING btree ("project_id","conversation_ref") WHERE conversation_id is null;--> statement-breakpoint
CREATE INDEX "feedback_waiting_for_trace" ON "feedback" USING btree ("project_id","trace_id") WHERE conversation_id is null;