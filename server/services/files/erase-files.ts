import { and, asc, eq, inArray, lt, ne, or, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { files } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { fileStore } from "@/server/platform/files";
import { type FileRow, lockContent, objectKey, theFile, uploadKey } from "./rows";

/** Marks a file for erasure: it is no longer found, and a writer in progress is refused at the end. `undefined` if already marked. */
export async function markForErasure(tx: Ctx, fileId: string): Promise<FileRow | undefined> {
  const [found] = await tx.db.select({ sha256: files.sha256 }).from(files).where(theFile(tx, fileId));
  if (found?.sha256) await lockContent(tx, found.sha256);
  const [row] = await tx.db
    .update(files)
    .set({ state: "deleting", writer: null, writerUntil: null, updatedAt: NOW })
    .where(and(theFile(tx, fileId), ne(files.state, "deleting")))
    .returning();
  return row;
}

/** Marks files for erasure with all others of the same content, whose bytes they share. Returns the ids of those marked now. */
export async function markContentForErasure(tx: Ctx, fileIds: readonly string[]): Promise<string[]> {
  const mine = and(eq(files.projectId, tx.projectId), ne(files.state, "deleting"));
  const contents = tx.db
    .select({ sha256: files.sha256 })
    .from(files)
    .where(and(eq(files.projectId, tx.projectId), isOneOf(files.id, fileIds)));
  const found = await tx.db
    .select({ id: files.id })
    .from(files)
    .where(and(mine, or(isOneOf(files.id, fileIds), inArray(files.sha256, contents))))
    .orderBy(asc(files.sha256), asc(files.id));
  for (const { id } of found) await markForErasure(tx, id);
  return found.map(({ id }) => id);
}

/** Erases the content of all files of a project that are marked for it. Idempotent. */
export async function eraseMarkedFiles(ctx: Ctx): Promise<void> {
  const marked = await ctx.db
    .select()
    .from(files)
    .where(and(eq(files.projectId, ctx.projectId), eq(files.state, "deleting")));
  for (const row of marked) await erase(ctx, row);
}

/** Erases the content of a marked file, then its row. Shared content is kept. Idempotent. */
export async function erase(ctx: Ctx, row: FileRow): Promise<void> {
  const store = fileStore();
  await store.abandon(uploadKey(row));
  if (row.object !== null) {
    const [shared] = await ctx.db
      .select({ id: files.id })
      .from(files)
      .where(
        and(
          eq(files.projectId, ctx.projectId),
          eq(files.sha256, row.sha256 as string),
          eq(files.object, row.object),
          inArray(files.state, ["storing", "stored"]),
        ),
      )
      .limit(1);
    if (!shared) await store.remove(objectKey(ctx.projectId, row.object));
  }
  await ctx.db.delete(files).where(and(theFile(ctx, row.id), eq(files.state, "deleting")));
}

/** Erases a failed upload. If that fails too, housekeeping retries it. */
export async function discard(ctx: Ctx, fileId: string): Promise<void> {
  try {
    const row = await inTransaction(ctx, (tx) => markForErasure(tx, fileId));
    // Deleted in the meantime: content written since then has no row.
    await (row ? erase(ctx, row) : fileStore().abandon(uploadKey({ projectId: ctx.projectId, id: fileId })));
  } catch {
    // The caller reports the error that ended the upload.
  }
}

/**
 * Erases up to `most` stored files of imports created before a time (Unix ms), oldest first. Returns the number erased. Frozen
 * Examples stay, as the Examples themselves do.
 */
export async function eraseFilesBefore(ctx: Ctx, before: number, most: number): Promise<number> {
  const old = await ctx.db
    .select({ id: files.id })
    .from(files)
    .where(
      and(
        eq(files.projectId, ctx.projectId),
        eq(files.kind, "import"),
        eq(files.state, "stored"),
        lt(files.createdAt, before),
      ),
    )
    .orderBy(asc(files.createdAt))
    .limit(most);
  for (const { id } of old) {
    const row = await inTransaction(ctx, (tx) => markForErasure(tx, id));
    if (row) await erase(ctx, row);
  }
  return old.length;
}

/** Erases the content of all files of a project; its rows are deleted by cascade. */
export const eraseProjectFiles = (ctx: Ctx): Promise<void> => fileStore().removeProject(ctx.projectId);

/** Returns files whose upload or erasure has been idle for longer than the given times. */
export const staleFiles = (ctx: Ctx, { uploadMs, otherMs }: { uploadMs: number; otherMs: number }) =>
  ctx.db
    .select()
    .from(files)
    .where(
      and(
        eq(files.projectId, ctx.projectId),
        ne(files.state, "stored"),
        sql`coalesce(${files.writerUntil}, 0) < ${NOW}`,
        sql`${files.updatedAt} < ${NOW} - case when ${files.resumable} and ${files.state} <> 'deleting'
          then ${uploadMs}::bigint else ${otherMs}::bigint end`,
      ),
    );
