CREATE TABLE "compactions" (
	"project_id" text PRIMARY KEY NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"table_name" text DEFAULT 'spans' NOT NULL,
	"after" text[] DEFAULT '{}' NOT NULL,
	"rows_examined" bigint DEFAULT 0 NOT NULL,
	"rows_moved" bigint DEFAULT 0 NOT NULL,
	"characters_saved" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"completed_at" bigint,
	CONSTRAINT "compactions_completed" CHECK (("compactions"."completed_at" is null) = ("compactions"."state" <> 'completed'))
);
--> statement-breakpoint
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
ALTER TABLE "compactions" ADD CONSTRAINT "compactions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_chunks" ADD CONSTRAINT "content_chunks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_parts" ADD CONSTRAINT "content_parts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_released" ADD CONSTRAINT "content_released_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "content_chunks_parts" ON "content_chunks" USING gin ("part_ids") WITH (fastupdate=off);--> statement-breakpoint
CREATE INDEX "log_records_chunks" ON "log_records" USING gin ("chunk_ids") WITH (fastupdate=off) WHERE "log_records"."chunk_ids" is not null;--> statement-breakpoint
CREATE INDEX "spans_chunks" ON "spans" USING gin ("chunk_ids") WITH (fastupdate=off) WHERE "spans"."chunk_ids" is not null;--> statement-breakpoint
ALTER TABLE "log_records" ADD CONSTRAINT "log_records_content" CHECK (("log_records"."content" is null) = ("log_records"."chunk_ids" is null));--> statement-breakpoint
ALTER TABLE "spans" ADD CONSTRAINT "spans_content" CHECK (("spans"."content" is null) = ("spans"."chunk_ids" is null));--> statement-breakpoint
-- What is stored whole is moved in the background, in projects that have any.
INSERT INTO "compactions" ("project_id") SELECT id FROM "projects" p WHERE EXISTS (SELECT 1 FROM "traces" t WHERE t.project_id = p.id);
