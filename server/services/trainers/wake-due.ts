import { and, asc, eq, lte, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { inTransaction } from "@/server/platform/context";
import { emit } from "@/server/platform/outbox";

/** Maximum rows per pass. */
const WAKE_MAX = 200;
/** Longer than a turn takes; a row whose turn died is woken again. */
const WAKE_AGAIN_MS = 60_000;

type DueTable = PgTable & { projectId: PgColumn; id: PgColumn; dueAt: PgColumn };
type Event = Parameters<typeof emit>[1];

/** Emits an event for the due rows of all projects, oldest first: the original events can be lost with their workers. */
export const wakeDue = (
  db: Db,
  table: DueTable,
  event: (row: { projectId: string; id: string }) => Event,
): Promise<number> =>
  inTransaction({ db }, async ({ db: tx }) => {
    const due = tx
      .select({ projectId: table.projectId, id: table.id })
      .from(table)
      .where(lte(table.dueAt, NOW))
      .orderBy(asc(table.dueAt))
      .limit(WAKE_MAX)
      .for("update", { skipLocked: true })
      .as("due");
    const woken = (await tx
      .update(table)
      .set({ dueAt: sql`${NOW} + ${WAKE_AGAIN_MS}::bigint` } as never)
      .from(due)
      .where(and(eq(table.projectId, due.projectId), eq(table.id, due.id)))
      .returning({ projectId: table.projectId, id: table.id })) as { projectId: string; id: string }[];
    await emit(tx, ...woken.map(event));
    return woken.length;
  });
