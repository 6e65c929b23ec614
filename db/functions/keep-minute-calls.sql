-- Appends the change that one statement makes to the calls by minute, for the minutes that are kept (60 days).
-- Appends nothing when the project itself is being deleted.
CREATE OR REPLACE FUNCTION keep_minute_calls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($sql$
    WITH changed AS MATERIALIZED (
      SELECT project_id, (started_at / 60000) * 60000 AS minute,
             coalesce(nullif(response_model, ''), requested_model, '') AS model, labels, sign, status, cost_total,
             -- Bucket b ends at 1.1^b ms, so that a quantile read from buckets is within 5 %%.
             CASE WHEN ended_at - started_at < 1 THEN 0
               ELSE least(250, 1 + floor(ln((ended_at - started_at)::float8) / ln(1.1::float8))::int) END AS bucket
      FROM (%s) c
      WHERE started_at >= (extract(epoch from clock_timestamp()) * 1000)::bigint - 60 * 86400000::bigint
        AND EXISTS (SELECT 1 FROM projects p WHERE p.id = c.project_id)
    ),
    counted AS (
      SELECT project_id, minute, model, labels, sum(sign) AS calls,
             coalesce(sum(sign) FILTER (WHERE status = 'error'), 0) AS errors,
             coalesce(sum(sign) FILTER (WHERE cost_total IS NULL), 0) AS unpriced_calls,
             coalesce(sum(sign * cost_total), 0) AS cost
      FROM changed GROUP BY 1, 2, 3, 4
    ),
    buckets AS (
      SELECT project_id, minute, model, labels, jsonb_object_agg(bucket, calls) AS durations
      FROM (
        SELECT project_id, minute, model, labels, bucket, sum(sign) AS calls
        FROM changed GROUP BY 1, 2, 3, 4, 5 HAVING sum(sign) <> 0
      ) b GROUP BY 1, 2, 3, 4
    )
    INSERT INTO minute_calls (project_id, minute, model, labels, calls, errors, unpriced_calls, cost, durations)
    SELECT c.project_id, c.minute, c.model, c.labels, c.calls, c.errors, c.unpriced_calls, c.cost, coalesce(b.durations, '{}')
    FROM counted c LEFT JOIN buckets b USING (project_id, minute, model, labels)
    WHERE c.calls <> 0 OR c.errors <> 0 OR c.unpriced_calls <> 0 OR c.cost <> 0 OR b.durations IS NOT NULL
  $sql$, CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT *, 1 AS sign FROM new_calls'
    WHEN 'DELETE' THEN 'SELECT *, -1 AS sign FROM old_calls'
    ELSE 'SELECT *, 1 AS sign FROM new_calls UNION ALL SELECT *, -1 AS sign FROM old_calls'
  END);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER model_calls_come_by_minute AFTER INSERT ON model_calls REFERENCING NEW TABLE AS new_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_minute_calls();
CREATE OR REPLACE TRIGGER model_calls_change_by_minute AFTER UPDATE ON model_calls
  REFERENCING OLD TABLE AS old_calls NEW TABLE AS new_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_minute_calls();
CREATE OR REPLACE TRIGGER model_calls_go_by_minute AFTER DELETE ON model_calls REFERENCING OLD TABLE AS old_calls
  FOR EACH STATEMENT EXECUTE FUNCTION keep_minute_calls();
