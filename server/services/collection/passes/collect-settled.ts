import { and, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { rowsOf, textArray } from "@/db/rows";
import { collectionPasses, datasets } from "@/db/schema";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { type LockedDataset, lockConversations, lockDataset, readDatasetRow } from "@/server/services/datasets";
import { type Collecting, collectingOf, isStill } from "./collection-settings";
import { endPass, finishSome } from "./end-pass";
import { ASKED_AT_ONCE, modelProposer, type ProposerFor } from "./model-proposer";
import { type PassRow, updatePass } from "./passes";
import { addCounts, type ReadProposals, readProposals, without } from "./read-proposals";
import { onLocked } from "./run-collection-pass";
import { isSettled } from "./settled-conversations";
import { storeProposals } from "./store-proposals";

/** Conversations per transaction. */
const BATCH_SIZE = 50;

/**
 * Collects from conversations that have settled, or changed since, for every Dataset that collects, for about `forMs`. Whatever
 * is not read by then is left for the next call. A batch is stored in the transaction that removes it from the queue.
 */
export async function collectSettled(db: Db, { forMs }: { forMs: number }): Promise<{ conversations: number }> {
  const until = performance.now() + forMs;
  const projects = await db.execute<{ id: string }>(sql`
    select distinct project_id as id from collection_queue
    union select project_id from collection_passes where origin = 'automatic' and status = 'running'
    order by 1`);
  let conversations = 0;
  let waiting = projects.map(({ id }) => {
    const ctx: Ctx = { db, projectId: id as ProjectId, actor: { kind: "job", name: "collect-examples" } };
    return { ctx, proposerFor: modelProposer(ctx) };
  });
  // Round-robin, so that a project with a long queue or a slow model does not delay the others' batches.
  do {
    const further: typeof waiting = [];
    for (const project of waiting) {
      const taken = await collectSome(project.ctx, project.proposerFor);
      conversations += taken;
      if (taken > 0) further.push(project);
      else await endPasses(project.ctx);
    }
    waiting = further;
  } while (waiting.length > 0 && performance.now() < until);
  return { conversations };
}

type Queued = { id: string; lastActivityAt: number; queuedAt: number };

/**
 * Collects from one batch of the queue. Returns its number of conversations, excluding those left for the next call because
 * they are being changed.
 */
async function collectSome(ctx: Ctx, proposerFor: ProposerFor): Promise<number> {
  const collecting = await collectingOf(ctx, await enabledDatasets(ctx));
  if (collecting.length === 0) {
    // Checked again in the statement: the queue is needed if a Dataset has been enabled in the meantime.
    await ctx.db.execute(sql`
      delete from collection_queue where project_id = ${ctx.projectId}
        and not exists (select 1 from ${datasets} where ${isEnabled(ctx)})`);
    return 0;
  }
  const propose = await proposerFor(collecting);
  const queued = await readyConversations(ctx, propose ? ASKED_AT_ONCE : BATCH_SIZE);
  if (queued.length === 0) return 0;
  const read = await readProposals(ctx, queued, collecting, propose);
  return inTransaction(ctx, async (tx) => {
    const locked: { dataset: LockedDataset; of: number }[] = [];
    for (const [of, { datasetId }] of collecting.entries()) {
      const dataset = await lockExisting(tx, datasetId);
      if (dataset) locked.push({ dataset, of });
    }
    const { gone, busy } = await lockConversations(
      tx,
      queued.map(({ id }) => id),
    );
    const free = queued.filter(({ id }) => !busy.has(id));
    if (free.length === 0) return 0;
    const notLocked = new Set([...gone, ...busy]);
    let isCurrent = true;
    for (const { dataset, of } of locked)
      isCurrent = (await storeFor(tx, dataset, collecting[of]!, without(read[of]!, notLocked))) && isCurrent;
    // If a Dataset's settings have changed in the meantime, the batch stays queued and is read again.
    if (isCurrent) await takeFromQueue(tx, free);
    return free.length;
  });
}

const isEnabled = ({ projectId }: Ctx) =>
  and(
    eq(datasets.projectId, projectId),
    eq(datasets.collectionEnabled, true),
    isNotNull(datasets.collectionObjective),
    isNull(datasets.deletedAt),
  );

async function enabledDatasets(ctx: Ctx) {
  const rows = await ctx.db.select().from(datasets).where(isEnabled(ctx)).orderBy(datasets.id);
  return rows.flatMap(({ collectionObjective: objective, ...row }) =>
    objective === null ? [] : [{ ...row, objective }],
  );
}

async function readyConversations(ctx: Ctx, limit: number): Promise<Queued[]> {
  const rows = await ctx.db.execute<{ id: string; last_activity_at: string; queued_at: string }>(sql`
    select c.id, c.last_activity_at, q.queued_at
    from collection_queue q join conversations c on c.project_id = q.project_id and c.id = q.conversation_id
    where q.project_id = ${ctx.projectId} and ${await isSettled(ctx)}
    order by q.queued_at, q.conversation_id limit ${limit}`);
  return [...rows].map((row) => ({
    id: row.id,
    lastActivityAt: Number(row.last_activity_at),
    queuedAt: Number(row.queued_at),
  }));
}

async function lockExisting(tx: Ctx, datasetId: string) {
  try {
    return await lockDataset(tx, datasetId);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Stores what was read for a Dataset if it still collects. Returns `false` if it now collects something else than was read. */
async function storeFor(
  tx: Ctx,
  dataset: LockedDataset,
  collecting: Collecting,
  read: ReadProposals,
): Promise<boolean> {
  const current = await readDatasetRow(tx, dataset.id);
  if (!current.collectionEnabled) return true;
  if (!isStill(current, collecting)) return false;
  const pass = await automaticPass(tx, dataset.id);
  const stored = await storeProposals(tx, dataset, pass.id, read);
  const left = { ...pass.left };
  addCounts(left, stored.left);
  const conversationsRead = pass.conversationsRead + read.read.length;
  await updatePass(tx, pass.id, {
    conversationsRead,
    conversationsExpected: conversationsRead,
    proposed: pass.proposed + stored.proposed,
    left,
  });
  return true;
}

/** Returns the Dataset's automatic pass in progress, or starts one. */
async function automaticPass(tx: Ctx, datasetId: string): Promise<PassRow> {
  const [running] = await tx.db
    .select()
    .from(collectionPasses)
    .where(isAutomatic(tx, [datasetId]))
    .for("update");
  if (running) return running;
  const [row] = await tx.db
    .insert(collectionPasses)
    .values({
      projectId: tx.projectId,
      id: newId("cp"),
      datasetId,
      origin: "automatic",
      startMs: 0,
      endMs: await databaseNow(tx.db),
      status: "running",
      conversationsExpected: 0,
      actorKind: "job",
      actorId: null,
    })
    .returning();
  if (!row) throw new Error("The insert of a collection pass returned no row.");
  return row;
}

const isAutomatic = ({ projectId }: Ctx, datasetIds?: readonly string[]) =>
  and(
    eq(collectionPasses.projectId, projectId),
    datasetIds && inArray(collectionPasses.datasetId, [...datasetIds]),
    eq(collectionPasses.origin, "automatic"),
    eq(collectionPasses.status, "running"),
  );

/** Removes conversations from the queue, except those that were queued again in the meantime. */
async function takeFromQueue(tx: Ctx, queued: readonly Queued[]) {
  const rows = queued.map(({ id, queuedAt }) => ({ id, queued_at: queuedAt }));
  await tx.db.execute(sql`
    delete from collection_queue q using ${rowsOf(rows, "id text, queued_at bigint")}
    where q.project_id = ${tx.projectId} and q.conversation_id = any(${textArray(queued.map(({ id }) => id))})
      and q.conversation_id = t.id and q.queued_at = t.queued_at`);
}

/** Ends the automatic passes of a project whose queue is empty or contains only conversations that have not settled. */
async function endPasses(ctx: Ctx) {
  const passes = await ctx.db.select().from(collectionPasses).where(isAutomatic(ctx)).orderBy(collectionPasses.id);
  for (const { id } of passes) {
    for (let turn: string | undefined = "more"; turn === "more"; ) {
      turn = await onLocked(ctx, id, async (tx, dataset, pass) => {
        const { collectionEnabled, collectionReview: review } = await readDatasetRow(tx, dataset.id);
        if (collectionEnabled) return finishSome(tx, dataset, pass, { review });
        await endPass(tx, dataset, pass, { status: "cancelled", error: "Collection was turned off." });
        return "done";
      });
    }
  }
}
