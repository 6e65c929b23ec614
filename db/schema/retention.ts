import { sql } from "drizzle-orm";
import { check, integer, pgTable, text } from "drizzle-orm/pg-core";
import { unixMs } from "./columns";
import { projects } from "./projects";

/** How long a project keeps conversations. Without a row, or without days, it keeps them forever. */
export const retentionSettings = pgTable(
  "retention_settings",
  {
    projectId: text("project_id")
      .primaryKey()
      .references(() => projects.id, { onDelete: "cascade" }),
    days: integer("days"),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [check("retention_settings_floor", sql`${t.days} >= 1`)],
);
