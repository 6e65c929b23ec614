-- Returns a search's index keys: each term prefixed with its project and the day (UTC) of the conversation's start. A few
-- digits of the project's hash keep keys short; on a collision the rows' own columns decide. Terms are joined and split
-- again, which costs a quarter of a query over them. The indexes conversation_search_keys and example_revisions_keys store
-- these values, so a function that returns anything else needs a new name.
CREATE OR REPLACE FUNCTION search_keys(project_id text, started_at bigint, terms text[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  separator CONSTANT text := E'\x1f';
  prefix CONSTANT text := substr(md5(project_id), 1, 6) || to_hex(started_at / 86400000) || ' ';
  keys CONSTANT text[] := string_to_array(prefix || array_to_string(terms, separator || prefix), separator);
BEGIN
  IF cardinality(keys) = cardinality(terms) THEN
    RETURN keys;
  END IF;
  -- There are none, or one contains the separator.
  RETURN array(SELECT prefix || term FROM unnest(terms) AS term);
END;
$$;
