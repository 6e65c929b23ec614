-- What a search asks the index for: each term under its project and the day (UTC) of the conversation's start. A few digits
-- of the project's hash keep the keys short; where two projects share them, the rows are told apart by their own columns.
CREATE FUNCTION search_keys(project_id text, started_at bigint, terms text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array(
    SELECT key.prefix || term
    FROM (SELECT substr(md5(project_id), 1, 6) || to_hex(started_at / 86400000) || ' ' AS prefix) key, unnest(terms) AS term
  )
$$;
--> statement-breakpoint
SET LOCAL maintenance_work_mem = '256MB';
--> statement-breakpoint
CREATE TABLE "conversation_search" (
	"project_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"started_at" bigint NOT NULL,
	"terms" text[] NOT NULL,
	CONSTRAINT "conversation_search_project_id_conversation_id_pk" PRIMARY KEY("project_id","conversation_id")
);
--> statement-breakpoint
INSERT INTO "conversation_search" ("project_id", "conversation_id", "started_at", "terms")
SELECT project_id, id, started_at,
  words || array(SELECT 'model:' || model FROM unnest(models) AS model) || CASE WHEN user_id IS NULL THEN '{}' ELSE array['user:' || user_id] END
FROM "conversations";
--> statement-breakpoint
DROP INDEX "conversations_models";--> statement-breakpoint
DROP INDEX "conversations_words";--> statement-breakpoint
DROP INDEX "conversations_by_activity";--> statement-breakpoint
DROP INDEX "rule_runs_conversation_id";--> statement-breakpoint
ALTER TABLE "findings" ADD COLUMN "affected_cost" numeric;--> statement-breakpoint
UPDATE "findings" f SET affected_cost = o.cost
FROM (
  SELECT o.project_id, o.finding_id, sum(c.cost) AS cost FROM "occurrences" o
  JOIN "conversations" c ON c.project_id = o.project_id AND c.id = o.conversation_id GROUP BY 1, 2
) o
WHERE f.project_id = o.project_id AND f.id = o.finding_id;
--> statement-breakpoint
ALTER TABLE "conversation_search" ADD CONSTRAINT "conversation_search_conversation" FOREIGN KEY ("project_id","conversation_id") REFERENCES "public"."conversations"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_search_keys" ON "conversation_search" USING gin (search_keys(project_id, started_at, terms)) WITH (fastupdate=off);--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("project_id",split_part(action, '.', 1),"created_at","id");--> statement-breakpoint
CREATE INDEX "rule_runs_rule" ON "rule_runs" USING btree ("project_id","rule_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "rule_runs_asked_for" ON "rule_runs" USING btree ("project_id","origin","created_at" desc,"id" desc) WHERE origin <> 'automatic';--> statement-breakpoint
CREATE INDEX "rule_runs_backfill" ON "rule_runs" USING btree ("project_id","backfill_id","created_at" desc,"id" desc) WHERE backfill_id is not null;--> statement-breakpoint
CREATE INDEX "conversations_by_activity" ON "conversations" USING btree ("project_id","last_activity_at","received_at");--> statement-breakpoint
CREATE INDEX "rule_runs_conversation_id" ON "rule_runs" USING btree ("project_id","conversation_id","status");--> statement-breakpoint
ALTER TABLE "conversations" DROP COLUMN "words";