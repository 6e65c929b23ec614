import { index, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "../columns";
import { owningProjectId } from "../projects";

/** Requests with an `Idempotency-Key` and the first response to each, kept for a day. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    projectId: owningProjectId(),
    /** HMAC of the caller and the key: callers never collide, and the table reveals neither. */
    id: text("id").notNull(),
    /** HMAC of method, path and body. */
    fingerprint: text("fingerprint").notNull(),
    /** Identifies the request that owns the lease; a request that has lost it cannot store a response. */
    token: text("token").notNull(),
    leaseUntil: unixMs("lease_until").notNull(),
    /** HTTP status of the response; null while the request runs. */
    status: smallint("status"),
    /** The response, sealed with a key derived from the client's own: it may contain a secret that is shown once. */
    answer: text("answer"),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] }), index("idempotency_keys_created").on(t.createdAt)],
);
