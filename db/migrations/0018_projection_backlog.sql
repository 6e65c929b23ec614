DROP INDEX "projection_queue_order";--> statement-breakpoint
ALTER TABLE "projection_queue" ADD COLUMN "backlog" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "projection_queue_backlog" ON "projection_queue" USING btree ("id") WHERE backlog;--> statement-breakpoint
CREATE INDEX "projection_queue_order" ON "projection_queue" USING btree ("id") WHERE not backlog;--> statement-breakpoint
-- Tools' answers count as errors now, and traces stand in order of time: those conversations are read again, the newest
-- first. One trace brings its whole conversation.
INSERT INTO "projection_queue" ("project_id", "trace_id", "received_at", "backlog")
SELECT project_id, trace_ids[1], received_at, true FROM "conversations"
WHERE cardinality(trace_ids) > 1 OR (tool_call_count > 0 AND cardinality(trace_ids) = 1)
ORDER BY last_activity_at DESC, id;
