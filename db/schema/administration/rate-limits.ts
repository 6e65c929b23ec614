import { doublePrecision, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { unixMs } from "../columns";
import { owningProjectId } from "../projects";

/** Token buckets. Processes reserve tokens in small batches and spend them from memory; a missing row is a full bucket. */
export const rateBuckets = pgTable(
  "rate_buckets",
  {
    projectId: owningProjectId(),
    /** What is limited, and for whom: `requests`, `requests:key_…`. */
    id: text("id").notNull(),
    /** Below zero after a request larger than the whole bucket. */
    tokens: doublePrecision("tokens").notNull(),
    /** Tokens granted to the last process that asked. */
    granted: doublePrecision("granted").notNull(),
    refilledAt: unixMs("refilled_at").notNull(),
  },
  // No index on the time: without one, an update rewrites one small row in place (HOT).
  (t) => [primaryKey({ columns: [t.projectId, t.id] })],
);
