import { and, eq, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { NOW } from "@/db/now";
import { rowsOf } from "@/db/rows";
import { repricedCalls, repricings } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { storedReason } from "@/server/platform/logging/stored-reason";
import { recomputeFindingCosts } from "@/server/services/diagnostics";
import { type PriceBook, priceBookAtRevision } from "@/server/services/pricing";
import {
  CallsMoved,
  changeCosts,
  lockCalls,
  mergeDuplicateTracesOf,
  type StoredCost,
} from "@/server/services/telemetry";
import { cursorOf, readCalls, rereadCalls } from "../read-calls";
import { type CallPlan, Comparison, digestOf, type PricedCall, planCall } from "./plan-repricing";

/** Calls per transaction, few enough not to block ingest for long. */
const BATCH_SIZE = 1_000;
/** Consecutive batches that may fail because their calls moved to another conversation. */
const MOVES_MAX = 10;
const IN_PROGRESS = ["queued", "running", "undoing"];

type Row = typeof repricings.$inferSelect;
type Changed = PgUpdateSetSource<typeof repricings>;

/**
 * Continues a repricing, or its undo, for about `forMs`. Each batch commits atomically with derived costs, the previous
 * costs and the cursor, so it can be interrupted anywhere and resumed without doing anything twice.
 */
export async function runRepricing(
  ctx: Ctx,
  repricingId: string,
  { forMs }: { forMs: number },
): Promise<{ done: boolean; wait?: boolean }> {
  const until = performance.now() + forMs;
  let moves = 0;
  do {
    try {
      const turn = await inTransaction(ctx, (tx) => oneBatch(tx, repricingId));
      if (turn !== "more") return turn === "done" ? { done: true } : { done: false, wait: true };
      moves = 0;
    } catch (error) {
      if (!(error instanceof CallsMoved) || ++moves > MOVES_MAX) throw error;
    }
  } while (performance.now() < until);
  return { done: false };
}

/** Marks a repricing in progress as failed. What it has changed stays changed and can be undone. */
export async function failRepricing({ db, projectId }: Ctx, repricingId: string, message: string): Promise<void> {
  await db
    .update(repricings)
    .set({ state: "failed", cursor: null, error: storedReason(message) })
    .where(
      and(
        eq(repricings.projectId, projectId),
        eq(repricings.id, repricingId),
        sql`${repricings.state} = any(${sql.param(IN_PROGRESS)}::text[])`,
      ),
    );
}

type Turn = "more" | "done" | "wait";

async function oneBatch(tx: Ctx, repricingId: string): Promise<Turn> {
  // A concurrent worker blocks here and continues where the first one stopped.
  const [row] = await tx.db
    .select()
    .from(repricings)
    .where(and(eq(repricings.projectId, tx.projectId), eq(repricings.id, repricingId)))
    .for("update");
  if (row?.state === "undoing") return restoreBatch(tx, row);
  if (row?.state === "queued" || row?.state === "running") return repriceBatch(tx, row);
  return "done";
}

const updateRepricing = ({ db, projectId }: Ctx, { id }: Row, changed: Changed) =>
  db
    .update(repricings)
    .set(changed)
    .where(and(eq(repricings.projectId, projectId), eq(repricings.id, id)));

/** Returns whether every transaction older than the request has ended: one that stores calls may still price them by older prices. */
async function earlierTransactionsEnded({ db }: Ctx, { askedBy }: Row): Promise<boolean> {
  const [row] = await db.execute<{ ended: boolean }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > ${askedBy}::bigint as ended`,
  );
  return row?.ended === true;
}

async function repriceBatch(tx: Ctx, row: Row): Promise<Turn> {
  if (row.state === "queued") {
    if (!(await earlierTransactionsEnded(tx, row))) return "wait";
    await updateRepricing(tx, row, { state: "running", startedAt: NOW });
  }
  const book = await priceBookAtRevision(tx, row);
  if (!book) {
    const error = `The price catalogue dated ${row.catalogue} no longer exists in this installation. Start a new repricing.`;
    await updateRepricing(tx, row, { state: "failed", cursor: null, error });
    return "done";
  }
  const calls = await readCalls(tx, row, { after: row.cursor, limit: BATCH_SIZE, direction: "oldestFirst" });
  const plans = calls.flatMap((call) => planCall(book, row, call) ?? []);
  const changing = plans.filter(({ changes }) => changes).map(({ call }) => call);
  const changed = changing.length > 0 ? await repriceCalls(tx, row, book, changing) : [];
  const written = new Map(changed.map((plan) => [keyOf(plan.call), plan]));
  // A call deleted since it was read does not count; one that changed counts as it was reread.
  const examined = plans.flatMap((plan) => (plan.changes ? (written.get(keyOf(plan.call)) ?? []) : plan));
  const last = calls.at(-1);
  const complete = calls.length < BATCH_SIZE;
  const sums = new Comparison();
  for (const plan of examined) sums.add(plan);
  await updateRepricing(tx, row, {
    // The cursor names a call, so it is cleared as soon as it is not needed.
    cursor: last && !complete ? cursorOf(last) : null,
    callsExamined: row.callsExamined + sums.calls,
    callsChanged: row.callsChanged + sums.changed,
    costBefore: sql`${repricings.costBefore} + ${sums.before.toFixed()}::numeric`,
    costAfter: sql`${repricings.costAfter} + ${sums.after.toFixed()}::numeric`,
    unknownBefore: row.unknownBefore + sums.unknownBefore,
    unknownAfter: row.unknownAfter + sums.unknownAfter,
    ...(complete ? { state: "completed" as const, completedAt: NOW } : {}),
  });
  return complete ? "done" : "more";
}

const keyOf = ({ traceId, spanId }: { traceId: string; spanId: string }) => `${traceId} ${spanId}`;

/**
 * Rereads calls under the locks of their conversations and changes their costs. Returns the plans of those calls that
 * still exist.
 */
async function repriceCalls(tx: Ctx, row: Row, book: PriceBook, calls: readonly PricedCall[]): Promise<CallPlan[]> {
  return withCallLocks(tx, calls, async (now) => {
    const plans = now.flatMap((call) => planCall(book, row, call) ?? []);
    const changes = plans.filter((plan) => plan.changes);
    if (changes.length > 0) {
      await tx.db.insert(repricedCalls).values(
        changes.map(({ call, next }) => ({
          projectId: tx.projectId,
          repricingId: row.id,
          traceId: call.traceId,
          spanId: call.spanId,
          costTotal: call.costTotal,
          cost: call.cost,
          replacedBy: digestOf(next),
        })),
      );
    }
    return { result: plans, costs: changes.map(({ next }) => next) };
  });
}

/** Locks the calls and changes their costs and the sums of conversations and Findings; triggers update daily costs. */
async function withCallLocks<T>(
  tx: Ctx,
  calls: readonly PricedCall[],
  work: (now: PricedCall[]) => Promise<{ result: T; costs: readonly StoredCost[] }>,
): Promise<T> {
  const conversationIds = [...new Set(calls.map(({ conversationId }) => conversationId))];
  const keys = calls.map(({ traceId, spanId }) => ({ traceId, spanId }));
  const result = await recomputeFindingCosts(tx, conversationIds, async () => {
    await lockCalls(tx, conversationIds, keys);
    const { result, costs } = await work(await rereadCalls(tx, keys));
    if (costs.length > 0) await changeCosts(tx, conversationIds, costs);
    return result;
  });
  await mergeDuplicateTracesOf(tx, conversationIds);
  return result;
}

async function restoreBatch(tx: Ctx, row: Row): Promise<Turn> {
  const { db, projectId } = tx;
  const mine = and(eq(repricedCalls.projectId, projectId), eq(repricedCalls.repricingId, row.id));
  const before = await db
    .select()
    .from(repricedCalls)
    .where(mine)
    .orderBy(repricedCalls.traceId, repricedCalls.spanId)
    .limit(BATCH_SIZE);
  if (before.length === 0) {
    await updateRepricing(tx, row, { state: "undone", undoneAt: NOW });
    return "done";
  }
  const byKey = new Map(before.map((call) => [keyOf(call), call]));
  const calls = await rereadCalls(tx, before);
  const restored =
    calls.length === 0
      ? 0
      : await withCallLocks(tx, calls, async (now) => {
          const unchanged = now.filter((call) => digestOf(call) === byKey.get(keyOf(call))?.replacedBy);
          const costs = unchanged.flatMap((call) => byKey.get(keyOf(call)) ?? []) as StoredCost[];
          return { result: costs.length, costs };
        });
  await db.execute(sql`
    delete from repriced_calls c
    using ${rowsOf(before, '"traceId" text, "spanId" text')}
    where c.project_id = ${projectId} and c.repricing_id = ${row.id} and c.trace_id = t."traceId" and c.span_id = t."spanId"`);
  await updateRepricing(tx, row, {
    callsRestored: row.callsRestored + restored,
    callsKept: row.callsKept + before.length - restored,
  });
  return "more";
}
