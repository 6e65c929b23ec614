-- Keeps the audit logs append-only. A project's entries are deleted only after the project's own row; account entries are
-- never deleted. `forget_person` alone may redact an erased person from an entry: what was done, by which id and when, stays.
CREATE OR REPLACE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'audit_log' THEN
    IF NOT EXISTS (SELECT 1 FROM projects WHERE id = OLD.project_id) THEN
      RETURN OLD;
    END IF;
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('whetstone.forgetting', true) = 'on' THEN
    IF to_jsonb(OLD) - '{before,after,address}'::text[] = to_jsonb(NEW) - '{before,after,address}'::text[] THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END;
$$;

CREATE OR REPLACE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_append_only();
CREATE OR REPLACE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only();
CREATE OR REPLACE TRIGGER account_audit_log_append_only BEFORE UPDATE OR DELETE ON account_audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_append_only();
CREATE OR REPLACE TRIGGER account_audit_log_no_truncate BEFORE TRUNCATE ON account_audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only();
