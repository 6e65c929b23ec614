import { boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt } from "./columns";

/** The tenant. Everything that a project owns is keyed by `(project_id, id)` and deleted with it. */
export const projects = pgTable("projects", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** Incremented by every change of the project's price definitions; part of cache keys. */
  pricingVersion: integer("pricing_version").notNull().default(0),
  /** Whether credentials are masked in message text too. */
  maskMessages: boolean("mask_messages").notNull().default(false),
  createdAt: createdAt(),
});
