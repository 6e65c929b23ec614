CREATE TABLE "evaluation_reviews" (
	"project_id" text NOT NULL,
	"evaluation_id" text NOT NULL,
	"n" integer NOT NULL,
	"reviewer_id" text NOT NULL,
	"is_right_before" boolean NOT NULL,
	"is_right_after" boolean NOT NULL,
	"is_random" boolean NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "evaluation_reviews_project_id_evaluation_id_n_reviewer_id_pk" PRIMARY KEY("project_id","evaluation_id","n","reviewer_id")
);
--> statement-breakpoint
ALTER TABLE "evaluation_rows" ADD COLUMN "reference" text;--> statement-breakpoint
ALTER TABLE "evaluation_rows" ADD COLUMN "group_number" integer;--> statement-breakpoint
ALTER TABLE "evaluation_rows" ADD COLUMN "rightness" jsonb;--> statement-breakpoint
ALTER TABLE "evaluation_reviews" ADD CONSTRAINT "evaluation_reviews_row" FOREIGN KEY ("project_id","evaluation_id","n") REFERENCES "public"."evaluation_rows"("project_id","evaluation_id","n") ON DELETE cascade ON UPDATE no action;