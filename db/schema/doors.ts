import { doublePrecision, index, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
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

/** Token buckets. Processes take tokens by the handful and spend them from memory; a missing row is a full bucket. */
export const rateBuckets = pgTable(
  "rate_buckets",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    /** What is counted and whose: `requests`, `requests:key_…`. */
    id: text("id").notNull(),
    /** Below zero after a request that was larger than the whole bucket. */
    tokens: doublePrecision("tokens").notNull(),
    /** What the last process to ask was given. */
    granted: doublePrecision("granted").notNull(),
    refilledAt: unixMs("refilled_at").notNull(),
  },
  // No index on the time: with none, an update rewrites one small row in place.
  (t) => [primaryKey({ columns: [t.projectId, t.id] })],
);
