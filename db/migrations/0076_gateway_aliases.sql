CREATE TABLE "gateway_aliases" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"targets" jsonb NOT NULL,
	"retries" integer NOT NULL,
	"first_token_seconds" integer,
	"total_seconds" integer,
	"max_output_tokens" integer,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "gateway_aliases_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "gateway_aliases_name_shape" CHECK ("gateway_aliases"."name" ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$'),
	CONSTRAINT "gateway_aliases_have_targets" CHECK (jsonb_typeof("gateway_aliases"."targets") = 'array' and jsonb_array_length("gateway_aliases"."targets") between 1 and 8),
	CONSTRAINT "gateway_aliases_retries" CHECK ("gateway_aliases"."retries" between 0 and 3),
	CONSTRAINT "gateway_aliases_limits" CHECK ("gateway_aliases"."first_token_seconds" between 1 and 600 and "gateway_aliases"."total_seconds" between 1 and 1800 and "gateway_aliases"."max_output_tokens" > 0)
);
--> statement-breakpoint
ALTER TABLE "gateway_aliases" ADD CONSTRAINT "gateway_aliases_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_aliases_name" ON "gateway_aliases" USING btree ("project_id","name");--> statement-breakpoint
CREATE INDEX "gateway_aliases_newest" ON "gateway_aliases" USING btree ("project_id","created_at" desc,"id" desc);