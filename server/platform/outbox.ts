import type { Db } from "@/db/client";
import { jobEvents } from "@/db/schema";
import { newId } from "./ids";

/**
 * An event for the outbox. `id` makes emitting idempotent: give one that names the fact (`rule-runs:<backfill>:<page>`) when
 * the caller itself may be retried, and omit it otherwise.
 */
export type OutgoingEvent = {
  name: string;
  /** Ids only: the handler reads the current data. */
  data: object;
  id?: string | undefined;
  /** Unix ms. In the future, it delays the runs until then. */
  ts?: number | undefined;
  /** Set by typed events: throws when the data does not match the type's schema. */
  validate?: () => Promise<void>;
};

/** Stays well below Postgres's limit of 65,535 parameters. */
const EVENTS_PER_STATEMENT = 1000;

/**
 * Stores events in the caller's transaction, so that they exist exactly when the change that caused them does. Existing ids
 * are left alone. Returns the ids in order.
 */
export async function emit(db: Db, ...events: readonly OutgoingEvent[]): Promise<string[]> {
  for (const event of events) await event.validate?.();
  const rows = events.map((event) => ({
    id: event.id || newId("evt"),
    name: event.name,
    projectId: projectOf(event.data),
    data: event.data,
    ...(event.ts === undefined ? {} : { occurredAt: event.ts }),
  }));
  for (let from = 0; from < rows.length; from += EVENTS_PER_STATEMENT) {
    await db
      .insert(jobEvents)
      .values(rows.slice(from, from + EVENTS_PER_STATEMENT))
      .onConflictDoNothing();
  }
  return rows.map((row) => row.id);
}

/** Returns the project of an event's data; failure and cancellation events carry the original event inside. */
export function projectOf(data: object): string | null {
  const { projectId, event } = data as { projectId?: unknown; event?: { data?: { projectId?: unknown } } };
  const found = projectId ?? event?.data?.projectId;
  return typeof found === "string" ? found : null;
}
