import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "../columns";
import { owningProjectId } from "../projects";

export const apiKeys = pgTable(
  "api_keys",
  {
    projectId: owningProjectId(),
    /** The `<id>` in `whet_<id>_<secret><checksum>`, with the `key_` prefix. */
    id: text("id").notNull(),
    name: text("name").notNull(),
    /** HMAC-SHA-256 of the whole key under WHETSTONE_SECRET, hex. */
    hash: text("hash").notNull(),
    /** The last four characters of the secret, to distinguish keys on screen. */
    hint: text("hint").notNull(),
    capabilities: text("capabilities").array().notNull(),
    expiresAt: unixMs("expires_at"),
    lastUsedAt: unixMs("last_used_at"),
    revokedAt: unixMs("revoked_at"),
    createdBy: text("created_by"),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] }), index("api_keys_id").on(t.id)],
);
