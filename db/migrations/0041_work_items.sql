CREATE TABLE "code_references" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"work_item_id" text NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"title" text NOT NULL,
	"state" text,
	"at" bigint NOT NULL,
	CONSTRAINT "code_references_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "handoff_rules" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"connection_id" text NOT NULL,
	"destination" text,
	"enabled" boolean NOT NULL,
	"min_severity" text NOT NULL,
	"rule_ids" text[] NOT NULL,
	"min_conversations" integer NOT NULL,
	"confirmed_only" boolean NOT NULL,
	"daily_limit" integer NOT NULL,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "handoff_rules_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "handoff_rules_conversations" CHECK ("handoff_rules"."min_conversations" >= 1),
	CONSTRAINT "handoff_rules_daily_limit" CHECK ("handoff_rules"."daily_limit" between 1 and 1000)
);
--> statement-breakpoint
CREATE TABLE "ticket_changes" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"work_item_id" text NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"external_state" text,
	"error" text,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"done_at" bigint,
	CONSTRAINT "ticket_changes_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "ticket_changes_done_at" CHECK (("ticket_changes"."state" = 'queued') = ("ticket_changes"."done_at" is null)),
	CONSTRAINT "ticket_changes_failure_has_an_error" CHECK ("ticket_changes"."state" <> 'failed' or "ticket_changes"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "tracker_cursors" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"connection_id" text NOT NULL,
	"destination" text NOT NULL,
	"changed_since" bigint NOT NULL,
	"polled_at" bigint,
	"due_at" bigint,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text,
	CONSTRAINT "tracker_cursors_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "tracker_deliveries" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"connection_id" text NOT NULL,
	"delivery_id" text NOT NULL,
	"event" text NOT NULL,
	"external_id" text,
	"destination" text,
	"work_item_id" text,
	"state" text NOT NULL,
	"error" text,
	"received_at" bigint NOT NULL,
	"processed_at" bigint,
	CONSTRAINT "tracker_deliveries_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "tracker_deliveries_failure_has_an_error" CHECK ("tracker_deliveries"."state" <> 'failed' or "tracker_deliveries"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "work_items" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"finding_id" text NOT NULL,
	"provider" text NOT NULL,
	"connection_id" text NOT NULL,
	"destination" text NOT NULL,
	"state" text NOT NULL,
	"external_id" text,
	"external_key" text,
	"url" text,
	"external_state" text,
	"external_updated_at" bigint,
	"error" text,
	"replaced_by_id" text,
	"handoff_rule_id" text,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"uncertain_since" bigint,
	"leased_until" bigint,
	"due_at" bigint,
	"read_requested_at" bigint,
	"created_at" bigint DEFAULT (extract(epoch from clock_timestamp()) * 1000)::bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"last_synced_at" bigint,
	CONSTRAINT "work_items_project_id_id_pk" PRIMARY KEY("project_id","id"),
	CONSTRAINT "work_items_ticket_whole" CHECK (num_nulls("work_items"."external_id", "work_items"."external_key", "work_items"."url", "work_items"."external_state", "work_items"."external_updated_at") in (0, 5)),
	CONSTRAINT "work_items_ticket_exists" CHECK ("work_items"."state" not in ('open', 'closed') or "work_items"."external_id" is not null),
	CONSTRAINT "work_items_failure_has_an_error" CHECK ("work_items"."state" <> 'failed' or "work_items"."error" is not null),
	CONSTRAINT "work_items_replacement" CHECK (("work_items"."state" = 'replaced') = ("work_items"."replaced_by_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "webhook_secret_sealed" text;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "webhook_secret_data_key" text;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "webhook_secret_ring_key" text;--> statement-breakpoint
ALTER TABLE "code_references" ADD CONSTRAINT "code_references_work_item" FOREIGN KEY ("project_id","work_item_id") REFERENCES "public"."work_items"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "handoff_rules" ADD CONSTRAINT "handoff_rules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "handoff_rules" ADD CONSTRAINT "handoff_rules_connection" FOREIGN KEY ("project_id","connection_id") REFERENCES "public"."connections"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_changes" ADD CONSTRAINT "ticket_changes_work_item" FOREIGN KEY ("project_id","work_item_id") REFERENCES "public"."work_items"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracker_cursors" ADD CONSTRAINT "tracker_cursors_connection" FOREIGN KEY ("project_id","connection_id") REFERENCES "public"."connections"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracker_deliveries" ADD CONSTRAINT "tracker_deliveries_connection" FOREIGN KEY ("project_id","connection_id") REFERENCES "public"."connections"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_items" ADD CONSTRAINT "work_items_finding" FOREIGN KEY ("project_id","finding_id") REFERENCES "public"."findings"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "code_references_once" ON "code_references" USING btree ("project_id","work_item_id","url");--> statement-breakpoint
CREATE INDEX "handoff_rules_newest" ON "handoff_rules" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "handoff_rules_connection_id" ON "handoff_rules" USING btree ("project_id","connection_id");--> statement-breakpoint
CREATE INDEX "ticket_changes_newest" ON "ticket_changes" USING btree ("project_id","work_item_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "ticket_changes_queued" ON "ticket_changes" USING btree ("project_id","work_item_id","created_at","id") WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX "tracker_cursors_connection_id" ON "tracker_cursors" USING btree ("project_id","connection_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tracker_deliveries_once" ON "tracker_deliveries" USING btree ("project_id","connection_id","delivery_id");--> statement-breakpoint
CREATE INDEX "tracker_deliveries_newest" ON "tracker_deliveries" USING btree ("project_id","received_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "tracker_deliveries_by_connection" ON "tracker_deliveries" USING btree ("project_id","connection_id","received_at" desc,"id" desc);--> statement-breakpoint
CREATE UNIQUE INDEX "work_items_linked" ON "work_items" USING btree ("project_id","finding_id") WHERE state in ('pending', 'open', 'closed', 'failed');--> statement-breakpoint
CREATE INDEX "work_items_finding_id" ON "work_items" USING btree ("project_id","finding_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "work_items_newest" ON "work_items" USING btree ("project_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "work_items_by_rule" ON "work_items" USING btree ("project_id","handoff_rule_id","created_at") WHERE handoff_rule_id is not null;--> statement-breakpoint
CREATE INDEX "work_items_due" ON "work_items" USING btree ("project_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "work_items_ticket" ON "work_items" USING btree ("project_id","connection_id","external_id");--> statement-breakpoint
CREATE INDEX "work_items_stale" ON "work_items" USING btree ("project_id","connection_id","last_synced_at") WHERE state in ('open', 'closed');--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_webhook_secret_ring_key_ring_keys_id_fk" FOREIGN KEY ("webhook_secret_ring_key") REFERENCES "public"."ring_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "connections_webhook_ring_key" ON "connections" USING btree ("webhook_secret_ring_key","project_id","id");--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_webhook_secret_whole" CHECK (num_nulls("connections"."webhook_secret_sealed", "connections"."webhook_secret_data_key", "connections"."webhook_secret_ring_key") in (0, 3));