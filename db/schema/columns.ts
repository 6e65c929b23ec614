import { bigint, text } from "drizzle-orm/pg-core";
import { NOW } from "../now";
import { ACTOR_KINDS } from "./enumerations";

/**
 * A time in Unix milliseconds. A bigint rather than a timestamptz, so that stored values equal those of the API: keyset
 * cursors compare exactly and time zones cannot interfere.
 */
export const unixMs = <Name extends string>(name: Name) => bigint(name, { mode: "number" });

/** The row's insertion time, by the database's clock. */
export const createdAt = () => unixMs("created_at").notNull().default(NOW);

export const projectId = () => text("project_id").notNull();

/** Who asked for it or did it: a person, a key or a job. No foreign key, because the row outlives them. */
export const actor = () => ({
  actorKind: text("actor_kind", { enum: ACTOR_KINDS }).notNull(),
  actorId: text("actor_id"),
});
