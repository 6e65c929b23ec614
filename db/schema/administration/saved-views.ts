import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, projectId, unixMs } from "../columns";
import { SAVED_VIEW_LISTS } from "../enumerations";
import { owningProjectId, withinProject } from "../projects";
import { memberships } from "./identity";

/** A list's filters, order and columns, saved under a name: a member's own, or shared with the project. */
export const savedViews = pgTable(
  "saved_views",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    list: text("list", { enum: SAVED_VIEW_LISTS }).notNull(),
    /** Whose it is; null if shared with the project. */
    userId: text("user_id"),
    name: text("name").notNull(),
    /** The page's query string without `?`. */
    query: text("query").notNull(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    // A member's own views are deleted with their membership.
    foreignKey({
      name: "saved_views_member",
      columns: [t.projectId, t.userId],
      foreignColumns: [memberships.projectId, memberships.userId],
    }).onDelete("cascade"),
    uniqueIndex("saved_views_name").on(t.projectId, t.list, sql`coalesce(user_id, '')`, sql`lower(name)`),
    index("saved_views_user").on(t.projectId, t.userId),
  ],
);

/** The saved charts on a member's Home, in the order of their own. */
export const pinnedCharts = pgTable(
  "pinned_charts",
  {
    projectId: projectId(),
    userId: text("user_id").notNull(),
    savedViewId: text("saved_view_id").notNull(),
    /** From 0. */
    place: integer("place").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.userId, t.savedViewId] }),
    foreignKey({
      name: "pinned_charts_member",
      columns: [t.projectId, t.userId],
      foreignColumns: [memberships.projectId, memberships.userId],
    }).onDelete("cascade"),
    withinProject("pinned_charts_view", t, t.savedViewId, savedViews).onDelete("cascade"),
    index("pinned_charts_view_id").on(t.projectId, t.savedViewId),
    check("pinned_charts_place", sql`${t.place} >= 0`),
  ],
);
