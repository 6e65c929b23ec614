CREATE TABLE "fixes" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"finding_id" text NOT NULL,
	"by" text,
	"value" text,
	"kind" text,
	"note" text NOT NULL,
	"started_at" bigint,
	"ended_at" bigint,
	"end_reason" text,
	"verdict" text,
	"verdict_at" bigint,
	"measured" jsonb,
	"measured_at" bigint,
	"due_at" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "fixes_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "fixes_by" CHECK ("fixes"."by" is not null or ("fixes"."value" is null and "fixes"."started_at" is not null)),
	CONSTRAINT "fixes_value" CHECK ("fixes"."by" is null or "fixes"."value" is not null or ("fixes"."by" = 'version' and "fixes"."started_at" is null)),
	CONSTRAINT "fixes_end" CHECK (("fixes"."ended_at" is null) = ("fixes"."end_reason" is null) and ("fixes"."ended_at" is null) = ("fixes"."due_at" is not null)),
	CONSTRAINT "fixes_verdict" CHECK (("fixes"."verdict" is null) = ("fixes"."verdict_at" is null)),
	CONSTRAINT "fixes_measured" CHECK (("fixes"."measured" is null) = ("fixes"."measured_at" is null))
);
--> statement-breakpoint
ALTER TABLE "fixes" ADD CONSTRAINT "fixes_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "fixes_newest" ON "fixes" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "fixes_of_finding" ON "fixes" USING btree ("project_id","finding_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "fixes_due" ON "fixes" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "fixes_watched" ON "fixes" USING btree ("project_id","finding_id",coalesce("by", ''),coalesce("value", '')) WHERE ended_at is null;--> statement-breakpoint
INSERT INTO "fixes" ("project_id", "id", "finding_id", "note", "started_at", "due_at", "ended_at", "end_reason", "verdict", "verdict_at", "actor_kind", "actor_id", "created_at")
SELECT f."project_id", 'fix_' || replace(gen_random_uuid()::text, '-', ''), f."id", '', fixed."at",
  CASE WHEN fixed."at" >= clock."now" - 56 * 86400000::bigint THEN clock."now" END,
  CASE WHEN fixed."at" < clock."now" - 56 * 86400000::bigint THEN clock."now" END,
  CASE WHEN fixed."at" < clock."now" - 56 * 86400000::bigint THEN 'over' END,
  CASE WHEN f."resolved_at" IS NULL THEN 'regressed' END, CASE WHEN f."resolved_at" IS NULL THEN f."regressed_at" END,
  coalesce(done."actor_kind", 'job'), done."actor_id", fixed."at"
FROM "findings" f
CROSS JOIN (SELECT (extract(epoch from clock_timestamp()) * 1000)::bigint AS "now") clock
CROSS JOIN LATERAL (
  SELECT coalesce(f."resolved_at", (
    SELECT (e."detail" ->> 'resolvedAt')::bigint FROM "finding_events" e
    WHERE f."regressed_at" IS NOT NULL AND e."project_id" = f."project_id" AND e."finding_id" = f."id" AND e."kind" = 'regressed'
    ORDER BY e."at" DESC, e."id" DESC LIMIT 1)) AS "at"
) fixed
LEFT JOIN LATERAL (
  SELECT e."actor_kind", e."actor_id" FROM "finding_events" e
  WHERE e."project_id" = f."project_id" AND e."finding_id" = f."id" AND e."kind" = 'resolved'
  ORDER BY e."at" DESC, e."id" DESC LIMIT 1
) done ON true
WHERE fixed."at" IS NOT NULL AND f."merged_into_id" IS NULL;
