import { index, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { createdAt, projectId, unixMs } from "./columns";
import { projects } from "./projects";

/** Requests that carried an `Idempotency-Key`, and the first answer to each: kept for a day. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    /** HMAC of who sent the key and the key itself: two holders never meet, and the table names neither. */
    id: text("id").notNull(),
    /** HMAC of method, path and body. */
    fingerprint: text("fingerprint").notNull(),
    /** Of the request that works on it: what a request that lost its lease cannot answer under. */
    token: text("token").notNull(),
    leaseUntil: unixMs("lease_until").notNull(),
    /** HTTP status of the answer; null while the request runs. */
    status: smallint("status"),
    /** The answer, sealed with a key that is made of the client's own: it may hold a secret that is shown once. */
    answer: text("answer"),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] }), index("idempotency_keys_created").on(t.createdAt)],
);
