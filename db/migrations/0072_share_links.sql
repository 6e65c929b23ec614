CREATE TABLE "share_links" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"token_hash" text NOT NULL,
	"conversation_id" text,
	"finding_id" text,
	"masking" text NOT NULL,
	"includes_cost" boolean NOT NULL,
	"created_by" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"revoked_at" bigint,
	"opened_count" integer DEFAULT 0 NOT NULL,
	"last_opened_at" bigint,
	CONSTRAINT "share_links_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "share_links_object" CHECK (num_nonnulls(conversation_id, finding_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "shared_parts" (
	"project_id" text NOT NULL,
	"share_link_id" text NOT NULL,
	"position" integer NOT NULL,
	"conversation_id" text NOT NULL,
	"content" jsonb NOT NULL,
	CONSTRAINT "shared_parts_project_id_share_link_id_position_pk" PRIMARY KEY("project_id","share_link_id","position")
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "share_links" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "share_links" ADD CONSTRAINT "share_links_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_links" ADD CONSTRAINT "share_links_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_links" ADD CONSTRAINT "share_links_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared_parts" ADD CONSTRAINT "shared_parts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared_parts" ADD CONSTRAINT "shared_parts_link" FOREIGN KEY ("project_id","share_link_id") REFERENCES "public"."share_links"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared_parts" ADD CONSTRAINT "shared_parts_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "share_links_token" ON "share_links" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "share_links_newest" ON "share_links" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "share_links_of_conversation" ON "share_links" USING btree ("project_id","conversation_id");--> statement-breakpoint
CREATE INDEX "share_links_of_finding" ON "share_links" USING btree ("project_id","finding_id");--> statement-breakpoint
CREATE INDEX "shared_parts_of_conversation" ON "shared_parts" USING btree ("project_id","conversation_id");