import { sql } from "drizzle-orm";
import { check, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "./columns";
import { SAMPLE_STATES } from "./enumerations";
import { projects } from "./projects";

/** Projects that contain the sample data, which no total includes. A person has at most one. */
export const sampleProjects = pgTable(
  "sample_projects",
  {
    projectId: text("project_id")
      .primaryKey()
      .references(() => projects.id, { onDelete: "cascade" }),
    /** Who loaded it. No foreign key: the project outlives them. */
    loadedBy: text("loaded_by").notNull(),
    state: text("state", { enum: SAMPLE_STATES }).notNull(),
    /** Completed steps of its loading. */
    stepsDone: integer("steps_done").notNull().default(0),
    error: text("error"),
    /** Its conversations end at this time. */
    createdAt: createdAt(),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    uniqueIndex("sample_projects_once").on(t.loadedBy),
    check("sample_projects_finished", sql`(${t.state} = 'loading') = (${t.finishedAt} is null)`),
    check("sample_projects_failure_has_an_error", sql`(${t.state} = 'failed') = (${t.error} is not null)`),
  ],
);
