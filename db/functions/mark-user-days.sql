-- Marks the days whose costs by user one statement changes, so that they are recounted. Marks nothing when the project itself is
-- being deleted.
CREATE OR REPLACE FUNCTION mark_user_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'conversations' THEN
    INSERT INTO stale_user_days (project_id, day)
    SELECT DISTINCT project_id, (started_at / 86400000) * 86400000
    FROM model_calls WHERE project_id = NEW.project_id AND conversation_id = NEW.id;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO stale_user_days (project_id, day)
    SELECT DISTINCT project_id, (started_at / 86400000) * 86400000 FROM new_calls;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO stale_user_days (project_id, day)
    SELECT DISTINCT project_id, (started_at / 86400000) * 86400000
    FROM old_calls c WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = c.project_id);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER model_calls_come_by_user AFTER INSERT ON model_calls REFERENCING NEW TABLE AS new_calls
  FOR EACH STATEMENT EXECUTE FUNCTION mark_user_days();
CREATE OR REPLACE TRIGGER model_calls_change_by_user AFTER UPDATE ON model_calls
  REFERENCING OLD TABLE AS old_calls NEW TABLE AS new_calls
  FOR EACH STATEMENT EXECUTE FUNCTION mark_user_days();
CREATE OR REPLACE TRIGGER model_calls_go_by_user AFTER DELETE ON model_calls REFERENCING OLD TABLE AS old_calls
  FOR EACH STATEMENT EXECUTE FUNCTION mark_user_days();
CREATE OR REPLACE TRIGGER conversations_change_user AFTER UPDATE OF user_id ON conversations
  FOR EACH ROW WHEN (OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION mark_user_days();

-- The first time, nobody has marked the days of earlier calls. The triggers have locked their table, so that none comes between.
INSERT INTO stale_user_days (project_id, day, changed_at)
SELECT DISTINCT project_id, day, 0 FROM daily_costs
WHERE NOT EXISTS (SELECT 1 FROM stale_user_days) AND NOT EXISTS (SELECT 1 FROM daily_user_costs);
