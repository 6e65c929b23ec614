ALTER TABLE "connections" ADD COLUMN "last_sequence" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "paused_at" bigint;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "sequence" bigint;--> statement-breakpoint
UPDATE "deliveries" SET "sequence" = "numbered"."sequence" FROM (
  SELECT "project_id", "id", row_number() OVER (PARTITION BY "project_id", "connection_id" ORDER BY "created_at", "id") AS "sequence"
  FROM "deliveries") AS "numbered"
WHERE "deliveries"."project_id" = "numbered"."project_id" AND "deliveries"."id" = "numbered"."id";--> statement-breakpoint
UPDATE "connections" SET "last_sequence" = "last"."sequence" FROM (
  SELECT "project_id", "connection_id", max("sequence") AS "sequence" FROM "deliveries" GROUP BY 1, 2) AS "last"
WHERE "connections"."project_id" = "last"."project_id" AND "connections"."id" = "last"."connection_id";--> statement-breakpoint
ALTER TABLE "deliveries" ALTER COLUMN "sequence" SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_sequence" ON "deliveries" USING btree ("project_id","connection_id","sequence");
