CREATE TABLE "saved_views" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"list" text NOT NULL,
	"user_id" text,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "saved_views_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
DROP INDEX "conversations_by_activity";--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_member" FOREIGN KEY ("project_id","user_id") REFERENCES "public"."memberships"("project_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_name" ON "saved_views" USING btree ("project_id","list",coalesce(user_id, ''),lower(name));--> statement-breakpoint
CREATE INDEX "saved_views_user" ON "saved_views" USING btree ("project_id","user_id");--> statement-breakpoint
CREATE INDEX "conversations_by_cost" ON "conversations" USING btree ("project_id","cost","id");--> statement-breakpoint
CREATE INDEX "conversations_by_messages" ON "conversations" USING btree ("project_id","message_count","id");--> statement-breakpoint
CREATE INDEX "conversations_by_duration" ON "conversations" USING btree ("project_id",(last_activity_at - started_at),"id");--> statement-breakpoint
CREATE INDEX "conversations_by_activity" ON "conversations" USING btree ("project_id","last_activity_at","id","received_at");