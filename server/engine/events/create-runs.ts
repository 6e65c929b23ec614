import { and, eq, gt, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { type JobEvent, jobRuns } from "@/db/schema/engine";
import { newId } from "@/server/platform/ids";
import { projectOf } from "@/server/platform/outbox";
import type { Definition } from "../functions/definitions";
import { keyOf, numberOf } from "../functions/expressions";

/** As on the Inngest server: priority moves a run by at most ten minutes in the queue. */
const MAX_PRIORITY_SECONDS = 600;

/** How long a second event with the same idempotency key is ignored. */
const IDEMPOTENCY_MS = 24 * 3600 * 1000;

type Order = { definition: Definition; event: JobEvent; id?: string };

/**
 * Queues a run of each function for its event, in the caller's transaction. Idempotent per event and function, and per
 * idempotency key.
 */
export async function createRuns(db: Db, orders: readonly Order[], now: number): Promise<void> {
  const rows: (typeof jobRuns.$inferInsert)[] = [];
  for (const order of orders) {
    const row = rowOf(order, now);
    if (row.idempotencyKey && (await ranRecently(db, row.functionId, row.idempotencyKey, now))) continue;
    if (row.idempotencyKey) await db.insert(jobRuns).values(row).onConflictDoNothing();
    else rows.push(row);
  }
  if (rows.length > 0) await db.insert(jobRuns).values(rows).onConflictDoNothing();
}

function rowOf({ definition, event, id }: Order, now: number) {
  const scope = { event };
  const projectId = projectOf(event.data);
  const concurrencyKeys = definition.concurrency.map((rule) => ({
    key: `${rule.scope}=${keyOf(rule.key, scope)}`,
    limit: rule.limit,
  }));
  const priority = numberOf(definition.priority, scope, -MAX_PRIORITY_SECONDS, MAX_PRIORITY_SECONDS);
  const dueAt = Math.max(now, event.ts);
  return {
    id: id ?? newId("jr"),
    projectId,
    functionId: definition.id,
    eventId: event.id,
    event,
    state: "queued" as const,
    maxAttempts: definition.maxAttempts,
    priority,
    callAt: dueAt,
    dueAt,
    queueAt: queueTime(dueAt, priority),
    lane: JSON.stringify([projectId ?? "", definition.id, ...concurrencyKeys.map(({ key }) => key)]),
    concurrencyKeys,
    idempotencyKey: definition.idempotency ? keyOf(definition.idempotency, scope) : null,
  };
}

export const queueTime = (dueAt: number, priority: number) => dueAt - priority * 1000;

/** Holds the key's lock until the transaction ends, so that two dispatchers cannot both find nothing. */
async function ranRecently(db: Db, functionId: string, key: string, now: number) {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${functionId}\n${key}`}, 0))`);
  const [earlier] = await db
    .select({ id: jobRuns.id })
    .from(jobRuns)
    .where(
      and(
        eq(jobRuns.functionId, functionId),
        eq(jobRuns.idempotencyKey, key),
        gt(jobRuns.createdAt, now - IDEMPOTENCY_MS),
      ),
    )
    .limit(1);
  return earlier !== undefined;
}
