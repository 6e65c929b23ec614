ALTER TABLE "findings" ADD COLUMN "unpriced_call_count" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "findings" f SET unpriced_call_count = t.unpriced
FROM (
  SELECT o.project_id, o.finding_id, sum(c.unpriced_call_count) AS unpriced
  FROM occurrences o JOIN conversations c ON c.project_id = o.project_id AND c.id = o.conversation_id
  WHERE c.unpriced_call_count > 0 GROUP BY 1, 2
) t
WHERE f.project_id = t.project_id AND f.id = t.finding_id;
