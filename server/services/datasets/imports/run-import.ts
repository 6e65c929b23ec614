import { and, eq, isNull, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { NOW } from "@/db/now";
import { datasetImports, datasets } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { importRequested } from "@/server/platform/jobs/events";
import { storedReason } from "@/server/platform/logging/stored-reason";
import { emit } from "@/server/platform/outbox";
import { eraseMarkedFiles } from "@/server/services/files";
import { lockDataset } from "../examples/lock-dataset";
import { closeVersion } from "../versions/open-version";
import { type CheckedRow, problemWords } from "./check-row";
import { endImport } from "./end-import";
import { eraseImportFiles } from "./forget-imports";
import { type Rows, resumeRows, shelveRows } from "./open-rows";
import { type ImportRow, isFinished, isImport } from "./read-imports";
import { NamesDeletedExample, recordSources } from "./row-sources";
import { IMPORT_ERRORS_LISTED } from "./schemas";
import { storeRows } from "./store-rows";
import { withoutQuote } from "./without-quote";

/** The weight of the newest measurement in the smoothed rate. */
const RATE_WEIGHT = 0.2;
const MESSAGE_CHARACTERS = 300;

type Turn = "more" | "reopen" | "wait";
type Changed = PgUpdateSetSource<typeof datasetImports>;

/**
 * Continues an import for about `forMs`. Each chunk commits its Examples together with the counts and the position, so the
 * import can be interrupted anywhere and resumes after the last committed row. `wait`: something else is writing to the
 * Dataset.
 */
export async function runImport(
  ctx: Ctx,
  importId: string,
  { forMs }: { forMs: number },
): Promise<{ done: boolean; wait?: boolean }> {
  const until = performance.now() + forMs;
  let row = await find(ctx, importId);
  let rows: Rows | undefined;
  try {
    do {
      if (!row || isFinished(row)) return { done: true };
      if (row.status === "queued") await begin(ctx, row);
      else if (row.status === "cancelling") await endImport(ctx, row);
      else {
        rows ??= await resumeRows(ctx, keyOf(row), row, positionOf(row));
        const turn = await readChunk(ctx, row, rows);
        if (turn === "wait") return { done: false, wait: true };
        if (turn === "reopen") rows = undefined;
      }
      row = await find(ctx, importId);
    } while (performance.now() < until);
  } catch (error) {
    if (!isHopeless(error)) throw error;
    await failImport(ctx, importId, error.message);
    rows = undefined;
  }
  if (rows && row) shelveRows(keyOf(row), rows);
  return { done: false };
}

/** Errors that a retry cannot fix: the file cannot be read, or is gone. */
const isHopeless = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.code === "unprocessable" || error.code === "not_found");

const isBusy = (error: unknown) => error instanceof ServiceError && error.code === "conflict";

const keyOf = ({ projectId, id, status }: ImportRow) => `${projectId} ${id} ${status}`;

const positionOf = ({ status, rowsDone, rowsValid, rejected }: ImportRow) =>
  status === "validating" ? rowsValid + rejected : rowsDone;

/** Returns an import; `undefined` if its Dataset was deleted, since the import is deleted with it. */
async function find(ctx: Ctx, importId: string): Promise<ImportRow | undefined> {
  const [found] = await ctx.db
    .select({ row: datasetImports })
    .from(datasetImports)
    .innerJoin(
      datasets,
      and(eq(datasets.projectId, datasetImports.projectId), eq(datasets.id, datasetImports.datasetId)),
    )
    .where(and(isImport(ctx, importId), isNull(datasets.deletedAt)));
  return found?.row;
}

/** Changes an import unless it has been cancelled, or continued by another worker, since `row` was read. */
async function change(ctx: Ctx, row: ImportRow, changed: Changed): Promise<boolean> {
  const found = await ctx.db
    .update(datasetImports)
    .set(changed)
    .where(
      and(
        isImport(ctx, row.id),
        eq(datasetImports.status, row.status),
        eq(datasetImports.rowsDone, row.rowsDone),
        eq(datasetImports.rowsValid, row.rowsValid),
        eq(datasetImports.rejected, row.rejected),
      ),
    )
    .returning({ id: datasetImports.id });
  return found.length > 0;
}

async function begin(ctx: Ctx, row: ImportRow) {
  const status = row.onError === "all_or_nothing" ? ("validating" as const) : ("storing" as const);
  await change(ctx, row, { status, startedAt: NOW });
}

/** Thrown to roll back a chunk whose import has changed in the meantime. */
class Overtaken extends Error {}

async function readChunk(ctx: Ctx, row: ImportRow, rows: Rows): Promise<Turn> {
  const began = performance.now();
  const taken = await rows.take();
  const bytesDone = rows.bytes;
  if (taken.length === 0) {
    rows.close();
    await finishPhase(ctx, row);
    return "reopen";
  }
  const moved = (seconds: number): Changed => ({
    ...countsOf(row, taken),
    bytesDone,
    rate: smoothed(row.rate, taken.length / seconds),
  });
  const seconds = () => (performance.now() - began) / 1000;
  try {
    if (row.status === "validating") {
      await inTransaction(ctx, async (tx) => {
        await recordSources(tx, row, taken);
        if (!(await change(tx, row, moved(seconds())))) throw new Overtaken();
      });
    } else {
      await inTransaction(ctx, async (tx) => {
        // Safe because a chunk lost in a power failure is stored again: its rows and the position are one transaction. The
        // import's end waits for all.
        await tx.db.execute(sql`set local synchronous_commit = off`);
        const dataset = await lockDataset(tx, row.datasetId);
        const linkOf = await recordSources(tx, row, taken);
        const stored = await storeRows(tx, dataset, row, taken, linkOf);
        const changed = { ...moved(seconds()), ...stored, rowsDone: row.rowsDone + taken.length };
        if (!(await change(tx, row, changed))) throw new Overtaken();
      });
    }
    return "more";
  } catch (error) {
    rows.close();
    if (error instanceof Overtaken) return "reopen";
    if (isBusy(error)) return "wait";
    if (error instanceof NamesDeletedExample) {
      await inTransaction(ctx, (tx) => eraseImportFiles(tx, [row.id], error.message));
      await eraseMarkedFiles(ctx);
      return "reopen";
    }
    throw error;
  }
}

const smoothed = (before: number | null, measured: number) =>
  before === null ? measured : before + RATE_WEIGHT * (measured - before);

/** Returns the counts of usable and unusable rows. The second pass, which stores, leaves the counts of the first unchanged. */
function countsOf(row: ImportRow, taken: readonly CheckedRow[]): Changed {
  if (row.status === "storing" && row.onError === "all_or_nothing") return {};
  const bad = taken.flatMap(({ line, problems }) =>
    problems ? [{ line, message: problems.map((problem) => problemWords(withoutQuote(problem))).join(" ") }] : [],
  );
  const listed = bad.slice(0, Math.max(0, IMPORT_ERRORS_LISTED - row.errors.length));
  return {
    rowsValid: row.rowsValid + taken.length - bad.length,
    rejected: row.rejected + bad.length,
    ...(listed.length > 0 && {
      errors: [
        ...row.errors,
        ...listed.map(({ line, message }) => ({ line, message: storedReason(message, MESSAGE_CHARACTERS) })),
      ],
    }),
  };
}

async function finishPhase(ctx: Ctx, row: ImportRow) {
  if (row.status === "storing") {
    await endImport(ctx, row);
    return;
  }
  if (row.rejected > 0) {
    const error = `${row.rejected} of ${row.rejected + row.rowsValid} rows are unusable, so nothing was stored.`;
    await change(ctx, row, { status: "failed", error, bytesDone: row.bytesTotal, finishedAt: NOW });
    return;
  }
  await change(ctx, row, { status: "storing", bytesDone: 0, rate: null });
}

/**
 * Ends an import in progress as failed: what it stored stays or is taken back, as for a cancelled one. If that fails too, what
 * is stored stays.
 */
export async function failImport(ctx: Ctx, importId: string, message: string): Promise<void> {
  const found = await find(ctx, importId);
  if (!found) return;
  await inTransaction(ctx, async (tx) => {
    const dataset = await lockDataset(tx, found.datasetId);
    const [row] = await tx.db.select().from(datasetImports).where(isImport(tx, importId)).for("no key update");
    if (!row || isFinished(row)) return;
    const hasFailedBefore = row.status === "cancelling" && row.error !== null;
    if (hasFailedBefore) await closeVersion(tx, dataset, importId);
    await tx.db
      .update(datasetImports)
      .set(
        hasFailedBefore
          ? { status: "failed", finishedAt: NOW }
          : { status: "cancelling", error: storedReason(message) },
      )
      .where(isImport(tx, importId));
    await emit(tx.db, importRequested.create({ projectId: tx.projectId, importId }));
  });
}
