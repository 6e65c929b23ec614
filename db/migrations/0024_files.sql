CREATE TABLE "files" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"bytes" bigint,
	"sha256" text,
	"object" text,
	"resumable" boolean NOT NULL,
	"writer" text,
	"writer_until" bigint,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "files_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "files_stored_whole" CHECK ("files"."state" in ('uploading', 'deleting') or ("files"."bytes" is not null and "files"."sha256" is not null and "files"."object" is not null))
);
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "files_newest" ON "files" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "files_content" ON "files" USING btree ("project_id","sha256");--> statement-breakpoint
CREATE INDEX "files_unfinished" ON "files" USING btree ("project_id","updated_at") WHERE state <> 'stored';