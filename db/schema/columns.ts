import { bigint, customType, text } from "drizzle-orm/pg-core";
import { parseExactJson } from "@/server/platform/json/exact-json";
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

type WithTools = { input?: { tools?: unknown } };

/**
 * Returns an Example's payload as it is stored: its tools as their JSON text, because `jsonb` sorts the keys of objects and
 * chat templates do not. A payload that is already in this form is returned as it is.
 */
export function storedPayload(payload: unknown): unknown {
  const input = (payload as WithTools | null)?.input;
  if (input?.tools === undefined || typeof input.tools === "string") return payload;
  return { ...(payload as object), input: { ...input, tools: JSON.stringify(input.tools) } };
}

/** Returns a stored payload with its tools as they were sent. Those of Examples stored before are in `jsonb`'s order. */
export function payloadOfStored(stored: unknown): unknown {
  const input = (stored as WithTools | null)?.input;
  if (typeof input?.tools !== "string") return stored;
  return { ...(stored as object), input: { ...input, tools: parseExactJson(input.tools) } };
}

/** A payload of `chat/v1`. Statements that read the column themselves have to call `payloadOfStored`. */
export const chatPayload = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => "jsonb",
  toDriver: (payload) => JSON.stringify(storedPayload(payload)),
  fromDriver: payloadOfStored,
});

/** Who asked for it or did it: a person, a key or a job. No foreign key, because the row outlives them. */
export const actor = () => ({
  actorKind: text("actor_kind", { enum: ACTOR_KINDS }).notNull(),
  actorId: text("actor_id"),
});
