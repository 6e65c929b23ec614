-- Returns a search's index keys: each term prefixed with its project and the day (UTC) of the conversation's start. A few
-- digits of the project's hash keep keys short; on a collision the rows' own columns decide. The index
-- conversation_search_keys stores these values, so a function that returns anything else needs a new name.
CREATE OR REPLACE FUNCTION search_keys(project_id text, started_at bigint, terms text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array(
    SELECT key.prefix || term
    FROM (SELECT substr(md5(project_id), 1, 6) || to_hex(started_at / 86400000) || ' ' AS prefix) key, unnest(terms) AS term
  )
$$;
