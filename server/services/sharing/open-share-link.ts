import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { projects, sharedParts, shareLinks } from "@/db/schema";
import type { SharedPart } from "@/db/schema/json";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { countShareOpening, hashOfToken } from "@/server/services/identity";
import type { ShareMasking } from "./schemas";
import { FIRST_PART, isActive } from "./share-links";

/** What a link shows. `closed`: it worked once, and has expired, was revoked, or lost what it showed. */
export type Shared =
  | { state: "unknown" | "closed" }
  | { state: "open"; masking: ShareMasking; createdAt: number; expiresAt: number; parts: SharedPart[] };

/**
 * Returns what a share link shows, for whoever has it, and counts the opening; the first one is audited. Throws `rate_limited` when
 * the visitor's network opens too many.
 */
export async function openShareLink(db: Db, token: string, request: RequestInfo): Promise<Shared> {
  await countShareOpening(db, { address: request.address ?? "unknown" });
  return db.transaction(async (tx) => {
    const [link] = await tx
      .select({
        projectId: shareLinks.projectId,
        id: shareLinks.id,
        masking: shareLinks.masking,
        createdAt: shareLinks.createdAt,
        expiresAt: shareLinks.expiresAt,
        openedCount: shareLinks.openedCount,
        works: sql<boolean>`(${isActive(tx)} and ${projects.shareLinks})`,
      })
      .from(shareLinks)
      .innerJoin(projects, eq(projects.id, shareLinks.projectId))
      .where(eq(shareLinks.tokenHash, hashOfToken(token)))
      .for("update", { of: shareLinks });
    if (!link) return { state: "unknown" };
    if (!link.works) return { state: "closed" };
    const { projectId, id, openedCount, masking, createdAt, expiresAt } = link;
    const parts = await tx
      .select({ position: sharedParts.position, content: sharedParts.content })
      .from(sharedParts)
      .where(and(eq(sharedParts.projectId, projectId), eq(sharedParts.shareLinkId, id)))
      .orderBy(asc(sharedParts.position));
    if (parts[0]?.position !== FIRST_PART) return { state: "closed" };
    await tx
      .update(shareLinks)
      .set({ openedCount: openedCount + 1, lastOpenedAt: NOW })
      .where(and(eq(shareLinks.projectId, projectId), eq(shareLinks.id, id)));
    if (openedCount === 0) {
      await recordAudit(tx, {
        action: "shareLinks.open",
        projectId,
        actor: { kind: "visitor", id: null },
        target: { type: "shareLink", id },
        after: null,
        request,
      });
    }
    return { state: "open", masking, createdAt, expiresAt, parts: parts.map(({ content }) => content) };
  });
}
