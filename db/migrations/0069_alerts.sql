CREATE TABLE "alert_channels" (
	"project_id" text NOT NULL,
	"alert_id" text NOT NULL,
	"connection_id" text NOT NULL,
	CONSTRAINT "alert_channels_project_id_alert_id_connection_id_pk" PRIMARY KEY("project_id","alert_id","connection_id")
);
--> statement-breakpoint
CREATE TABLE "alert_firings" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"alert_id" text NOT NULL,
	"fired_at" bigint NOT NULL,
	"value" double precision NOT NULL,
	"limit_value" double precision NOT NULL,
	"count" integer,
	"cleared_at" bigint,
	"cleared_value" double precision,
	"cleared_limit" double precision,
	"cleared_count" integer,
	CONSTRAINT "alert_firings_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "alert_firings_cleared" CHECK ("alert_firings"."cleared_at" is not null or "alert_firings"."cleared_value" is null)
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"enabled" boolean NOT NULL,
	"measure" text NOT NULL,
	"model" text,
	"label" text,
	"condition" text NOT NULL,
	"limit" double precision NOT NULL,
	"window_minutes" integer NOT NULL,
	"min_count" integer NOT NULL,
	"mail_members" boolean NOT NULL,
	"state" text DEFAULT 'no_data' NOT NULL,
	"streak" integer DEFAULT 0 NOT NULL,
	"evaluated_at" bigint,
	"value" double precision,
	"count" integer,
	"limit_value" double precision,
	"calibrated_day" bigint,
	"factor" double precision,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "alerts_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "alerts_limit" CHECK ("alerts"."limit" > 0),
	CONSTRAINT "alerts_window" CHECK ("alerts"."window_minutes" between 5 and 1440),
	CONSTRAINT "alerts_min_count" CHECK ("alerts"."min_count" >= 0),
	CONSTRAINT "alerts_silence_is_compared_with_a_limit" CHECK ("alerts"."measure" <> 'silence' or "alerts"."condition" = 'threshold')
);
--> statement-breakpoint
CREATE TABLE "minute_calls" (
	"project_id" text NOT NULL,
	"id" bigserial NOT NULL,
	"minute" bigint NOT NULL,
	"model" text NOT NULL,
	"labels" text[] NOT NULL,
	"calls" bigint NOT NULL,
	"errors" bigint NOT NULL,
	"unpriced_calls" bigint NOT NULL,
	"cost" numeric NOT NULL,
	"durations" jsonb NOT NULL,
	"folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "minute_calls_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "alert_firing_id" text;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "alert_event" text;--> statement-breakpoint
ALTER TABLE "alert_channels" ADD CONSTRAINT "alert_channels_alert" FOREIGN KEY ("project_id","alert_id") REFERENCES "public"."alerts"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_channels" ADD CONSTRAINT "alert_channels_connection" FOREIGN KEY ("project_id","connection_id") REFERENCES "public"."connections"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_firings" ADD CONSTRAINT "alert_firings_alert" FOREIGN KEY ("project_id","alert_id") REFERENCES "public"."alerts"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minute_calls" ADD CONSTRAINT "minute_calls_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_channels_connection_id" ON "alert_channels" USING btree ("project_id","connection_id");--> statement-breakpoint
CREATE INDEX "alert_firings_newest" ON "alert_firings" USING btree ("project_id","alert_id","fired_at" desc,"id" desc);--> statement-breakpoint
CREATE UNIQUE INDEX "alert_firings_open" ON "alert_firings" USING btree ("project_id","alert_id") WHERE cleared_at is null;--> statement-breakpoint
CREATE INDEX "alerts_newest" ON "alerts" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "minute_calls_minute" ON "minute_calls" USING btree ("project_id","minute");--> statement-breakpoint
CREATE INDEX "minute_calls_loose" ON "minute_calls" USING btree ("id") WHERE not folded;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_alert_firing" FOREIGN KEY ("project_id","alert_firing_id") REFERENCES "public"."alert_firings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_alert_once" ON "deliveries" USING btree ("project_id","alert_firing_id","alert_event","connection_id");--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_of_an_alert" CHECK (("deliveries"."alert_firing_id" is null) = ("deliveries"."alert_event" is null));--> statement-breakpoint
INSERT INTO "minute_calls" ("project_id", "minute", "model", "labels", "calls", "errors", "unpriced_calls", "cost", "durations", "folded")
WITH calls AS MATERIALIZED (
	SELECT "project_id", ("started_at" / 60000) * 60000 AS "minute",
		coalesce(nullif("response_model", ''), "requested_model", '') AS "model", "labels", "status", "cost_total",
		CASE WHEN "ended_at" - "started_at" < 1 THEN 0
			ELSE least(250, 1 + floor(ln(("ended_at" - "started_at")::float8) / ln(1.1::float8))::int) END AS "bucket"
	FROM "model_calls"
	WHERE "started_at" >= (extract(epoch from clock_timestamp()) * 1000)::bigint - 60 * 86400000::bigint
)
SELECT c.*, b."durations", true
FROM (
	SELECT "project_id", "minute", "model", "labels", count(*), count(*) FILTER (WHERE "status" = 'error'),
		count(*) FILTER (WHERE "cost_total" IS NULL), coalesce(sum("cost_total"), 0)
	FROM calls GROUP BY 1, 2, 3, 4
) c JOIN (
	SELECT "project_id", "minute", "model", "labels", jsonb_object_agg("bucket", "calls") AS "durations" FROM (
		SELECT "project_id", "minute", "model", "labels", "bucket", count(*) AS "calls" FROM calls GROUP BY 1, 2, 3, 4, 5
	) n GROUP BY 1, 2, 3, 4
) b USING ("project_id", "minute", "model", "labels");
