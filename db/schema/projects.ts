import { type AnyPgColumn, boolean, foreignKey, integer, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, projectId } from "./columns";

/** The tenant. Everything that a project owns is keyed by `(project_id, id)` and deleted with it. */
export const projects = pgTable("projects", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** Incremented by every change of the project's price definitions; part of cache keys. */
  pricingVersion: integer("pricing_version").notNull().default(0),
  /** Whether credentials are masked in message text too. */
  maskMessages: boolean("mask_messages").notNull().default(false),
  /** Whether what is said in the gateway's calls is stored. */
  gatewayContent: boolean("gateway_content").notNull().default(true),
  /** Whether members may share read-only copies with people outside the project. */
  shareLinks: boolean("share_links").notNull().default(false),
  createdAt: createdAt(),
});

/** The project of a row that is deleted with it. */
export const owningProjectId = () => projectId().references(() => projects.id, { onDelete: "cascade" });

type OfProject = { projectId: AnyPgColumn };

/** The same as a named foreign key, for tables whose others are named. */
export const ofProject = (name: string, t: OfProject) =>
  foreignKey({ name, columns: [t.projectId], foreignColumns: [projects.id] }).onDelete("cascade");

/** Returns a foreign key to a row of the same project. */
export const withinProject = (
  name: string,
  { projectId }: OfProject,
  column: AnyPgColumn,
  to: OfProject & { id: AnyPgColumn },
) => foreignKey({ name, columns: [projectId, column], foreignColumns: [to.projectId, to.id] });
