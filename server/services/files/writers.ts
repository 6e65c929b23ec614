import { randomUUID } from "node:crypto";
import { and, eq, gt, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { files } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { createClockWatch } from "@/server/platform/database/clock-watch";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { type FileRow, lockWriters, readFile, theFile } from "./rows";
import { UPLOADS_MAX, WRITERS_MAX } from "./schemas";

/** After this long, the lease of a dead writer has expired. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

/** A file's row while one request holds its writer lease. */
export type Held = FileRow & { writer: string };

const leaseEnd = sql<number>`${NOW} + ${LEASE_MS}`;
const ofWriter = (ctx: Ctx, { id, writer }: Held) => and(theFile(ctx, id), eq(files.writer, writer));

/** Throws `rate_limited` at the limit of concurrent writers; returns the number of unfinished uploads. */
async function requireWriterSlot(tx: Ctx) {
  const [busy] = await tx.db
    .select({
      writers: sql<number>`count(*) filter (where ${gt(files.writerUntil, NOW)})::int`,
      uploads: sql<number>`count(*) filter (where ${inArray(files.state, ["uploading", "storing"])})::int`,
    })
    .from(files)
    .where(and(eq(files.projectId, tx.projectId), sql`${files.state} <> 'stored'`));
  if ((busy?.writers ?? 0) >= WRITERS_MAX) {
    throw new ServiceError("rate_limited", `This project is already writing ${WRITERS_MAX} files. Retry shortly.`, {
      retryAfter: RETRY_AFTER_SECONDS,
    });
  }
  return busy?.uploads ?? 0;
}

export type Begun = Pick<FileRow, "name" | "mediaType" | "resumable"> & {
  kind?: FileRow["kind"];
  bytes?: number | undefined;
  sha256?: string | undefined;
};

/** Inserts the row of an upload before its first byte, held by `writer` if given. */
export async function beginFile(tx: Ctx, begun: Begun, writer: string | null = null): Promise<FileRow> {
  await lockWriters(tx);
  if ((await requireWriterSlot(tx)) >= UPLOADS_MAX) {
    throw new ServiceError("conflict", `This project has ${UPLOADS_MAX} unfinished uploads. Finish or delete some.`);
  }
  const [row] = await tx.db
    .insert(files)
    .values({
      projectId: tx.projectId,
      id: newId("fil"),
      kind: "import",
      state: "uploading",
      ...begun,
      writer,
      writerUntil: writer === null ? null : leaseEnd,
    })
    .returning();
  return row as FileRow;
}

/** Begins a file that is written by this request. */
export const beginHeld = (ctx: Ctx, begun: Begun): Promise<Held> =>
  inTransaction(ctx, async (tx) => (await beginFile(tx, begun, randomUUID())) as Held);

const clockOfProcess = createClockWatch(LEASE_MS);

/**
 * Takes the writer lease of an upload; throws `conflict` while another request has it. After a jump of the clock, a lease that
 * seems to have ended is left to its holder, which may still append, for as long as a lease lasts.
 */
export const hold = (ctx: Ctx, fileId: string, clock = clockOfProcess): Promise<Held> =>
  inTransaction(ctx, async (tx) => {
    await lockWriters(tx);
    await requireWriterSlot(tx);
    const askedAt = performance.now();
    const isSteady = clock.isSteady(await databaseNow(tx.db), askedAt);
    const [row] = await tx.db
      .update(files)
      .set({ writer: randomUUID(), writerUntil: leaseEnd, updatedAt: NOW })
      .where(
        and(
          theFile(tx, fileId),
          eq(files.resumable, true),
          inArray(files.state, ["uploading", "storing"]),
          or(isNull(files.writerUntil), isSteady ? lt(files.writerUntil, NOW) : undefined),
        ),
      )
      .returning();
    if (row) return row as Held;
    const { state, resumable } = await readFile(tx, fileId);
    const why =
      state === "stored" || !resumable
        ? "This file is not an upload in progress."
        : "Another request is writing to this upload.";
    throw new ServiceError("conflict", why);
  });

/** Runs the work while renewing the lease, then releases it. */
export async function whileHeld<T>(ctx: Ctx, held: Held, work: () => Promise<T>): Promise<T> {
  const renew = () => ctx.db.update(files).set({ writerUntil: leaseEnd }).where(ofWriter(ctx, held));
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // If this fails, the lease expires.
    await ctx.db
      .update(files)
      .set({ writer: null, writerUntil: null, updatedAt: NOW })
      .where(ofWriter(ctx, held))
      .catch(() => {});
  }
}

/** Changes the row as its writer; throws `not_found` if it was deleted or the lease was lost. */
export async function changeHeld(tx: Ctx, held: Held, change: Partial<FileRow>): Promise<FileRow> {
  const [row] = await tx.db
    .update(files)
    .set({ ...change, updatedAt: NOW })
    .where(and(ofWriter(tx, held), inArray(files.state, ["uploading", "storing"])))
    .returning();
  if (!row) throw notFound("The file");
  return row;
}
