import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "@/server/platform/context";
import { MINUTE_MS, SECOND_MS } from "@/server/platform/durations";
import { knownError } from "@/server/platform/logging/known-error";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { receiveOwnTraces } from "@/server/services/telemetry";
import { endProgress, removeProgress } from "./calls-in-progress";

/** A call that has ended: its id as one in progress, and its spans as elements of OTLP's `resourceSpans`. */
export type EndedCall = { id: string; text: () => Promise<string> };

type Waiting = EndedCall & { done: () => void };
type Queue = { ctx: Ctx; calls: Waiting[] };
type Ready = { text: string; rowIds: readonly string[] };

/** Of one batch, unless a single call has more. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** How long calls wait for a database that fails. Only those that were in progress end meanwhile: no other can begin. */
const OUTAGE_MS = 5 * MINUTE_MS;
/** Well within the lease of a call in progress, so that it is stored before it counts as interrupted. */
const RETRY_MS = SECOND_MS;

/** Calls that wait while others of the same project and key are stored. */
const queues = new Map<string, Queue>();

/**
 * Stores a call as telemetry, through the same path as an application's own, together with those that have ended while the
 * last ones were stored. Never rejects: a call that cannot be stored is logged.
 */
export function storeCall(ctx: Ctx, call: EndedCall): Promise<void> {
  const key = JSON.stringify([ctx.projectId, ctx.actor]);
  return new Promise((done) => {
    const known = queues.get(key);
    if (known) return void known.calls.push({ ...call, done });
    const queue = { ctx, calls: [{ ...call, done }] };
    queues.set(key, queue);
    void empty(queue, () => queues.delete(key));
  });
}

async function empty({ ctx, calls }: Queue, onEmpty: () => void) {
  // The last bytes of the answer are sent first.
  await nextTurn();
  while (calls.length > 0) {
    const taken: Waiting[] = [];
    const batch: Ready[] = [];
    for (let characters = 0; calls.length > 0 && characters < BATCH_CHARACTERS; ) {
      const call = calls.shift() as Waiting;
      taken.push(call);
      const ready = await readyCall(ctx, call);
      if (ready) batch.push(ready);
      characters += ready?.text.length ?? 0;
    }
    await storeBatch(ctx, batch);
    for (const { done } of taken) done();
  }
  // In the same turn as the check above, so that no call joins a queue that nobody empties.
  onEmpty();
}

async function readyCall(ctx: Ctx, { id, text }: EndedCall): Promise<Ready | null> {
  try {
    const rowIds = await endProgress(ctx, id);
    return { rowIds, text: await text() };
  } catch (error) {
    report(error);
    return null;
  }
}

/**
 * The row of a call in progress goes once the call is stored. If the process dies between the two, the call is recorded again
 * under the same ids, which changes nothing; if it cannot be stored now, it is recorded later as interrupted.
 */
async function storeBatch(ctx: Ctx, batch: readonly Ready[]): Promise<void> {
  if (batch.length === 0) return;
  const texts = batch.map(({ text }) => text);
  try {
    await duringOutages(async () => {
      await receiveOwnTraces(ctx, Buffer.from(`{"resourceSpans":[${texts.join()}]}`));
      await removeProgress(
        ctx,
        batch.flatMap(({ rowIds }) => rowIds),
      );
    });
  } catch (error) {
    if (batch.length === 1 || isOutage(error)) return report(error, batch.length);
    // One that cannot be stored must not take the others along.
    for (const one of batch) await storeBatch(ctx, [one]);
  }
}

const isOutage = (error: unknown) => knownError(error)?.code === "unavailable";

/** Repeats work, which may be done twice, while the database fails. */
async function duringOutages(work: () => Promise<void>): Promise<void> {
  const until = performance.now() + OUTAGE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || performance.now() > until) throw error;
      await sleep(RETRY_MS);
    }
  }
}

const report = (error: unknown, calls = 1) =>
  logger("gateway").error(
    { err: loggable(error), calls },
    "Calls could not be recorded: they are lost, or interrupted.",
  );
