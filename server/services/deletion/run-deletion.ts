import { and, eq, ne, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { tablesWhere } from "@/db/deletion-registry";
import { NOW } from "@/db/now";
import { deletionReceipts } from "@/db/schema";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { eraseProjectFiles } from "@/server/services/files";
import {
  deleteUnassignedLogsMentioning,
  deleteUnassignedTracesMentioning,
  deleteUnusedSources,
  projectIsolatingFailures,
  stripReceipts,
} from "@/server/services/telemetry";
import { countRemainingOfUser } from "./count-remaining";
import { deleteBatch } from "./delete-batch";
import { deleteOfProject } from "./delete-of-project";
import { addCounts, completeReceipt } from "./deletion-receipt";

/** What a project has many rows of. The rest falls with the project. */
const LARGE_TABLES = tablesWhere(({ project }) => project === "batches");
/** What has its project's id, and no foreign key. */
const LOOSE_TABLES = tablesWhere(({ project }) => project === "statement");
const ROWS_A_STATEMENT = 5_000;
/** Passes of the projector that a deletion waits for: what has arrived but stands in no conversation yet. */
const PASSES = 1_000;

/**
 * Goes on with a deletion for about `forMs`; every batch commits with its counts, so it may end anywhere and be taken
 * up again. Answers whether it is done.
 */
export async function runDeletion(
  db: Db,
  deletionId: string,
  { forMs, jobName }: { forMs: number; jobName: string },
): Promise<{ done: boolean }> {
  const [receipt] = await db.select().from(deletionReceipts).where(eq(deletionReceipts.id, deletionId));
  if (!receipt || receipt.status === "completed") return { done: true };
  const ctx: Ctx = { db, projectId: receipt.projectId as ProjectId, actor: { kind: "job", name: jobName } };
  const until = performance.now() + forMs;
  const timeIsUp = () => performance.now() > until;
  if (receipt.scope === "project") return { done: await runProjectDeletion(ctx, deletionId, timeIsUp) };
  if (receipt.scope === "user" && receipt.subject !== null) {
    return { done: await runUserDeletion(ctx, receipt, receipt.subject, timeIsUp) };
  }
  await completeReceipt(db, deletionId);
  return { done: true };
}

type Receipt = typeof deletionReceipts.$inferSelect;

async function runUserDeletion(
  ctx: Ctx,
  { id: deletionId, createdAt }: Receipt,
  userId: string,
  timeIsUp: () => boolean,
) {
  const theirs = sql`c.user_id = ${userId}`;
  // At least one batch each time: however slow the database is, a turn that finds nothing left comes to the end.
  const deleteAll = async () => {
    do if ((await deleteBatch(ctx, deletionId, theirs, { remember: true })) === 0) return true;
    while (!timeIsUp());
    return false;
  };
  if (!(await deleteAll())) return false;
  await projectWhatArrived(ctx);
  if (!(await deleteAll())) return false;
  await inTransaction(ctx, async (tx) => {
    await addCounts(tx.db, deletionId, await deleteUnassignedTracesMentioning(tx, userId, { remember: true }));
    // Holds off batches until the end: one that came through meanwhile has left its receipt by now.
    const sources = await deleteUnusedSources(tx);
    await stripReceipts(tx.db, tx.projectId, createdAt);
    await addCounts(tx.db, deletionId, sources, await deleteUnassignedLogsMentioning(tx, userId));
    await completeReceipt(tx.db, deletionId, await countRemainingOfUser(tx, userId));
  });
  return true;
}

/** Spans that came before now stand in their conversations after this. */
async function projectWhatArrived(ctx: Ctx) {
  const mine = sql`from projection_queue where project_id = ${ctx.projectId}`;
  const [newest] = await ctx.db.execute<{ id: string | null }>(sql`select max(id) as id ${mine}`);
  if (!newest?.id) return;
  for (let pass = 0; pass < PASSES; pass++) {
    // What has failed before is no part of any conversation yet, and may never be.
    const [waiting] = await ctx.db.execute(
      sql`select 1 ${mine} and id <= ${newest.id}::bigint and attempts = 0 limit 1`,
    );
    if (!waiting) return;
    await projectIsolatingFailures(ctx.db);
  }
  throw new Error("What has arrived could not be read in time; the deletion goes on later.");
}

async function runProjectDeletion(ctx: Ctx, deletionId: string, timeIsUp: () => boolean) {
  for (const table of LARGE_TABLES) {
    for (let gone = ROWS_A_STATEMENT; gone === ROWS_A_STATEMENT; ) {
      if (timeIsUp()) return false;
      gone = await inTransaction(ctx, async (tx) => {
        const name = sql.identifier(table);
        const rows = await tx.db.execute(sql`
          delete from ${name} where project_id = ${tx.projectId} and ctid = any(array(
            select ctid from ${name} where project_id = ${tx.projectId} limit ${ROWS_A_STATEMENT})) returning 1`);
        if (rows.length > 0) await addCounts(tx.db, deletionId, { [table]: rows.length });
        return rows.length;
      });
    }
  }
  // Before the rows that know of them; nobody can upload to it any more.
  await eraseProjectFiles(ctx);
  await inTransaction(ctx, async (tx) => {
    const loose = await deleteOfProject(tx, LOOSE_TABLES);
    // Everything else that a project owns has a foreign key to it and falls with it.
    const project = await tx.db.execute(sql`delete from projects where id = ${tx.projectId} returning 1`);
    // Other deletions in it have nothing left to do, and their receipts not to name whom they were about.
    await tx.db
      .update(deletionReceipts)
      .set({ status: "completed", subject: null, completedAt: NOW })
      .where(
        and(
          eq(deletionReceipts.projectId, tx.projectId),
          ne(deletionReceipts.id, deletionId),
          ne(deletionReceipts.status, "completed"),
        ),
      );
    await addCounts(tx.db, deletionId, { ...loose, projects: project.length });
    await completeReceipt(tx.db, deletionId);
  });
  return true;
}
