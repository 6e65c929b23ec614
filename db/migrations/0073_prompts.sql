CREATE TABLE "prompt_label_events" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"prompt_id" text NOT NULL,
	"label" text NOT NULL,
	"from_version" integer,
	"to_version" integer,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "prompt_label_events_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "prompt_label_events_moved" CHECK ("prompt_label_events"."from_version" is distinct from "prompt_label_events"."to_version")
);
--> statement-breakpoint
CREATE TABLE "prompt_labels" (
	"project_id" text NOT NULL,
	"prompt_id" text NOT NULL,
	"label" text NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "prompt_labels_project_id_prompt_id_label_pk" PRIMARY KEY("project_id","prompt_id","label"),
	CONSTRAINT "prompt_labels_shape" CHECK ("prompt_labels"."label" ~ '^[a-z0-9][a-z0-9._-]{0,39}$' and "prompt_labels"."label" <> 'latest')
);
--> statement-breakpoint
CREATE TABLE "prompt_versions" (
	"project_id" text NOT NULL,
	"prompt_id" text NOT NULL,
	"version" integer NOT NULL,
	"content" jsonb NOT NULL,
	"variables" text[] NOT NULL,
	"message" text,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "prompt_versions_project_id_prompt_id_version_pk" PRIMARY KEY("project_id","prompt_id","version"),
	CONSTRAINT "prompt_versions_version" CHECK ("prompt_versions"."version" > 0),
	CONSTRAINT "prompt_versions_content" CHECK (jsonb_typeof("prompt_versions"."content") in ('string', 'array'))
);
--> statement-breakpoint
CREATE TABLE "prompts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"latest_version" integer NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "prompts_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "prompts_name_shape" CHECK ("prompts"."name" ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
	CONSTRAINT "prompts_latest_version" CHECK ("prompts"."latest_version" > 0)
);
--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "prompt_name" text;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "prompt_version" text;--> statement-breakpoint
ALTER TABLE "prompt_label_events" ADD CONSTRAINT "prompt_label_events_prompt" FOREIGN KEY ("project_id","prompt_id") REFERENCES "public"."prompts"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_labels" ADD CONSTRAINT "prompt_labels_version" FOREIGN KEY ("project_id","prompt_id","version") REFERENCES "public"."prompt_versions"("project_id","prompt_id","version") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_versions" ADD CONSTRAINT "prompt_versions_prompt" FOREIGN KEY ("project_id","prompt_id") REFERENCES "public"."prompts"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompts" ADD CONSTRAINT "prompts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "prompt_label_events_newest" ON "prompt_label_events" USING btree ("project_id","prompt_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "prompt_labels_of_version" ON "prompt_labels" USING btree ("project_id","prompt_id","version");--> statement-breakpoint
CREATE UNIQUE INDEX "prompts_name" ON "prompts" USING btree ("project_id","name");--> statement-breakpoint
CREATE INDEX "prompts_changed" ON "prompts" USING btree ("project_id","updated_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "model_calls_prompt" ON "model_calls" USING btree ("project_id","prompt_name","started_at" desc) WHERE prompt_name is not null;