CREATE TABLE "connections" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"base_url" text NOT NULL,
	"settings" jsonb NOT NULL,
	"secret_sealed" text,
	"secret_data_key" text,
	"secret_ring_key" text,
	"last_test" jsonb,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "connections_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "connections_secret_whole" CHECK (num_nulls("connections"."secret_sealed", "connections"."secret_data_key", "connections"."secret_ring_key") in (0, 3))
);
--> statement-breakpoint
CREATE TABLE "ring_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"wrapped" text NOT NULL,
	"current" boolean NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_secret_ring_key_ring_keys_id_fk" FOREIGN KEY ("secret_ring_key") REFERENCES "public"."ring_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "connections_newest" ON "connections" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "connections_ring_key" ON "connections" USING btree ("secret_ring_key","project_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ring_keys_current" ON "ring_keys" USING btree ("current") WHERE current;