CREATE TABLE "evaluation_judgements" (
	"project_id" text NOT NULL,
	"evaluation_id" text NOT NULL,
	"n" integer NOT NULL,
	"question" text NOT NULL,
	"key" text NOT NULL,
	"model" text NOT NULL,
	"prompt_version" integer NOT NULL,
	"verdict" text,
	"reason" text,
	"reply" text,
	"error" text,
	"is_reused" boolean NOT NULL,
	"input_tokens" integer,
	"output_tokens" integer,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "evaluation_judgements_project_id_evaluation_id_n_question_pk" PRIMARY KEY("project_id","evaluation_id","n","question")
);
--> statement-breakpoint
CREATE TABLE "evaluation_judgings" (
	"project_id" text NOT NULL,
	"evaluation_id" text NOT NULL,
	"status" text NOT NULL,
	"connection_id" text NOT NULL,
	"model" text NOT NULL,
	"prompt_version" integer NOT NULL,
	"with_preference" boolean NOT NULL,
	"max_questions" integer NOT NULL,
	"result" jsonb NOT NULL,
	"note" text,
	"due_at" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"finished_at" bigint,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "evaluation_judgings_project_id_evaluation_id_pk" PRIMARY KEY("project_id","evaluation_id")
);
--> statement-breakpoint
ALTER TABLE "evaluation_judgements" ADD CONSTRAINT "evaluation_judgements_row" FOREIGN KEY ("project_id","evaluation_id","n") REFERENCES "public"."evaluation_rows"("project_id","evaluation_id","n") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evaluation_judgings" ADD CONSTRAINT "evaluation_judgings_evaluation" FOREIGN KEY ("project_id","evaluation_id") REFERENCES "public"."evaluations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "evaluation_judgements_key" ON "evaluation_judgements" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "evaluation_judgements_model" ON "evaluation_judgements" USING btree ("project_id","model","created_at");--> statement-breakpoint
CREATE INDEX "evaluation_judgings_due" ON "evaluation_judgings" USING btree ("due_at") WHERE due_at is not null;