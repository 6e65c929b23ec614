import { and, asc, eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { deletionReceipts, projects } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { type HousekeepingDue, housekeepingDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { addCounts, completeReceipt, deleteBatch, openReceipt, readReceipt } from "@/server/services/deletion";
import {
  deleteBaselinesBefore,
  deleteExpiredAdjudications,
  deleteOldTrackerDeliveries,
} from "@/server/services/diagnostics";
import { eraseFilesBefore } from "@/server/services/files";
import { deleteOldAssignments, deleteOldSpending } from "@/server/services/gateway";
import { deleteOldMinutes } from "@/server/services/notifications";
import { deleteExpiredCopies } from "@/server/services/sharing";
import {
  CHUNKS_AT_A_TIME,
  deleteOldRefusals,
  deleteReceiptsBefore,
  deleteUnassignedBefore,
  deleteUnusedContent,
  deleteUnusedSources,
  deleteWaitingFeedback,
  WAITING_DAYS,
} from "@/server/services/telemetry";
import { cutoffOf, dayOf, expiredBefore, housekeepingId, readRetention } from "./retention";

/** Senders look up batch receipts for at most a month. */
const RECEIPTS_KEPT_DAYS = 30;
const ROWS_A_STATEMENT = 1_000;
/** Uploaded files are raw material; what was imported from them follows the project's retention. */
const IMPORTS_KEPT_DAYS = 30;
const FILES_AT_A_TIME = 20;

/** Queues each project's housekeeping for the day, idempotent per project and day, and deletes what is stored for hours only. */
export async function scheduleHousekeeping(db: Db, at?: number): Promise<{ projects: number }> {
  await deleteOldRefusals(db);
  const rows = await db.select({ id: projects.id }).from(projects).orderBy(asc(projects.id));
  const day = dayOf(at ?? (await databaseNow(db)));
  await emit(
    db,
    ...rows.map(({ id }) => ({
      ...housekeepingDue.create({ projectId: id, day, turn: 0 }),
      id: housekeepingId(id, day),
    })),
  );
  return { projects: rows.length };
}

/**
 * Deletes a project's expired data for about `forMs`, in batches that commit with their counts, so that it can stop
 * anywhere and be resumed. Returns whether it is done.
 */
export async function runHousekeeping(
  ctx: Ctx,
  { day }: Pick<HousekeepingDue, "day">,
  { forMs }: { forMs: number },
): Promise<{ done: boolean }> {
  const until = performance.now() + forMs;
  /** Runs each kind of work at least once, however little time is left, so that none is starved. */
  const repeatUntilZero = async (work: () => Promise<number>) => {
    do if ((await work()) === 0) return true;
    while (performance.now() <= until);
    return false;
  };

  const { days } = await readRetention(ctx);
  const now = await databaseNow(ctx.db);
  const receiptsBefore = cutoffOf(Math.min(days ?? RECEIPTS_KEPT_DAYS, RECEIPTS_KEPT_DAYS), now);
  const old = () => deleteReceiptsBefore(ctx, receiptsBefore, ROWS_A_STATEMENT).then(total);
  if (!(await repeatUntilZero(old))) return { done: false };
  const waitingBefore = cutoffOf(Math.min(days ?? WAITING_DAYS, WAITING_DAYS), now);
  if (!(await repeatUntilZero(() => deleteWaitingFeedback(ctx, waitingBefore, ROWS_A_STATEMENT))))
    return { done: false };
  if (!(await repeatUntilZero(() => deleteExpiredAdjudications(ctx, ROWS_A_STATEMENT)))) return { done: false };
  if (!(await repeatUntilZero(() => deleteOldTrackerDeliveries(ctx, ROWS_A_STATEMENT)))) return { done: false };
  if (!(await repeatUntilZero(() => deleteOldMinutes(ctx, now)))) return { done: false };
  if (!(await repeatUntilZero(() => deleteOldSpending(ctx, now)))) return { done: false };
  if (!(await repeatUntilZero(() => deleteOldAssignments(ctx, ROWS_A_STATEMENT)))) return { done: false };
  if (!(await repeatUntilZero(() => deleteExpiredCopies(ctx, ROWS_A_STATEMENT)))) return { done: false };
  if (days !== null && !(await repeatUntilZero(() => expire(ctx, day, cutoffOf(days, now))))) return { done: false };

  if (days !== null) await deleteBaselinesBefore(ctx, cutoffOf(days, now));

  const importsBefore = cutoffOf(Math.min(days ?? IMPORTS_KEPT_DAYS, IMPORTS_KEPT_DAYS), now);
  if ((await eraseFilesBefore(ctx, importsBefore, FILES_AT_A_TIME)) > 0) return { done: false };

  const receiptId = receiptIdOf(ctx, day);
  const isRunning = async (tx: Ctx) => (await readReceipt(tx, receiptId))?.status === "running";
  const unused = () =>
    inTransaction(ctx, async (tx) => {
      const counts = await deleteUnusedContent(tx, CHUNKS_AT_A_TIME);
      if (total(counts) > 0 && (await isRunning(tx))) await addCounts(tx.db, receiptId, counts);
      return counts.content_released;
    });
  if (!(await repeatUntilZero(unused))) return { done: false };
  await inTransaction(ctx, async (tx) => {
    const sources = await deleteUnusedSources(tx);
    if (await isRunning(tx)) {
      await addCounts(tx.db, receiptId, sources);
      await completeReceipt(tx.db, receiptId);
    }
  });
  return { done: true };
}

/** One receipt per project and day, created only if something is deleted. */
const receiptIdOf = (ctx: Ctx, day: string) => `del_retention_${day}_${ctx.projectId}`;
const total = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, rows) => sum + rows, 0);

async function expire(ctx: Ctx, day: string, before: number): Promise<number> {
  const id = receiptIdOf(ctx, day);
  return inTransaction(ctx, async (tx) => {
    await openReceipt(tx, { scope: "retention", id });
    const conversations = await deleteBatch(tx, id, expiredBefore(before), { remember: false });
    const loose = await deleteUnassignedBefore(tx, before, ROWS_A_STATEMENT);
    const gone = conversations + total(loose);
    if (gone > 0) await addCounts(tx.db, id, loose);
    // Nothing was deleted, so the receipt is dropped.
    else
      await tx.db
        .delete(deletionReceipts)
        .where(and(eq(deletionReceipts.id, id), eq(deletionReceipts.status, "queued")));
    return gone;
  });
}
