CREATE TABLE "job_engine" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"engine" text NOT NULL,
	"before" text,
	"changed_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "job_engine_one" CHECK ("job_engine"."id" = 1)
);
