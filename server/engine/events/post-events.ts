import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import type { Inngest } from "inngest";
import type { Db } from "@/db/client";
import { allowNetworkUnderLock } from "@/db/inside-transaction";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { jobEvents } from "@/db/schema/engine";
import { logger } from "@/server/platform/logging/log";

const EVENTS_PER_POST = 100;
/** Back-off for an event that the server refuses while it accepts others. */
const REFUSED_RETRY_MS = 60_000;

type Row = typeof jobEvents.$inferSelect;

/**
 * Posts the oldest pending events to an Inngest server. Returns the number processed; throws if the server accepted none. An
 * event is marked in the transaction that locks it while it is posted; one that is posted again after a crash has the same id,
 * and the server ignores it.
 */
export const postEvents = (db: Db, client: Inngest.Any): Promise<number> =>
  db.transaction(async (tx) => {
    const rows = await tx
      .select()
      .from(jobEvents)
      .where(and(isNull(jobEvents.dispatchedAt), lte(jobEvents.retryAt, NOW)))
      .orderBy(asc(jobEvents.seq))
      .limit(EVENTS_PER_POST)
      .for("update", { skipLocked: true });
    if (rows.length === 0) return 0;
    const accepted = await post(tx, client, rows);
    await tx.update(jobEvents).set({ dispatchedAt: NOW }).where(isOneOf(jobEvents.id, accepted));
    return rows.length;
  });

/** Posts events as a batch and, if that is refused, one by one, so that a bad event does not block the others. */
async function post(tx: Db, client: Inngest.Any, rows: readonly Row[]): Promise<string[]> {
  // The rows stay locked during the request, so that no other process sends them too.
  const send = (sent: readonly Row[]) => allowNetworkUnderLock(() => client.send(sent.map(asEvent)));
  try {
    await send(rows);
    return rows.map(({ id }) => id);
  } catch (error) {
    if (rows.length === 1) throw error;
  }
  const accepted: string[] = [];
  const refused: string[] = [];
  let reason: unknown;
  for (const row of rows) {
    try {
      await send([row]);
      accepted.push(row.id);
    } catch (error) {
      reason = error;
      refused.push(row.id);
      // The first events also failed individually: the server itself is unreachable.
      if (accepted.length === 0 && refused.length > 1) throw error;
    }
  }
  for (const id of refused) {
    logger("jobs").error({ event: id, err: reason }, "The Inngest server refused an event; it will be retried.");
    await tx
      .update(jobEvents)
      .set({ retryAt: sql`${NOW} + ${REFUSED_RETRY_MS}` })
      .where(eq(jobEvents.id, id));
  }
  return accepted;
}

const asEvent = ({ id, name, data, occurredAt }: Row) => ({
  id,
  name,
  data: data as Record<string, unknown>,
  ts: occurredAt,
});
