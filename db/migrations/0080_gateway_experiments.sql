CREATE TABLE "gateway_assignments" (
	"project_id" text NOT NULL,
	"experiment_id" text NOT NULL,
	"subject" text NOT NULL,
	"arm" text NOT NULL,
	"conversation" text,
	"not_applied" boolean DEFAULT false NOT NULL,
	CONSTRAINT "gateway_assignments_project_id_experiment_id_subject_pk" PRIMARY KEY("project_id","experiment_id","subject")
);
--> statement-breakpoint
CREATE TABLE "gateway_experiments" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"number" integer NOT NULL,
	"alias_id" text NOT NULL,
	"variant_id" text NOT NULL,
	"variant_name" text NOT NULL,
	"variant_version" integer NOT NULL,
	"share" integer NOT NULL,
	"started_at" bigint NOT NULL,
	"ended_at" bigint,
	"counts" jsonb,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "gateway_experiments_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "gateway_experiments_share" CHECK ("gateway_experiments"."share" between 0 and 100),
	CONSTRAINT "gateway_experiments_end" CHECK (("gateway_experiments"."ended_at" is null) = ("gateway_experiments"."counts" is null))
);
--> statement-breakpoint
ALTER TABLE "gateway_assignments" ADD CONSTRAINT "gateway_assignments_experiment" FOREIGN KEY ("project_id","experiment_id") REFERENCES "public"."gateway_experiments"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_experiments" ADD CONSTRAINT "gateway_experiments_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_experiments_number" ON "gateway_experiments" USING btree ("project_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_experiments_running" ON "gateway_experiments" USING btree ("project_id","alias_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "gateway_experiments_newest" ON "gateway_experiments" USING btree ("project_id","created_at" desc,"id" desc);