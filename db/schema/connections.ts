import { desc, sql } from "drizzle-orm";
import { bigint, check, index, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { ringKeys } from "./administration/ring-keys";
import { createdAt, unixMs } from "./columns";
import { CONNECTION_KINDS } from "./enumerations";
import { owningProjectId } from "./projects";

/** An outside service that a project talks to, with its credential. */
export const connections = pgTable(
  "connections",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    kind: text("kind", { enum: CONNECTION_KINDS }).notNull(),
    name: text("name").notNull(),
    baseUrl: text("base_url").notNull(),
    settings: jsonb("settings").$type<Record<string, unknown>>().notNull(),
    /** The secret, sealed with a data key of its own; that key, wrapped; and the ring key that wraps it. All null without a secret. */
    secretSealed: text("secret_sealed"),
    secretDataKey: text("secret_data_key"),
    secretRingKey: text("secret_ring_key").references(() => ringKeys.id),
    /** The secret with which a tracker signs its webhook deliveries, sealed in the same way. */
    webhookSecretSealed: text("webhook_secret_sealed"),
    webhookSecretDataKey: text("webhook_secret_data_key"),
    webhookSecretRingKey: text("webhook_secret_ring_key").references(() => ringKeys.id),
    /** The number of the last notification that was queued for it: each has the next one. */
    lastSequence: bigint("last_sequence", { mode: "number" }).notNull().default(0),
    /** Since when no notifications are sent to it, because it accepted none for a day. */
    pausedAt: unixMs("paused_at"),
    /** What new tickets get in a tracker's own fields, by destination and field id. */
    ticketFields: jsonb("ticket_fields")
      .$type<Record<string, Record<string, string | number | string[]>>>()
      .notNull()
      .default({}),
    lastTest: jsonb("last_test").$type<{ ok: boolean; at: number; problems: string[] }>(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("connections_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("connections_ring_key").on(t.secretRingKey, t.projectId, t.id),
    index("connections_webhook_ring_key").on(t.webhookSecretRingKey, t.projectId, t.id),
    check(
      "connections_webhook_secret_whole",
      sql`num_nulls(${t.webhookSecretSealed}, ${t.webhookSecretDataKey}, ${t.webhookSecretRingKey}) in (0, 3)`,
    ),
    check(
      "connections_secret_whole",
      sql`num_nulls(${t.secretSealed}, ${t.secretDataKey}, ${t.secretRingKey}) in (0, 3)`,
    ),
  ],
);
