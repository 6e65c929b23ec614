import { and, eq, exists, getTableColumns, gt, isNull, type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { conversations, findings, projects, sharedParts, shareLinks } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import type { ShareLink } from "./schemas";

type Row = typeof shareLinks.$inferSelect & { name: string | null; hasCopy: boolean };

/** The part that a copy cannot do without. */
export const FIRST_PART = 0;

/** Condition on links: the copy's first part has not been deleted with its conversation. */
const hasCopy = (db: Ctx["db"]) =>
  exists(
    db
      .select({ position: sharedParts.position })
      .from(sharedParts)
      .where(
        and(
          eq(sharedParts.projectId, shareLinks.projectId),
          eq(sharedParts.shareLinkId, shareLinks.id),
          eq(sharedParts.position, FIRST_PART),
        ),
      ),
  );

/** Condition on links: they work. */
export const isActive = (db: Ctx["db"]): SQL =>
  and(isNull(shareLinks.revokedAt), gt(shareLinks.expiresAt, NOW), hasCopy(db)) as SQL;

/** Selects links of the project with the names of what they share. */
export const selectLinks = ({ db, projectId }: Ctx, where: SQL | undefined) =>
  db
    .select({
      ...getTableColumns(shareLinks),
      name: sql<string | null>`coalesce(${conversations.preview}, ${findings.title})`,
      hasCopy: sql<boolean>`(${hasCopy(db)})`,
    })
    .from(shareLinks)
    .leftJoin(
      conversations,
      and(eq(conversations.projectId, shareLinks.projectId), eq(conversations.id, shareLinks.conversationId)),
    )
    .leftJoin(findings, and(eq(findings.projectId, shareLinks.projectId), eq(findings.id, shareLinks.findingId)))
    .where(and(eq(shareLinks.projectId, projectId), where));

export function shareLinkJson(row: Row, now: number): ShareLink {
  const { projectId: _, tokenHash: __, hasCopy, ...shown } = row;
  const status = row.revokedAt !== null ? "revoked" : row.expiresAt <= now ? "expired" : hasCopy ? "active" : "deleted";
  return { ...shown, status };
}

/** Returns whether the project allows share links. The row stays locked, so that turning them off waits or has happened. */
export async function readEnabled(tx: Ctx, lock: "share" | "no key update"): Promise<boolean> {
  const [project] = await tx.db
    .select({ enabled: projects.shareLinks })
    .from(projects)
    .where(eq(projects.id, tx.projectId))
    .for(lock);
  if (!project) throw notFound("The project");
  return project.enabled;
}

export async function requireEnabled(tx: Ctx): Promise<void> {
  if (await readEnabled(tx, "share")) return;
  throw new ServiceError("conflict", "Share links are off in this project. An owner can turn them on in Settings.");
}

/** Revokes links of the project that are not revoked yet, and deletes their copies. Returns how many stopped working. */
export async function revoke(tx: Ctx, which?: SQL): Promise<number> {
  const [counted] = await tx.db.execute<{ revoked: number }>(sql`
    with revoked as (
      update share_links set revoked_at = ${NOW}
      where project_id = ${tx.projectId} and revoked_at is null ${which === undefined ? sql`` : sql`and ${which}`}
      returning id, expires_at
    ), emptied as (
      delete from shared_parts p using revoked r where p.project_id = ${tx.projectId} and p.share_link_id = r.id
    )
    select (count(*) filter (where expires_at > ${NOW}))::int as revoked from revoked`);
  return counted?.revoked ?? 0;
}
