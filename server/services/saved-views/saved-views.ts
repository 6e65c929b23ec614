import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { savedViews } from "@/db/schema";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { errorCodes } from "@/server/platform/logging/known-error";
import { canonicalQuery } from "./canonical-query";
import { SAVED_VIEWS_MAX, type SavedView, type SavedViewList } from "./schemas";

type Row = typeof savedViews.$inferSelect;

export const savedViewJson = ({ projectId: _, userId, ...row }: Row): SavedView => ({
  ...row,
  shared: userId === null,
});

/** Returns what the audit log records of a view: of a private one not even the name, and never its filters. */
export const audited = ({ list, userId, name }: Row) =>
  userId === null ? { list, shared: true, name } : { list, shared: false };

/** Returns who asks; `null` for a key. */
export const memberOf = ({ actor }: Ctx) => (actor.kind === "user" ? actor.userId : null);

/** Condition: shared, or the caller's own. */
export function isVisible(ctx: Ctx): SQL | undefined {
  const me = memberOf(ctx);
  const theirs = me === null ? undefined : eq(savedViews.userId, me);
  return and(eq(savedViews.projectId, ctx.projectId), or(isNull(savedViews.userId), theirs));
}

export const isView = (ctx: Ctx, id: string) => and(eq(savedViews.projectId, ctx.projectId), eq(savedViews.id, id));

/** Reads and locks a view that the transaction is about to change or delete. Another member's private view is not found. */
export async function lockSavedView(tx: Ctx, id: string): Promise<Row> {
  const [row] = await tx.db
    .select()
    .from(savedViews)
    .where(and(isVisible(tx), eq(savedViews.id, id)))
    .for("update");
  if (!row) throw notFound("The view");
  if (row.userId === null) requireSharing(tx);
  return row;
}

/** Shared views change what others see: the right to change the project's diagnostics is required. */
const requireSharing = (ctx: Ctx) => requireCapability(ctx, ["diagnostics:write"]);

/** Returns the owner of a view: `null` for a shared one. */
export function ownerOf(ctx: Ctx, shared: boolean): string | null {
  if (shared) {
    requireSharing(ctx);
    return null;
  }
  const me = memberOf(ctx);
  if (me === null) throw unprocessable("/shared", "Only a member has views of their own: share this one.");
  return me;
}

/** Returns a query string in canonical form, or throws `unprocessable` if the list has no such filters. */
export function checkedQuery(list: SavedViewList, query: string): string {
  const checked = canonicalQuery(list, query);
  if (!checked.ok) throw unprocessable("/query", checked.message);
  return checked.query;
}

export async function requireRoom({ db, projectId }: Ctx, list: SavedViewList, userId: string | null) {
  const [counted] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from saved_views
    where project_id = ${projectId} and list = ${list} and user_id is not distinct from ${userId}::text`);
  if ((counted?.count ?? 0) >= SAVED_VIEWS_MAX) {
    throw unprocessable("/name", `This list already has ${SAVED_VIEWS_MAX} views. Delete one first.`);
  }
}

const UNIQUE_VIOLATION = "23505";

/** Runs a write, and converts a name conflict to a field error. */
export async function withUniqueName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!errorCodes(error).includes(UNIQUE_VIOLATION)) throw error;
    throw unprocessable("/name", "Another view of this list already has this name.");
  }
}
