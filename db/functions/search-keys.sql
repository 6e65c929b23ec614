-- What a search asks the index for: each term under its project and the day (UTC) of the conversation's start. A few digits
-- of the project's hash keep the keys short; where two projects share them, the rows are told apart by their own columns.
-- The index conversation_search_keys holds what this returns: a function that returns anything else takes another name.
CREATE OR REPLACE FUNCTION search_keys(project_id text, started_at bigint, terms text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array(
    SELECT key.prefix || term
    FROM (SELECT substr(md5(project_id), 1, 6) || to_hex(started_at / 86400000) || ' ' AS prefix) key, unnest(terms) AS term
  )
$$;
