import { and, asc, eq, inArray, lt, ne, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { files } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { fileStore } from "@/server/platform/files";
import { type FileRow, lockContent, objectKey, theFile, uploadKey } from "./rows";

/** Says that a file goes: from here on it is there for nobody, and whoever writes to it is refused at the end. */
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

/** Erases the bytes of a file that was marked, and then its row. Content that another file has too stays. May be repeated. */
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

/** Erases what has come of an upload that failed; what cannot be erased now is by housekeeping. */
export async function discard(ctx: Ctx, fileId: string): Promise<void> {
  try {
    const row = await inTransaction(ctx, (tx) => markForErasure(tx, fileId));
    // Deleted meanwhile: what this request has written since is nobody's.
    await (row ? erase(ctx, row) : fileStore().abandon(uploadKey({ projectId: ctx.projectId, id: fileId })));
  } catch {
    // The error that ended the upload is the one to tell.
  }
}

/** Erases stored files that were made before a time, up to so many. Returns how many. */
export async function eraseFilesBefore(ctx: Ctx, before: number, most: number): Promise<number> {
  const old = await ctx.db
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.projectId, ctx.projectId), eq(files.state, "stored"), lt(files.createdAt, before)))
    .orderBy(asc(files.createdAt))
    .limit(most);
  for (const { id } of old) {
    const row = await inTransaction(ctx, (tx) => markForErasure(tx, id));
    if (row) await erase(ctx, row);
  }
  return old.length;
}

/** Erases all bytes of a project; its rows fall with it. */
export const eraseProjectFiles = (ctx: Ctx): Promise<void> => fileStore().removeProject(ctx.projectId);

/** Files whose erasure or upload was interrupted, and for how long nothing has happened to them. */
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
