import type { Db } from "@/db/client";
import { jobEvents } from "@/db/schema";
import { newId } from "./ids";

/**
 * What waits in the outbox. `id` is what makes telling twice harmless: give one that names the fact
 * (`rule-runs:<backfill>:<page>`) when the caller itself may be repeated, and leave it out otherwise.
 */
export type OutgoingEvent = {
  name: string;
  /** Ids only: whoever handles the event reads the rest afresh. */
  data: object;
  id?: string | undefined;
  /** Unix ms. In the future: nothing runs before then. */
  ts?: number | undefined;
  /** Of an event made by its type: throws where the data is not what the type says. */
  validate?: () => Promise<void>;
};

/** As many rows as one statement takes without coming near Postgres' 65,535 parameters. */
const EVENTS_PER_STATEMENT = 1000;

/**
 * Stores events in the caller's transaction: they exist exactly when the change that caused them does. An id that is
 * there already is left alone. Answers the ids in order.
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

/** What an event says; one about another's failure or cancellation speaks of the event of that. */
export function projectOf(data: object): string | null {
  const { projectId, event } = data as { projectId?: unknown; event?: { data?: { projectId?: unknown } } };
  const found = projectId ?? event?.data?.projectId;
  return typeof found === "string" ? found : null;
}
