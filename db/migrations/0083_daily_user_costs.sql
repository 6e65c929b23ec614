CREATE TABLE "daily_user_costs" (
	"project_id" text NOT NULL,
	"day" bigint NOT NULL,
	"user_id" text NOT NULL,
	"calls" bigint NOT NULL,
	"unpriced_calls" bigint NOT NULL,
	"cost" numeric NOT NULL,
	"usage" jsonb NOT NULL,
	CONSTRAINT "daily_user_costs_project_id_day_user_id_pk" PRIMARY KEY("project_id","day","user_id")
);
--> statement-breakpoint
CREATE TABLE "stale_user_days" (
	"project_id" text NOT NULL,
	"day" bigint NOT NULL,
	"id" bigserial NOT NULL,
	"changed_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "stale_user_days_project_id_day_id_pk" PRIMARY KEY("project_id","day","id")
);
--> statement-breakpoint
ALTER TABLE "daily_user_costs" ADD CONSTRAINT "daily_user_costs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stale_user_days" ADD CONSTRAINT "stale_user_days_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;