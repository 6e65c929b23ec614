import { and, eq, type SQL, sql } from "drizzle-orm";
import { files } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";

export type FileRow = typeof files.$inferSelect;

/** Returns the condition for one file of the project. */
export const theFile = (ctx: Pick<Ctx, "projectId">, id: string): SQL | undefined =>
  and(eq(files.projectId, ctx.projectId), eq(files.id, id));

/** Returns the file's row; throws `not_found`, also for a file that is being deleted. */
export async function readFile(ctx: Ctx, id: string): Promise<FileRow> {
  const [row] = await ctx.db.select().from(files).where(theFile(ctx, id));
  if (!row || row.state === "deleting") throw notFound("The file");
  return row;
}

/** Keys in the store begin with the project, so no key leads into another project. */
export const uploadKey = ({ projectId, id }: Pick<FileRow, "projectId" | "id">) => `${projectId}/uploads/${id}`;
export const objectKey = (projectId: string, object: string) => `${projectId}/objects/${object}`;

/** Serializes decisions about which files of a project share this content. */
export const lockContent = (tx: Ctx, sha256: string) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`file ${tx.projectId} ${sha256}`}, 0))`);

/** Serializes counting the writers of a project. */
export const lockWriters = (tx: Ctx) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`files ${tx.projectId}`}, 0))`);

/** Returns a file as the interface shows it. */
export const fileJson = ({ id, kind, state, name, mediaType, bytes, sha256, createdAt, updatedAt }: FileRow) => ({
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
