import { boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt } from "./columns";

/** The tenant. Everything that a project owns is keyed by `(project_id, id)` and falls with it. */
export const projects = pgTable("projects", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** Raised by every change of the project's price definitions: what caches of them are keyed by. */
  pricingVersion: integer("pricing_version").notNull().default(0),
  /** Whether credentials are masked in the text of messages as well. */
  maskMessages: boolean("mask_messages").notNull().default(false),
  createdAt: createdAt(),
});
