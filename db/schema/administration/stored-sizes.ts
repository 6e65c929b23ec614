import { bigint, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { unixMs } from "../columns";
import { owningProjectId } from "../projects";

/** The size of a project's rows, as last measured. */
export const storedSizes = pgTable(
  "stored_sizes",
  {
    projectId: owningProjectId(),
    tableName: text("table_name").notNull(),
    rows: bigint("rows", { mode: "number" }).notNull(),
    /** Estimated: row count times the mean size of a sample, plus a proportional share of the indexes. */
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    measuredAt: unixMs("measured_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.tableName] })],
);
