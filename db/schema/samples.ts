import { sql } from "drizzle-orm";
import { check, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "./columns";
import { SAMPLE_STATES } from "./enumerations";
import { projects } from "./projects";

/** Projects that hold the sample: no total counts them. A person has one at most. */
export const sampleProjects = pgTable(
  "sample_projects",
  {
    projectId: text("project_id")
      .primaryKey()
      .references(() => projects.id, { onDelete: "cascade" }),
    /** Who loaded it. No foreign key: the project outlives them. */
    loadedBy: text("loaded_by").notNull(),
    state: text("state", { enum: SAMPLE_STATES }).notNull(),
    /** Steps of its load that are done. */
    stepsDone: integer("steps_done").notNull().default(0),
    error: text("error"),
    /** Its conversations end here. */
    createdAt: createdAt(),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    uniqueIndex("sample_projects_once").on(t.loadedBy),
    check("sample_projects_finished", sql`(${t.state} = 'loading') = (${t.finishedAt} is null)`),
    check("sample_projects_failure_has_an_error", sql`(${t.state} = 'failed') = (${t.error} is not null)`),
  ],
);
