CREATE TABLE "own_rules" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"definition" jsonb NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "own_rules_project_id_id_version_pk" PRIMARY KEY("project_id","id","version"),
	CONSTRAINT "own_rules_version" CHECK ("own_rules"."version" > 0)
);
--> statement-breakpoint
ALTER TABLE "own_rules" ADD CONSTRAINT "own_rules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;