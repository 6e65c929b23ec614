CREATE TABLE "deliveries" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"connection_id" text NOT NULL,
	"notice_count" integer NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"last_attempt_at" bigint,
	"delivered_at" bigint,
	CONSTRAINT "deliveries_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "deliveries_delivered_at" CHECK (("deliveries"."state" = 'delivered') = ("deliveries"."delivered_at" is not null)),
	CONSTRAINT "deliveries_failure_has_an_error" CHECK ("deliveries"."state" <> 'failed' or "deliveries"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"connection_id" text NOT NULL,
	"finding_id" text NOT NULL,
	"finding_event_id" text NOT NULL,
	"kind" text NOT NULL,
	"delivery_id" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	CONSTRAINT "notices_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "notification_rules" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"connection_id" text NOT NULL,
	"enabled" boolean NOT NULL,
	"kinds" text[] NOT NULL,
	"min_severity" text NOT NULL,
	"rule_ids" text[] NOT NULL,
	"min_conversations" integer NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "notification_rules_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "notification_rules_conversations" CHECK ("notification_rules"."min_conversations" >= 1)
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_connection" FOREIGN KEY ("project_id","connection_id") REFERENCES "public"."connections"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_connection" FOREIGN KEY ("project_id","connection_id") REFERENCES "public"."connections"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_delivery" FOREIGN KEY ("project_id","delivery_id") REFERENCES "public"."deliveries"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_rules" ADD CONSTRAINT "notification_rules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_rules" ADD CONSTRAINT "notification_rules_connection" FOREIGN KEY ("project_id","connection_id") REFERENCES "public"."connections"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_newest" ON "deliveries" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "deliveries_connection_id" ON "deliveries" USING btree ("project_id","connection_id","created_at" desc);--> statement-breakpoint
CREATE UNIQUE INDEX "notices_once" ON "notices" USING btree ("project_id","connection_id","finding_event_id");--> statement-breakpoint
CREATE INDEX "notices_finding_id" ON "notices" USING btree ("project_id","finding_id");--> statement-breakpoint
CREATE INDEX "notices_delivery_id" ON "notices" USING btree ("project_id","delivery_id");--> statement-breakpoint
CREATE INDEX "notices_waiting" ON "notices" USING btree ("project_id","connection_id","created_at") WHERE delivery_id is null;--> statement-breakpoint
CREATE INDEX "notification_rules_newest" ON "notification_rules" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "notification_rules_connection_id" ON "notification_rules" USING btree ("project_id","connection_id");--> statement-breakpoint
CREATE INDEX "finding_events_announced" ON "finding_events" USING btree ("project_id","at") WHERE kind in ('created', 'returned', 'regressed', 'escalating');