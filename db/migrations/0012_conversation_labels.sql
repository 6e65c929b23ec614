CREATE TABLE "daily_label_costs" (
	"project_id" text NOT NULL,
	"id" bigserial NOT NULL,
	"day" bigint NOT NULL,
	"label" text NOT NULL,
	"calls" bigint NOT NULL,
	"unpriced_calls" bigint NOT NULL,
	"cost" numeric NOT NULL,
	"usage" jsonb NOT NULL,
	"folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "daily_label_costs_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "labels" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "model_calls" ADD COLUMN "labels" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "daily_label_costs" ADD CONSTRAINT "daily_label_costs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "daily_label_costs_day" ON "daily_label_costs" USING btree ("project_id","day");--> statement-breakpoint
CREATE INDEX "daily_label_costs_loose" ON "daily_label_costs" USING btree ("id") WHERE not folded;
--> statement-breakpoint
-- The difference that one statement makes to the days' costs, appended: under what a call is priced by, and under each of
-- its labels. Where the project itself goes, nothing is.
CREATE OR REPLACE FUNCTION keep_daily_costs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    WITH changed AS MATERIALIZED (
      SELECT project_id, (started_at / 86400000) * 86400000 AS day,
             coalesce(nullif(response_model, ''), requested_model, '') AS model, coalesce(provider, '') AS provider,
             coalesce(cost #>> '{model,id}', '') AS model_price_id, coalesce(cost #>> '{model,provider}', '') AS vendor,
             CASE labels WHEN '{}' THEN array[''] ELSE labels END AS labels,
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
    ),
    kept AS (
      INSERT INTO daily_costs (project_id, day, model, provider, model_price_id, vendor, calls, unpriced_calls, cost, usage)
      SELECT c.project_id, c.day, c.model, c.provider, c.model_price_id, c.vendor, c.calls, c.unpriced_calls, c.cost, coalesce(b.usage, '{}')
      FROM counted c LEFT JOIN buckets b USING (project_id, day, model, provider, model_price_id, vendor)
      WHERE c.calls <> 0 OR c.unpriced_calls <> 0 OR c.cost <> 0 OR b.usage IS NOT NULL
    ),
    labelled AS (
      SELECT project_id, day, label, sum(sign) AS calls,
             coalesce(sum(sign) FILTER (WHERE cost_total IS NULL), 0) AS unpriced_calls,
             coalesce(sum(sign * cost_total), 0) AS cost
      FROM changed, unnest(labels) label GROUP BY 1, 2, 3
    ),
    label_buckets AS (
      SELECT project_id, day, label, jsonb_object_agg(bucket, units) AS usage
      FROM (
        SELECT project_id, day, label, u.key AS bucket, sum(sign * u.value::numeric) AS units
        FROM changed, unnest(labels) label, jsonb_each_text(usage) u GROUP BY 1, 2, 3, 4
        HAVING sum(sign * u.value::numeric) <> 0
      ) b GROUP BY 1, 2, 3
    )
    INSERT INTO daily_label_costs (project_id, day, label, calls, unpriced_calls, cost, usage)
    SELECT l.project_id, l.day, l.label, l.calls, l.unpriced_calls, l.cost, coalesce(b.usage, '{}')
    FROM labelled l LEFT JOIN label_buckets b USING (project_id, day, label)
    WHERE l.calls <> 0 OR l.unpriced_calls <> 0 OR l.cost <> 0 OR b.usage IS NOT NULL
  $sql$, CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT *, 1 AS sign FROM new_calls'
    WHEN 'DELETE' THEN 'SELECT *, -1 AS sign FROM old_calls'
    ELSE 'SELECT *, 1 AS sign FROM new_calls UNION ALL SELECT *, -1 AS sign FROM old_calls'
  END);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- What is there already has no labels yet. Nobody writes calls meanwhile: the new column has their table locked.
WITH buckets AS (
  SELECT project_id, day, jsonb_object_agg(bucket, units) AS usage
  FROM (
    SELECT project_id, day, u.key AS bucket, sum(u.value::numeric) AS units
    FROM daily_costs, jsonb_each_text(usage) u GROUP BY 1, 2, 3 HAVING sum(u.value::numeric) <> 0
  ) b GROUP BY 1, 2
)
INSERT INTO daily_label_costs (project_id, day, label, calls, unpriced_calls, cost, usage, folded)
SELECT k.project_id, k.day, '', k.calls, k.unpriced_calls, k.cost, coalesce(b.usage, '{}'), true
FROM (
  SELECT project_id, day, sum(calls) AS calls, sum(unpriced_calls) AS unpriced_calls, sum(cost) AS cost
  FROM daily_costs GROUP BY 1, 2
) k LEFT JOIN buckets b USING (project_id, day)
WHERE k.calls <> 0 OR k.unpriced_calls <> 0 OR k.cost <> 0 OR b.usage IS NOT NULL;
