import { and, eq, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { backfills } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { storedReason } from "@/server/platform/logging/stored-reason";
import { queueRuleRuns } from "../runs/queue-rule-runs";
import { configuredRules } from "../settings/rule-settings";
import { type Counts, finishedRuns, isFinished, outstanding } from "./read-backfills";
import { nextConversations } from "./scan-conversations";
import { UNFINISHED_SCAN_STATUSES } from "./schemas";

/** Conversations per transaction. */
const BATCH_SIZE = 500;
/** Maximum queued Runs of all backfills of a project: a few seconds' work, so that a pause takes effect that quickly. */
const QUEUED_MAX = 2_000;
/** The rate is measured over at least this long. */
const RATE_INTERVAL_MS = 2_000;
/** The share of the newest measurement in the rate. */
const RATE_WEIGHT = 0.4;

type Row = typeof backfills.$inferSelect;

/**
 * Continues a backfill for about `forMs`. Each batch queues its Runs and moves the cursor in one transaction, so it can be
 * interrupted anywhere and resumed without queueing anything twice. `wait`: enough Runs are queued, or the last ones are
 * executing.
 */
export async function runBackfill(
  ctx: Ctx,
  backfillId: string,
  { forMs }: { forMs: number },
): Promise<{ done: boolean; wait?: boolean }> {
  const until = performance.now() + forMs;
  do {
    const turn = await inTransaction(ctx, (tx) => oneBatch(tx, backfillId));
    if (turn !== "more") return turn === "done" ? { done: true } : { done: false, wait: true };
  } while (performance.now() < until);
  return { done: false };
}

/** Marks a backfill in progress as failed. It can be resumed where it stopped. */
export async function failBackfill(ctx: Ctx, backfillId: string, message: string): Promise<void> {
  await ctx.db
    .update(backfills)
    .set({ scanStatus: "failed", error: storedReason(message), finishedAt: NOW })
    .where(
      and(
        eq(backfills.projectId, ctx.projectId),
        eq(backfills.id, backfillId),
        sql`${backfills.scanStatus} = any(${sql.param([...UNFINISHED_SCAN_STATUSES])}::text[])`,
      ),
    );
}

type Turn = "more" | "done" | "wait";

async function oneBatch(tx: Ctx, backfillId: string): Promise<Turn> {
  // A concurrent worker blocks here and continues where the first one stopped. Runs that finish meanwhile are not blocked.
  const [row] = await tx.db
    .select()
    .from(backfills)
    .where(and(eq(backfills.projectId, tx.projectId), eq(backfills.id, backfillId)))
    .for("no key update");
  if (!row || isFinished(row) || row.pausedAt !== null) return "done";
  const counts = await foldCounts(tx, row);
  const measured = await measureRate(tx, row, counts);
  if (row.scanStatus === "processing")
    return outstanding(counts) > 0 ? wait(tx, row, measured) : complete(tx, row, counts);
  return queueBatch(tx, row, counts, measured);
}

type Changed = PgUpdateSetSource<typeof backfills>;

const updateBackfill = ({ db, projectId }: Ctx, { id }: Row, changed: Changed) =>
  db
    .update(backfills)
    .set(changed)
    .where(and(eq(backfills.projectId, projectId), eq(backfills.id, id)));

async function wait(tx: Ctx, row: Row, measured: Changed): Promise<Turn> {
  if (Object.keys(measured).length > 0) await updateBackfill(tx, row, measured);
  return "wait";
}

async function complete(tx: Ctx, row: Row, { failed }: Counts): Promise<Turn> {
  const scanStatus = failed > 0 ? ("completed_with_errors" as const) : ("completed" as const);
  await updateBackfill(tx, row, { scanStatus, cursor: null, finishedAt: NOW });
  return "done";
}

/** Replaces the appended changes with one row that contains their sum, and returns it. */
async function foldCounts(tx: Ctx, { id }: Row): Promise<Counts> {
  const [sum] = await tx.db.execute<Counts>(sql`
    with gone as (
      delete from backfill_counts where project_id = ${tx.projectId} and backfill_id = ${id} returning *
    )
    insert into backfill_counts (project_id, backfill_id, queued, running, completed, skipped, failed)
    select ${tx.projectId}, ${id}, coalesce(sum(queued), 0), coalesce(sum(running), 0), coalesce(sum(completed), 0),
      coalesce(sum(skipped), 0), coalesce(sum(failed), 0)
    from gone
    returning queued, running, completed, skipped, failed`);
  return sum ?? { queued: 0, running: 0, completed: 0, skipped: 0, failed: 0 };
}

/** Returns the columns of a new measurement of the rate, when one is due. */
async function measureRate({ db }: Ctx, row: Row, counts: Counts): Promise<Changed> {
  const now = await databaseNow(db);
  const done = finishedRuns(counts);
  if (row.rateAt === null) return { rateAt: now, rateCount: done };
  const elapsed = now - row.rateAt;
  if (elapsed < RATE_INTERVAL_MS) return {};
  const measured = (Math.max(0, done - row.rateCount) / elapsed) * 1000;
  const rate = row.rate === null ? measured : row.rate + RATE_WEIGHT * (measured - row.rate);
  return { rate, rateAt: now, rateCount: done };
}

async function queueBatch(tx: Ctx, row: Row, counts: Counts, measured: Changed): Promise<Turn> {
  const configured = (await configuredRules(tx)).find(({ rule }) => rule.id === row.ruleId);
  if (!configured?.enabled) {
    const error = configured ? "The Rule was turned off." : "This version of Whetstone does not have the Rule.";
    await updateBackfill(tx, row, { scanStatus: "failed", error, finishedAt: NOW });
    return "done";
  }
  const room = Math.floor(QUEUED_MAX / (await backfillsInProgress(tx))) - outstanding(counts);
  const limit = Math.min(BATCH_SIZE, room, row.maxConversations - row.conversationsScanned);
  if (limit <= 0) return wait(tx, row, measured);
  const found = await nextConversations(tx, row, { after: row.cursor, limit });
  await queueRuleRuns(
    tx,
    found.map(({ id, lastActivityAt }) => ({ conversationId: id, lastActivityAt, traceIds: [] })),
    [{ ...configured, revision: row.configurationRevision }],
    { origin: "backfill", backfillId: row.id },
  );
  const last = found.at(-1);
  const scanned = row.conversationsScanned + found.length;
  const ended = found.length < limit || scanned >= row.maxConversations;
  await updateBackfill(tx, row, {
    ...measured,
    scanStatus: ended ? "processing" : "scanning",
    conversationsScanned: scanned,
    ...(last ? { cursor: [last.lastActivityAt, last.id] as const } : {}),
    ...(row.startedAt === null ? { startedAt: NOW } : {}),
  });
  return "more";
}

/** Counts the project's backfills that queue or execute Runs, which share the limit on queued Runs. */
async function backfillsInProgress({ db, projectId }: Ctx): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from backfills
    where project_id = ${projectId} and scan_status = any(${sql.param([...UNFINISHED_SCAN_STATUSES])}::text[])
      and paused_at is null`);
  return Math.max(1, row?.count ?? 1);
}
