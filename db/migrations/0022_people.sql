ALTER TABLE "users" ADD COLUMN "installation_owner" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "may_create_projects" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "disabled_at" bigint;--> statement-breakpoint
-- Who set the installation up owns it: by the log of accounts, or (the operator's command made the first) whoever came first.
UPDATE "users" SET "installation_owner" = true, "may_create_projects" = true WHERE "id" = (
  SELECT u."id" FROM "users" u
  ORDER BY EXISTS (
    SELECT 1 FROM "account_audit_log" a WHERE a."action" = 'setup.complete' AND a."user_id" = u."id"
  ) DESC, u."created_at", u."id" LIMIT 1
);
--> statement-breakpoint
-- Everybody could start projects: who owns one keeps the right, from others it is for an owner to give.
UPDATE "users" SET "may_create_projects" = true
WHERE "id" IN (SELECT "user_id" FROM "memberships" WHERE "role" = 'owner');
--> statement-breakpoint
-- As before, and: whoever is erased may be taken out of the words of a row, by `forget_person` alone. What was done, by
-- which id and when, stays.
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
--> statement-breakpoint
-- Takes a person's address, names and networks out of the audit logs, just before their account goes. It reads the address
-- itself and puts the person's id in its place, so that it can hide nothing else. Runs as the owner of the logs: the
-- application may not change them.
CREATE FUNCTION forget_person(person text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
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
  -- No part of a longer address.
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
--> statement-breakpoint
-- The fields of a row with the address replaced wherever it stands whole, and the names of whom the row is about.
CREATE FUNCTION forgotten(fields jsonb, pattern text, person text, theirs boolean) RETURNS jsonb
IMMUTABLE LANGUAGE sql SET search_path = pg_catalog AS $$
  SELECT CASE
    WHEN theirs AND jsonb_typeof(masked -> 'name') = 'string' THEN jsonb_set(masked, '{name}', to_jsonb(person))
    ELSE masked
  END FROM (SELECT regexp_replace(fields::text, pattern, person, 'gi')::jsonb AS masked) m
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION forget_person(text) FROM PUBLIC;
