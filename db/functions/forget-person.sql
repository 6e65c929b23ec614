-- Removes a person's address, names and networks from the audit logs, just before their account is deleted. Reads the
-- address itself and substitutes the person's id, so that it cannot be used to hide anything else. SECURITY DEFINER as the
-- owner of the logs, because the application may not change them.
CREATE OR REPLACE FUNCTION forget_person(person text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  shown text;
  pattern text;
  touched bigint;
  more bigint;
BEGIN
  SELECT btrim(to_json(email)::text, '"') INTO shown FROM users WHERE id = person;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  -- Must not match inside a longer address.
  pattern := '(?<![[:alnum:]._%+-])' || regexp_replace(shown, '([^[:alnum:]_@])', '\\\1', 'g')
    || '(?![[:alnum:]-]|\.[[:alnum:]])';
  PERFORM set_config('whetstone.forgetting', 'on', true);
  UPDATE audit_log SET
    before = forgotten(before, pattern, person, target_type = 'user' AND target_id = person),
    after = forgotten(after, pattern, person, target_type = 'user' AND target_id = person),
    address = CASE WHEN actor_id = person THEN NULL ELSE address END
  WHERE actor_id = person OR (target_type = 'user' AND target_id = person)
    OR before::text ~* pattern OR after::text ~* pattern;
  GET DIAGNOSTICS touched = ROW_COUNT;
  UPDATE account_audit_log SET
    before = forgotten(before, pattern, person, target_type = 'user' AND target_id = person),
    after = forgotten(after, pattern, person, target_type = 'user' AND target_id = person),
    address = CASE WHEN actor_id = person OR user_id = person AND actor_kind <> 'user' THEN NULL ELSE address END
  WHERE actor_id = person OR user_id = person OR (target_type = 'user' AND target_id = person)
    OR before::text ~* pattern OR after::text ~* pattern;
  GET DIAGNOSTICS more = ROW_COUNT;
  PERFORM set_config('whetstone.forgetting', 'off', true);
  RETURN touched + more;
END;
$$;

REVOKE ALL ON FUNCTION forget_person(text) FROM PUBLIC;
