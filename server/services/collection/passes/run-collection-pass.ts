import { collectionPasses } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { storedReason } from "@/server/platform/logging/stored-reason";
import { type LockedDataset, lockConversations, lockDataset, readDatasetRow } from "@/server/services/datasets";
import { type Collecting, collectingOf, isStill } from "./collection-settings";
import { endPass, finishSome } from "./end-pass";
import { ASKED_AT_ONCE, modelProposer, type ProposerFor } from "./model-proposer";
import { isFinished, isPass, type PassRow, updatePass } from "./passes";
import { addCounts, type ReadProposals, readProposals, without } from "./read-proposals";
import { nextConversations, type ScanCursor } from "./settled-conversations";
import { storeProposals } from "./store-proposals";

/** Conversations per transaction. */
const BATCH_SIZE = 50;

type Turn = "more" | "done" | "wait";

/**
 * Continues a requested pass for about `forMs`. A batch is read first, and then stored in one transaction with the cursor, so
 * it can be interrupted anywhere and resumed without storing anything twice. `wait`: something else is writing to the Dataset
 * or to a conversation of the batch.
 */
export async function runCollectionPass(
  ctx: Ctx,
  passId: string,
  { forMs }: { forMs: number },
): Promise<{ done: boolean; wait?: boolean }> {
  const until = performance.now() + forMs;
  const proposerFor = modelProposer(ctx);
  do {
    const turn = await oneBatch(ctx, passId, proposerFor);
    if (turn !== "more") return turn === "done" ? { done: true } : { done: false, wait: true };
  } while (performance.now() < until);
  return { done: false };
}

/** Marks a pass in progress as failed. Its proposals so far stay. */
export const failCollectionPass = (ctx: Ctx, passId: string, message: string) =>
  onLocked(ctx, passId, async (tx, dataset, pass) => {
    await endPass(tx, dataset, pass, { status: "failed", error: storedReason(message) });
  });

/**
 * Runs work on a pass in progress and its Dataset, both locked; returns `undefined` if either is deleted or the pass has ended.
 */
export async function onLocked<T>(
  ctx: Ctx,
  passId: string,
  work: (tx: Ctx, dataset: LockedDataset, pass: PassRow) => Promise<T>,
): Promise<T | undefined> {
  const [known] = await ctx.db.select().from(collectionPasses).where(isPass(ctx, passId));
  if (!known) return undefined;
  try {
    return await inTransaction(ctx, async (tx) => {
      const dataset = await lockDataset(tx, known.datasetId);
      const [pass] = await tx.db.select().from(collectionPasses).where(isPass(tx, passId)).for("update");
      return !pass || isFinished(pass) ? undefined : work(tx, dataset, pass);
    });
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}

async function oneBatch(ctx: Ctx, passId: string, proposerFor: ProposerFor): Promise<Turn> {
  const [pass] = await ctx.db.select().from(collectionPasses).where(isPass(ctx, passId));
  if (!pass || isFinished(pass)) return "done";
  const rows = await datasetOf(ctx, pass.datasetId);
  if (!rows) return "done";
  const { dataset, collecting } = rows;
  const propose = collecting ? await proposerFor([collecting]) : null;
  const next = await nextOf(ctx, pass, propose ? ASKED_AT_ONCE : BATCH_SIZE);
  const settled = next.filter((one) => one.settled);
  const [read] = collecting ? await readProposals(ctx, settled, [collecting], propose) : [];
  const turn = await onLocked(ctx, passId, async (tx, locked, now): Promise<Turn> => {
    const current = await readDatasetRow(tx, now.datasetId);
    if (!current.collectionEnabled || !collecting || !isStill(current, collecting)) {
      const error = current.collectionEnabled ? "What the Dataset collects was changed." : "Collection was turned off.";
      await endPass(tx, locked, now, { status: "cancelled", error });
      return "done";
    }
    // Another worker has stored the batch in the meantime.
    if (!isSameCursor(now.cursor, pass.cursor)) return "more";
    if (next.length === 0) return finishSome(tx, locked, now, { review: dataset.collectionReview });
    return storeBatch(tx, locked, now, { next, settled: settled.length, read: read! });
  });
  return turn ?? "done";
}

const isSameCursor = (one: ScanCursor | null, other: ScanCursor | null) =>
  JSON.stringify(one) === JSON.stringify(other);

async function nextOf(ctx: Ctx, pass: PassRow, most: number) {
  const limit = Math.min(most, pass.conversationsExpected - pass.conversationsRead);
  return limit <= 0 ? [] : nextConversations(ctx, pass, { after: pass.cursor, limit });
}

async function datasetOf(ctx: Ctx, datasetId: string) {
  try {
    const dataset = await readDatasetRow(ctx, datasetId);
    const { collectionObjective: objective } = dataset;
    const [collecting] = objective === null ? [] : await collectingOf(ctx, [{ ...dataset, objective }]);
    return { dataset, collecting: collecting as Collecting | undefined };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}

type Batch = { next: Awaited<ReturnType<typeof nextConversations>>; settled: number; read: ReadProposals };

/** Stores what was read and advances the cursor, unless a conversation is being changed: then the batch is read again. */
async function storeBatch(
  tx: Ctx,
  dataset: LockedDataset,
  pass: PassRow,
  { next, settled, read }: Batch,
): Promise<Turn> {
  const { gone, busy } = await lockConversations(tx, read.read);
  if (busy.size > 0) return "wait";
  const stored = await storeProposals(tx, dataset, pass.id, without(read, gone));
  const left = { ...pass.left };
  addCounts(left, stored.left);
  if (gone.size > 0) addCounts(left, { conversation_gone: gone.size });
  if (settled < next.length) addCounts(left, { not_settled: next.length - settled });
  const last = next.at(-1)!;
  await updatePass(tx, pass.id, {
    status: "running",
    cursor: [last.lastActivityAt, last.id] as const,
    conversationsRead: pass.conversationsRead + next.length,
    proposed: pass.proposed + stored.proposed,
    left,
  });
  return "more";
}
