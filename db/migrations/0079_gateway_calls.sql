CREATE TABLE "gateway_calls" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"trace_id" text NOT NULL,
	"held_by" text NOT NULL,
	"leased_until" bigint NOT NULL,
	"started_at" bigint NOT NULL,
	"request" jsonb NOT NULL,
	"spans" jsonb NOT NULL,
	CONSTRAINT "gateway_calls_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "gateway_calls_have_spans" CHECK (jsonb_typeof("gateway_calls"."spans") = 'array' and jsonb_array_length("gateway_calls"."spans") > 0)
);
--> statement-breakpoint
ALTER TABLE "gateway_calls" ADD CONSTRAINT "gateway_calls_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;