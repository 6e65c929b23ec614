CREATE TABLE "call_baselines" (
	"project_id" text NOT NULL,
	"day" bigint NOT NULL,
	"models" jsonb NOT NULL,
	"conversation_cost" jsonb,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "call_baselines_project_id_day_pk" PRIMARY KEY("project_id","day")
);
--> statement-breakpoint
ALTER TABLE "call_baselines" ADD CONSTRAINT "call_baselines_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;