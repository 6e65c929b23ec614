CREATE TABLE "gateway_budgets" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"scope" text NOT NULL,
	"key_id" text,
	"daily_usd" numeric NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "gateway_budgets_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "gateway_budgets_of_a_key" CHECK (("gateway_budgets"."scope" = 'key') = ("gateway_budgets"."key_id" is not null)),
	CONSTRAINT "gateway_budgets_positive" CHECK ("gateway_budgets"."daily_usd" > 0)
);
--> statement-breakpoint
CREATE TABLE "gateway_spending" (
	"project_id" text NOT NULL,
	"budget_id" text NOT NULL,
	"day" integer NOT NULL,
	"subject" text NOT NULL,
	"usd" numeric NOT NULL,
	CONSTRAINT "gateway_spending_project_id_budget_id_day_subject_pk" PRIMARY KEY("project_id","budget_id","day","subject")
);
--> statement-breakpoint
ALTER TABLE "gateway_budgets" ADD CONSTRAINT "gateway_budgets_project" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_budgets" ADD CONSTRAINT "gateway_budgets_key" FOREIGN KEY ("project_id","key_id") REFERENCES "public"."api_keys"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_spending" ADD CONSTRAINT "gateway_spending_budget" FOREIGN KEY ("project_id","budget_id") REFERENCES "public"."gateway_budgets"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_budgets_once" ON "gateway_budgets" USING btree ("project_id","scope",coalesce("key_id", ''));--> statement-breakpoint
CREATE INDEX "gateway_budgets_newest" ON "gateway_budgets" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "gateway_budgets_key_id" ON "gateway_budgets" USING btree ("project_id","key_id");--> statement-breakpoint
CREATE INDEX "gateway_spending_day" ON "gateway_spending" USING btree ("project_id","day");