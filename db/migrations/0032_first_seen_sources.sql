ALTER TABLE "span_sources" ADD COLUMN "first_seen_at" bigint;--> statement-breakpoint
UPDATE "span_sources" o SET first_seen_at = s.first / 1000 FROM (SELECT project_id, source_id, min(started_us) AS first FROM "spans" GROUP BY 1, 2) s WHERE s.project_id = o.project_id AND s.source_id = o.id;
