-- Returns a row's fields with every whole occurrence of the address replaced, and the subject's own name removed.
CREATE OR REPLACE FUNCTION forgotten(fields jsonb, pattern text, person text, theirs boolean) RETURNS jsonb
IMMUTABLE LANGUAGE sql SET search_path = pg_catalog AS $$
  SELECT CASE
    WHEN theirs AND jsonb_typeof(masked -> 'name') = 'string' THEN jsonb_set(masked, '{name}', to_jsonb(person))
    ELSE masked
  END FROM (SELECT regexp_replace(fields::text, pattern, person, 'gi')::jsonb AS masked) m
$$;
