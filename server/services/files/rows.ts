import { and, eq, type SQL, sql } from "drizzle-orm";
import { files } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";

export type FileRow = typeof files.$inferSelect;

export const theFile = (ctx: Pick<Ctx, "projectId">, id: string): SQL | undefined =>
  and(eq(files.projectId, ctx.projectId), eq(files.id, id));

/** Returns the file's row; one that is being deleted is there for nobody. */
export async function readFile(ctx: Ctx, id: string): Promise<FileRow> {
  const [row] = await ctx.db.select().from(files).where(theFile(ctx, id));
  if (!row || row.state === "deleting") throw notFound("The file");
  return row;
}

/** Where an upload grows, and where content lies: nothing of ours leads from one project to another's. */
export const uploadKey = ({ projectId, id }: Pick<FileRow, "projectId" | "id">) => `${projectId}/uploads/${id}`;
export const objectKey = (projectId: string, object: string) => `${projectId}/objects/${object}`;

/** One at a time decides which files of a project share this content. */
export const lockContent = (tx: Ctx, sha256: string) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`file ${tx.projectId} ${sha256}`}, 0))`);

/** One at a time counts who writes in a project. */
export const lockWriters = (tx: Ctx) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`files ${tx.projectId}`}, 0))`);

export const shown = ({ id, kind, state, name, mediaType, bytes, sha256, createdAt, updatedAt }: FileRow) => ({
  id,
  kind,
  state,
  name,
  mediaType,
  bytes,
  sha256,
  createdAt,
  updatedAt,
});
