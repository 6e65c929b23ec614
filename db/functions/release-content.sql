-- Notes the chunks of deleted spans and log records, however they go, so that those that no other row has are deleted too.
-- Where the project itself goes, so do its chunks.
CREATE OR REPLACE FUNCTION release_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO content_released (project_id, chunk_id)
  SELECT DISTINCT g.project_id, chunk_id FROM gone g, unnest(g.chunk_ids) AS chunk_id
  WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = g.project_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER spans_go AFTER DELETE ON spans REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION release_content();
CREATE OR REPLACE TRIGGER log_records_go AFTER DELETE ON log_records REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION release_content();
