import { and, eq, ne, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { tablesWhere } from "@/db/deletion-registry";
import { NOW } from "@/db/now";
import { deletionReceipts } from "@/db/schema";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { forgetUserCosts } from "@/server/services/costs";
import { forgetExamples, forgetImports, ofUser } from "@/server/services/datasets";
import { eraseMarkedFiles, eraseProjectFiles } from "@/server/services/files";
import { answeredFor, forgetEvaluations } from "@/server/services/proof";
import {
  CHUNKS_AT_A_TIME,
  deleteUnassignedLogsMentioning,
  deleteUnassignedTracesMentioning,
  deleteUnusedContent,
  deleteUnusedSources,
  forgetReadings,
  projectIsolatingFailures,
  stripReceipts,
} from "@/server/services/telemetry";
import { forgetCommandsOf } from "@/server/services/trainers";
import { forgetTraining, queueRemovalsOf, releaseRemovals, removedColumns } from "@/server/services/training";
import { countRemainingOfUser } from "./count-remaining";
import { deleteBatch } from "./delete-batch";
import { deleteOfProject } from "./delete-of-project";
import { SAMPLE } from "./delete-project";
import { addCounts, completeReceipt, discardReceipts } from "./deletion-receipt";

/** Tables with many rows per project. The rest is deleted by the cascade from the project. */
const LARGE_TABLES = tablesWhere(({ project }) => project === "batches");
/** Tables with a project id but no foreign key to the project. */
const TABLES_WITHOUT_CASCADE = tablesWhere(({ project }) => project === "statement");
const ROWS_A_STATEMENT = 5_000;
/** Projector passes that a deletion runs at most, for spans that have arrived but belong to no conversation yet. */
const PASSES = 1_000;

/**
 * Continues a deletion for about `forMs`. Each batch commits with its counts, so the deletion can stop anywhere and be
 * resumed. Stops only after a batch that deleted something, so that every call makes progress however slow the database is.
 * Returns whether it is done.
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
  if (receipt.scope === "project") return { done: await runProjectDeletion(ctx, receipt, timeIsUp) };
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
  const deleteAll = async () => {
    do if ((await deleteBatch(ctx, deletionId, theirs, { remember: true })) === 0) return true;
    while (!timeIsUp());
    return false;
  };
  if (!(await deleteAll())) return false;
  await projectPendingSpans(ctx);
  if (!(await deleteAll())) return false;
  // In small steps, because no ingest batch can be stored during one; the rest is deleted below, along with what the last
  // traces release.
  for (let checked = 1; checked > 0; ) {
    checked = await inTransaction(ctx, async (tx) => {
      const counts = await deleteUnusedContent(tx, CHUNKS_AT_A_TIME);
      await addCounts(tx.db, deletionId, counts);
      return counts.content_released;
    });
    if (checked > 0 && timeIsUp()) return false;
  }
  // Also Examples of conversations that have expired.
  const forgetTheRest = async (tx: Ctx) => {
    const training = await forgetTraining(tx, ofUser(userId));
    const evaluations = await forgetEvaluations(tx, answeredFor(tx.projectId, ofUser(userId)));
    const examples = await forgetExamples(tx, ofUser(userId));
    await addCounts(tx.db, deletionId, training, evaluations, examples, await forgetImports(tx, ofUser(userId)));
  };
  await inTransaction(ctx, forgetTheRest);
  // Before the receipt is completed, so that a killed job resumes here.
  await eraseMarkedFiles(ctx);
  await inTransaction(ctx, async (tx) => {
    await addCounts(tx.db, deletionId, await deleteUnassignedTracesMentioning(tx, userId, { remember: true }));
    // Blocks ingest batches until the commit; a batch stored before that has already left its receipt.
    const sources = await deleteUnusedSources(tx);
    await stripReceipts(tx.db, tx.projectId, createdAt);
    await addCounts(tx.db, deletionId, sources, await deleteUnassignedLogsMentioning(tx, userId));
    await addCounts(tx.db, deletionId, await deleteUnusedContent(tx), await forgetUserCosts(tx, userId));
    await forgetTheRest(tx);
    await completeReceipt(tx.db, deletionId, await countRemainingOfUser(tx, userId));
  });
  // Erases what was stored in the meantime.
  await eraseMarkedFiles(ctx);
  return true;
}

/** Projects all spans that have arrived so far into their conversations. */
async function projectPendingSpans(ctx: Ctx) {
  const mine = sql`from projection_queue where project_id = ${ctx.projectId}`;
  const [newest] = await ctx.db.execute<{ id: string | null }>(sql`select max(id) as id ${mine}`);
  if (!newest?.id) return;
  for (let pass = 0; pass < PASSES; pass++) {
    // Spans that failed before belong to no conversation, and may never do so.
    const [pending] = await ctx.db.execute(
      sql`select 1 ${mine} and id <= ${newest.id}::bigint and attempts = 0 limit 1`,
    );
    if (!pending) return;
    await projectIsolatingFailures(ctx.db);
  }
  throw new Error("The spans that have arrived could not be projected in time; the deletion will be retried.");
}

async function runProjectDeletion(ctx: Ctx, { id: deletionId, subject }: Receipt, timeIsUp: () => boolean) {
  for (const table of LARGE_TABLES) {
    for (let gone = ROWS_A_STATEMENT; gone === ROWS_A_STATEMENT; ) {
      gone = await inTransaction(ctx, async (tx) => {
        const name = sql.identifier(table);
        const rows = await tx.db.execute(sql`
          delete from ${name} where project_id = ${tx.projectId} and ctid = any(array(
            select ctid from ${name} where project_id = ${tx.projectId} limit ${ROWS_A_STATEMENT}))
          returning ${removedColumns(table) ?? sql`1`}`);
        await queueRemovalsOf(tx, table, rows);
        if (rows.length > 0) await addCounts(tx.db, deletionId, { [table]: rows.length });
        return rows.length;
      });
      if (gone > 0 && timeIsUp()) return false;
    }
  }
  // Before the rows that reference the files; uploads are already impossible.
  await eraseProjectFiles(ctx);
  await inTransaction(ctx, async (tx) => {
    const loose = await deleteOfProject(tx, TABLES_WITHOUT_CASCADE);
    // Every other project-owned row has a foreign key and is deleted by the cascade.
    const project = await tx.db.execute(sql`delete from projects where id = ${tx.projectId} returning 1`);
    await releaseRemovals(tx);
    await forgetCommandsOf(tx.db, tx.projectId);
    forgetReadings(tx.projectId, "all");
    // Other deletions in the project have nothing left to do; their receipts must not keep their subjects.
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
    if (subject === SAMPLE) {
      await discardReceipts(tx);
      return;
    }
    await addCounts(tx.db, deletionId, { ...loose, projects: project.length });
    await completeReceipt(tx.db, deletionId);
  });
  return true;
}
