import { bigint, text } from "drizzle-orm/pg-core";
import { NOW } from "../now";

/**
 * A time in Unix milliseconds. Stored as a bigint and not as a timestamptz: what the interface speaks is what is kept,
 * so a keyset cursor compares exactly and no time zone can come between.
 */
export const unixMs = <Name extends string>(name: Name) => bigint(name, { mode: "number" });

/** The time of the row's insertion, by the database's clock. */
export const createdAt = () => unixMs("created_at").notNull().default(NOW);

export const projectId = () => text("project_id").notNull();
