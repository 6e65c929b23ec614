import { randomUUID } from "node:crypto";
import { and, eq, gt, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { files } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { type FileRow, lockWriters, readFile, theFile } from "./rows";
import { UPLOADS_MAX, WRITERS_MAX } from "./schemas";

/** A writer that died is out of the way after this. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

/** A file's row in the hands of one request. */
export type Held = FileRow & { writer: string };

const leaseEnd = sql<number>`${NOW} + ${LEASE_MS}`;
const ofWriter = (ctx: Ctx, { id, writer }: Held) => and(theFile(ctx, id), eq(files.writer, writer));

async function requireRoom(tx: Ctx) {
  const [busy] = await tx.db
    .select({
      writers: sql<number>`count(*) filter (where ${gt(files.writerUntil, NOW)})::int`,
      uploads: sql<number>`count(*) filter (where ${inArray(files.state, ["uploading", "storing"])})::int`,
    })
    .from(files)
    .where(and(eq(files.projectId, tx.projectId), sql`${files.state} <> 'stored'`));
  if ((busy?.writers ?? 0) >= WRITERS_MAX) {
    throw new ServiceError("rate_limited", `This project writes ${WRITERS_MAX} files at the moment. Try again later.`, {
      retryAfter: RETRY_AFTER_SECONDS,
    });
  }
  return busy?.uploads ?? 0;
}

export type Begun = Pick<FileRow, "name" | "mediaType" | "resumable"> & {
  bytes?: number | undefined;
  sha256?: string | undefined;
};

/** Makes the row of an upload, before its first byte; a `writer` holds it from then on. */
export async function beginFile(tx: Ctx, begun: Begun, writer: string | null = null): Promise<FileRow> {
  await lockWriters(tx);
  if ((await requireRoom(tx)) >= UPLOADS_MAX) {
    throw new ServiceError("conflict", `${UPLOADS_MAX} uploads of this project have not ended. Finish or delete some.`);
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

/** Begins a file that is written in this very request. */
export const beginHeld = (ctx: Ctx, begun: Begun): Promise<Held> =>
  inTransaction(ctx, async (tx) => (await beginFile(tx, begun, randomUUID())) as Held);

/** Takes an upload to write to it; two at once would spoil it. */
export const hold = (ctx: Ctx, fileId: string): Promise<Held> =>
  inTransaction(ctx, async (tx) => {
    await lockWriters(tx);
    await requireRoom(tx);
    const [row] = await tx.db
      .update(files)
      .set({ writer: randomUUID(), writerUntil: leaseEnd, updatedAt: NOW })
      .where(
        and(
          theFile(tx, fileId),
          eq(files.resumable, true),
          inArray(files.state, ["uploading", "storing"]),
          or(isNull(files.writerUntil), lt(files.writerUntil, NOW)),
        ),
      )
      .returning();
    if (row) return row as Held;
    const { state, resumable } = await readFile(tx, fileId);
    const why = state === "stored" || !resumable ? "This is no upload in progress." : "Another request writes to it.";
    throw new ServiceError("conflict", why);
  });

/** Runs the work and keeps the file in hand meanwhile; afterwards it is anybody's. */
export async function whileHeld<T>(ctx: Ctx, held: Held, work: () => Promise<T>): Promise<T> {
  const renew = () => ctx.db.update(files).set({ writerUntil: leaseEnd }).where(ofWriter(ctx, held));
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // Whatever the work came to: a database that is away lets go of it by the end of the lease.
    await ctx.db
      .update(files)
      .set({ writer: null, writerUntil: null, updatedAt: NOW })
      .where(ofWriter(ctx, held))
      .catch(() => {});
  }
}

/** Changes the row as its holder; refused where it was deleted or taken meanwhile. */
export async function changeHeld(tx: Ctx, held: Held, change: Partial<FileRow>): Promise<FileRow> {
  const [row] = await tx.db
    .update(files)
    .set({ ...change, updatedAt: NOW })
    .where(and(ofWriter(tx, held), inArray(files.state, ["uploading", "storing"])))
    .returning();
  if (!row) throw notFound("The file");
  return row;
}
