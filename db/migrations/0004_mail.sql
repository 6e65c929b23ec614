CREATE TABLE "outgoing_mail" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text,
	"kind" text NOT NULL,
	"sealed" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"sent_at" bigint,
	"refused_at" bigint
);
--> statement-breakpoint
ALTER TABLE "outgoing_mail" ADD CONSTRAINT "outgoing_mail_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "outgoing_mail_expiry" ON "outgoing_mail" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "outgoing_mail_project" ON "outgoing_mail" USING btree ("project_id");