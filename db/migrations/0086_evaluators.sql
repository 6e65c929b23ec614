CREATE TABLE "evaluators" (
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"fails_below" double precision,
	"fails_above" double precision,
	"failing_labels" text[],
	"updated_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "evaluators_project_id_name_pk" PRIMARY KEY("project_id","name"),
	CONSTRAINT "evaluators_fail_one_way" CHECK (num_nonnulls("evaluators"."fails_below", "evaluators"."fails_above", "evaluators"."failing_labels") = 1)
);
--> statement-breakpoint
ALTER TABLE "feedback" ADD COLUMN "evaluator_kind" text;--> statement-breakpoint
ALTER TABLE "evaluators" ADD CONSTRAINT "evaluators_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "feedback_of_evaluator" ON "feedback" USING btree ("project_id","name","given_at" desc,"id" desc) WHERE name is not null and not given_by_user;--> statement-breakpoint
UPDATE "feedback" SET "evaluator_kind" = 'human' WHERE "source" = 'api';
