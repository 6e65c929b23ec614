import { bigint, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { projectId, unixMs } from "./columns";
import { projects } from "./projects";

/** How much a project's rows take up, as last measured. */
export const storedSizes = pgTable(
  "stored_sizes",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    tableName: text("table_name").notNull(),
    rows: bigint("rows", { mode: "number" }).notNull(),
    /** Estimated: rows times the mean size of a sample, with the table's indexes in proportion. */
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    measuredAt: unixMs("measured_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.tableName] })],
);
