CREATE TABLE "content_chunks" (
	"project_id" text NOT NULL,
	"id" uuid NOT NULL,
	"part_ids" uuid[] NOT NULL,
	CONSTRAINT "content_chunks_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "content_parts" (
	"project_id" text NOT NULL,
	"id" uuid NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "content_parts_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "content_released" (
	"project_id" text NOT NULL,
	"id" bigserial NOT NULL,
	"chunk_id" uuid NOT NULL,
	CONSTRAINT "content_released_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "log_records" ADD COLUMN "content" jsonb;--> statement-breakpoint
ALTER TABLE "log_records" ADD COLUMN "chunk_ids" uuid[];--> statement-breakpoint
ALTER TABLE "spans" ADD COLUMN "content" jsonb;--> statement-breakpoint
ALTER TABLE "spans" ADD COLUMN "chunk_ids" uuid[];--> statement-breakpoint
ALTER TABLE "content_chunks" ADD CONSTRAINT "content_chunks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_parts" ADD CONSTRAINT "content_parts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_released" ADD CONSTRAINT "content_released_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "content_chunks_parts" ON "content_chunks" USING gin ("part_ids") WITH (fastupdate=off);--> statement-breakpoint
CREATE INDEX "log_records_chunks" ON "log_records" USING gin ("chunk_ids") WITH (fastupdate=off) WHERE "log_records"."chunk_ids" is not null;--> statement-breakpoint
CREATE INDEX "spans_chunks" ON "spans" USING gin ("chunk_ids") WITH (fastupdate=off) WHERE "spans"."chunk_ids" is not null;--> statement-breakpoint
ALTER TABLE "log_records" ADD CONSTRAINT "log_records_content" CHECK (("log_records"."content" is null) = ("log_records"."chunk_ids" is null));--> statement-breakpoint
ALTER TABLE "spans" ADD CONSTRAINT "spans_content" CHECK (("spans"."content" is null) = ("spans"."chunk_ids" is null));