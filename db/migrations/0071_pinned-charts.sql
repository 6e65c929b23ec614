CREATE TABLE "pinned_charts" (
	"project_id" text NOT NULL,
	"user_id" text NOT NULL,
	"saved_view_id" text NOT NULL,
	"place" integer NOT NULL,
	CONSTRAINT "pinned_charts_project_id_user_id_saved_view_id_pk" PRIMARY KEY("project_id","user_id","saved_view_id"),
	CONSTRAINT "pinned_charts_place" CHECK ("pinned_charts"."place" >= 0)
);
--> statement-breakpoint
ALTER TABLE "pinned_charts" ADD CONSTRAINT "pinned_charts_member" FOREIGN KEY ("project_id","user_id") REFERENCES "public"."memberships"("project_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pinned_charts" ADD CONSTRAINT "pinned_charts_view" FOREIGN KEY ("project_id","saved_view_id") REFERENCES "public"."saved_views"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pinned_charts_view_id" ON "pinned_charts" USING btree ("project_id","saved_view_id");