import { doublePrecision, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { projectId, unixMs } from "./columns";
import { projects } from "./projects";

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
