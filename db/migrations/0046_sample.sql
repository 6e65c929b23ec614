CREATE TABLE "sample_projects" (
	"project_id" text PRIMARY KEY NOT NULL,
	"loaded_by" text NOT NULL,
	"state" text NOT NULL,
	"steps_done" integer DEFAULT 0 NOT NULL,
	"error" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"finished_at" bigint,
	CONSTRAINT "sample_projects_finished" CHECK (("sample_projects"."state" = 'loading') = ("sample_projects"."finished_at" is null)),
	CONSTRAINT "sample_projects_failure_has_an_error" CHECK (("sample_projects"."state" = 'failed') = ("sample_projects"."error" is not null))
);
--> statement-breakpoint
ALTER TABLE "sample_projects" ADD CONSTRAINT "sample_projects_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "sample_projects_once" ON "sample_projects" USING btree ("loaded_by");