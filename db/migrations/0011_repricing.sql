CREATE TABLE "daily_costs" (
	"project_id" text NOT NULL,
	"id" bigserial NOT NULL,
	"day" bigint NOT NULL,
	"model" text NOT NULL,
	"provider" text NOT NULL,
	"model_price_id" text NOT NULL,
	"vendor" text NOT NULL,
	"calls" bigint NOT NULL,
	"unpriced_calls" bigint NOT NULL,
	"cost" numeric NOT NULL,
	"usage" jsonb NOT NULL,
	"folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "daily_costs_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "price_catalogues" (
	"date" text PRIMARY KEY NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"applied_at" bigint
);
--> statement-breakpoint
CREATE TABLE "repriced_calls" (
	"project_id" text NOT NULL,
	"repricing_id" text NOT NULL,
	"trace_id" text NOT NULL,
	"span_id" text NOT NULL,
	"cost_total" numeric,
	"cost" jsonb,
	"replaced_by" text NOT NULL,
	CONSTRAINT "repriced_calls_project_id_repricing_id_trace_id_span_id_pk" PRIMARY KEY("project_id","repricing_id","trace_id","span_id")
);
--> statement-breakpoint
CREATE TABLE "repricings" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"state" text NOT NULL,
	"from" bigint NOT NULL,
	"to" bigint NOT NULL,
	"model" text,
	"vendor" text,
	"model_price_id" text,
	"only_unpriced" boolean NOT NULL,
	"pricing_version" integer NOT NULL,
	"catalogue" text NOT NULL,
	"asked_by" bigint NOT NULL,
	"cursor" jsonb,
	"calls_expected" integer NOT NULL,
	"calls_examined" integer DEFAULT 0 NOT NULL,
	"calls_changed" integer DEFAULT 0 NOT NULL,
	"cost_before" numeric DEFAULT '0' NOT NULL,
	"cost_after" numeric DEFAULT '0' NOT NULL,
	"unknown_before" integer DEFAULT 0 NOT NULL,
	"unknown_after" integer DEFAULT 0 NOT NULL,
	"calls_restored" integer DEFAULT 0 NOT NULL,
	"calls_kept" integer DEFAULT 0 NOT NULL,
	"error" text,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"undone_by_kind" text,
	"undone_by_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"started_at" bigint,
	"completed_at" bigint,
	"undone_at" bigint,
	CONSTRAINT "repricings_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "model_price_definitions" ADD COLUMN "since_revision" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "model_price_definitions" ADD COLUMN "until_revision" integer;--> statement-breakpoint
ALTER TABLE "daily_costs" ADD CONSTRAINT "daily_costs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repriced_calls" ADD CONSTRAINT "repriced_calls_repricing" FOREIGN KEY ("project_id","repricing_id") REFERENCES "public"."repricings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repriced_calls" ADD CONSTRAINT "repriced_calls_call" FOREIGN KEY ("project_id","trace_id","span_id") REFERENCES "public"."model_calls"("project_id","trace_id","span_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repricings" ADD CONSTRAINT "repricings_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "daily_costs_day" ON "daily_costs" USING btree ("project_id","day");--> statement-breakpoint
CREATE INDEX "daily_costs_loose" ON "daily_costs" USING btree ("id") WHERE not folded;--> statement-breakpoint
CREATE INDEX "repriced_calls_call_id" ON "repriced_calls" USING btree ("project_id","trace_id","span_id");--> statement-breakpoint
CREATE INDEX "repricings_newest" ON "repricings" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE UNIQUE INDEX "repricings_under_way" ON "repricings" USING btree ("project_id") WHERE state in ('queued', 'running', 'undoing');--> statement-breakpoint
UPDATE "model_price_definitions" SET until_revision = 0 WHERE superseded_at IS NOT NULL;
--> statement-breakpoint
-- The difference that one statement makes to the days' costs, appended. Where the project itself goes, nothing is.
CREATE FUNCTION keep_daily_costs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    WITH changed AS (
      SELECT project_id, (started_at / 86400000) * 86400000 AS day,
             coalesce(nullif(response_model, ''), requested_model, '') AS model, coalesce(provider, '') AS provider,
             coalesce(cost #>> '{model,id}', '') AS model_price_id, coalesce(cost #>> '{model,provider}', '') AS vendor,
             sign, cost_total, CASE jsonb_typeof(usage) WHEN 'object' THEN usage END AS usage
      FROM (%s) c WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = c.project_id)
    ),
    counted AS (
      SELECT project_id, day, model, provider, model_price_id, vendor, sum(sign) AS calls,
             coalesce(sum(sign) FILTER (WHERE cost_total IS NULL), 0) AS unpriced_calls,
             coalesce(sum(sign * cost_total), 0) AS cost
      FROM changed GROUP BY 1, 2, 3, 4, 5, 6
    ),
    buckets AS (
      SELECT project_id, day, model, provider, model_price_id, vendor, jsonb_object_agg(bucket, units) AS usage
      FROM (
        SELECT project_id, day, model, provider, model_price_id, vendor, u.key AS bucket, sum(sign * u.value::numeric) AS units
        FROM changed, jsonb_each_text(usage) u GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(sign * u.value::numeric) <> 0
      ) b GROUP BY 1, 2, 3, 4, 5, 6
    )
    INSERT INTO daily_costs (project_id, day, model, provider, model_price_id, vendor, calls, unpriced_calls, cost, usage)
    SELECT c.project_id, c.day, c.model, c.provider, c.model_price_id, c.vendor, c.calls, c.unpriced_calls, c.cost, coalesce(b.usage, '{}')
    FROM counted c LEFT JOIN buckets b USING (project_id, day, model, provider, model_price_id, vendor)
    WHERE c.calls <> 0 OR c.unpriced_calls <> 0 OR c.cost <> 0 OR b.usage IS NOT NULL
  $sql$, CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT *, 1 AS sign FROM new_calls'
    WHEN 'DELETE' THEN 'SELECT *, -1 AS sign FROM old_calls'
    ELSE 'SELECT *, 1 AS sign FROM new_calls UNION ALL SELECT *, -1 AS sign FROM old_calls'
  END);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER model_calls_come AFTER INSERT ON model_calls REFERENCING NEW TABLE AS new_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_daily_costs();
--> statement-breakpoint
CREATE TRIGGER model_calls_change AFTER UPDATE ON model_calls REFERENCING OLD TABLE AS old_calls NEW TABLE AS new_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_daily_costs();
--> statement-breakpoint
CREATE TRIGGER model_calls_go AFTER DELETE ON model_calls REFERENCING OLD TABLE AS old_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_daily_costs();
--> statement-breakpoint
-- What is there already.
WITH keyed AS (
  SELECT project_id, (started_at / 86400000) * 86400000 AS day,
         coalesce(nullif(response_model, ''), requested_model, '') AS model, coalesce(provider, '') AS provider,
         coalesce(cost #>> '{model,id}', '') AS model_price_id, coalesce(cost #>> '{model,provider}', '') AS vendor,
         cost_total, CASE jsonb_typeof(usage) WHEN 'object' THEN usage END AS usage
  FROM model_calls
),
buckets AS (
  SELECT project_id, day, model, provider, model_price_id, vendor, jsonb_object_agg(bucket, units) AS usage
  FROM (
    SELECT project_id, day, model, provider, model_price_id, vendor, u.key AS bucket, sum(u.value::numeric) AS units
    FROM keyed, jsonb_each_text(usage) u GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) b GROUP BY 1, 2, 3, 4, 5, 6
)
INSERT INTO daily_costs (project_id, day, model, provider, model_price_id, vendor, calls, unpriced_calls, cost, usage, folded)
SELECT k.*, coalesce(b.usage, '{}'), true
FROM (
  SELECT project_id, day, model, provider, model_price_id, vendor, count(*) AS calls,
         count(*) FILTER (WHERE cost_total IS NULL) AS unpriced_calls, coalesce(sum(cost_total), 0) AS cost
  FROM keyed GROUP BY 1, 2, 3, 4, 5, 6
) k LEFT JOIN buckets b USING (project_id, day, model, provider, model_price_id, vendor);
