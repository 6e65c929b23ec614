import { and, asc, eq, isNull, lte, notLike, sql } from "drizzle-orm";
import type { Inngest } from "inngest";
import type { Db } from "@/db/client";
import { allowNetworkUnderLock } from "@/db/inside-transaction";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { jobEvents } from "@/db/schema/engine";
import { logger } from "@/server/platform/logging/log";
import { createPause } from "../runs/pause";
import { reap } from "../runs/reap";
import { INTERNAL_EVENTS } from "./hand-over";
import { createOutage } from "./outage";

export type ForwarderOptions = {
  db: Db;
  client: Inngest.Any;
  pollMs?: number;
  /** Takes over runs that the embedded engine left behind or an owner replayed: nothing else here would run them. */
  takeOver: () => Promise<unknown>;
  takeOverEveryMs?: number;
};
export type Forwarder = { stop(): Promise<void> };

const POLL_MS = 200;
const EVENTS_PER_POST = 100;
/** Back-off for an event that the server refuses while it accepts others. */
const REFUSED_RETRY_MS = 60_000;
const HOUSEKEEPING_MS = 600_000;
const TAKE_OVER_MS = 5000;

/**
 * Forwards the outbox to an Inngest server that runs the functions. An event is marked in the transaction that locks it while
 * it is posted; one that is posted again after a crash has the same id, and the server ignores it.
 */
export function startForwarder(options: ForwarderOptions): Forwarder {
  const { db, client, pollMs = POLL_MS, takeOver, takeOverEveryMs = TAKE_OVER_MS } = options;
  const log = logger("jobs");
  const outage = createOutage("The Inngest server (or the database)", log);
  const pause = createPause();
  let stopping = false;
  let housekeptAt = Number.NEGATIVE_INFINITY;
  let tookOverAt = Number.NEGATIVE_INFINITY;

  async function work() {
    while (!stopping) {
      try {
        if (performance.now() - housekeptAt >= HOUSEKEEPING_MS) {
          await reap(db);
          housekeptAt = performance.now();
        }
        if (performance.now() - tookOverAt >= takeOverEveryMs) {
          await takeOver();
          tookOverAt = performance.now();
        }
        const count = await forwardEvents(db, client);
        outage.worked();
        if (count === 0) await pause.wait(pollMs);
      } catch (error) {
        await pause.wait(outage.failed(error));
      }
    }
  }
  const working = work();
  return {
    async stop() {
      stopping = true;
      pause.wake();
      await working;
    },
  };
}

type Row = typeof jobEvents.$inferSelect;

/** Posts the oldest pending events. Returns the number processed; throws if the server accepted none. */
export const forwardEvents = (db: Db, client: Inngest.Any): Promise<number> =>
  db.transaction(async (tx) => {
    const rows = await tx
      .select()
      .from(jobEvents)
      .where(and(isNull(jobEvents.dispatchedAt), lte(jobEvents.retryAt, NOW), notLike(jobEvents.name, INTERNAL_EVENTS)))
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
