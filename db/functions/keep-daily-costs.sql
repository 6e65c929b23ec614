-- Appends the change that one statement makes to the daily costs: per pricing key, and per label of the call. Appends
-- nothing when the project itself is being deleted.
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

CREATE OR REPLACE TRIGGER model_calls_come AFTER INSERT ON model_calls REFERENCING NEW TABLE AS new_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_daily_costs();
CREATE OR REPLACE TRIGGER model_calls_change AFTER UPDATE ON model_calls
  REFERENCING OLD TABLE AS old_calls NEW TABLE AS new_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_daily_costs();
CREATE OR REPLACE TRIGGER model_calls_go AFTER DELETE ON model_calls REFERENCING OLD TABLE AS old_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_daily_costs();
