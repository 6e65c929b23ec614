CREATE TABLE "parked_traces" (
	"project_id" text NOT NULL,
	"trace_id" text NOT NULL,
	"received_at" bigint NOT NULL,
	"attempts" integer NOT NULL,
	"reason" text NOT NULL,
	"alone" boolean NOT NULL,
	"version" text NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "parked_traces_project_id_trace_id_pk" PRIMARY KEY("project_id","trace_id")
);
--> statement-breakpoint
CREATE TABLE "projectors" (
	"id" text PRIMARY KEY NOT NULL,
	"backend" text NOT NULL,
	"working_on" jsonb NOT NULL,
	"progressed_at" bigint
);
--> statement-breakpoint
ALTER TABLE "projection_queue" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "projection_queue" ADD COLUMN "retry_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "projection_queue" ADD COLUMN "alone" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "parked_traces" ADD CONSTRAINT "parked_traces_trace" FOREIGN KEY ("project_id","trace_id") REFERENCES "public"."traces"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "parked_traces_newest" ON "parked_traces" USING btree ("project_id","created_at" desc,"trace_id" desc);--> statement-breakpoint
CREATE INDEX "projection_queue_alone" ON "projection_queue" USING btree ("project_id","trace_id") WHERE alone;