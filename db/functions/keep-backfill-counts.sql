-- Appends the change that one statement makes to the numbers of a backfill's Runs by status. Appends nothing when nothing
-- changes, and when the backfill itself is being deleted.
CREATE OR REPLACE FUNCTION keep_backfill_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Nearly all Runs are automatic, and this plan is cached, unlike the one below.
  IF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT 1 FROM old_runs WHERE backfill_id IS NOT NULL) THEN RETURN NULL; END IF;
  ELSIF NOT EXISTS (SELECT 1 FROM new_runs WHERE backfill_id IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  EXECUTE format($sql$
    INSERT INTO backfill_counts (project_id, backfill_id, queued, running, completed, skipped, failed)
    SELECT project_id, backfill_id, queued, running, completed, skipped, failed
    FROM (
      SELECT project_id, backfill_id,
             coalesce(sum(sign) FILTER (WHERE status = 'queued'), 0) AS queued,
             coalesce(sum(sign) FILTER (WHERE status = 'running'), 0) AS running,
             coalesce(sum(sign) FILTER (WHERE status = 'completed'), 0) AS completed,
             coalesce(sum(sign) FILTER (WHERE status = 'skipped'), 0) AS skipped,
             coalesce(sum(sign) FILTER (WHERE status = 'failed'), 0) AS failed
      FROM (%s) r WHERE backfill_id IS NOT NULL GROUP BY 1, 2
    ) c
    WHERE (queued, running, completed, skipped, failed) <> (0, 0, 0, 0, 0)
      AND EXISTS (SELECT 1 FROM backfills b WHERE b.project_id = c.project_id AND b.id = c.backfill_id)
  $sql$, CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT project_id, backfill_id, status, 1 AS sign FROM new_runs'
    WHEN 'DELETE' THEN 'SELECT project_id, backfill_id, status, -1 AS sign FROM old_runs'
    ELSE 'SELECT project_id, backfill_id, status, 1 AS sign FROM new_runs
          UNION ALL SELECT project_id, backfill_id, status, -1 FROM old_runs'
  END);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER rule_runs_come AFTER INSERT ON rule_runs REFERENCING NEW TABLE AS new_runs
  FOR EACH STATEMENT EXECUTE FUNCTION keep_backfill_counts();
CREATE OR REPLACE TRIGGER rule_runs_change AFTER UPDATE ON rule_runs
  REFERENCING OLD TABLE AS old_runs NEW TABLE AS new_runs
  FOR EACH STATEMENT EXECUTE FUNCTION keep_backfill_counts();
CREATE OR REPLACE TRIGGER rule_runs_go AFTER DELETE ON rule_runs REFERENCING OLD TABLE AS old_runs
  FOR EACH STATEMENT EXECUTE FUNCTION keep_backfill_counts();
