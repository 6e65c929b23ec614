import { and, eq } from "drizzle-orm";
import { shareLinks } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { shareLinkInput } from "./schemas";
import { revoke } from "./share-links";

export const revokeShareLink = verb(
  {
    name: "shareLinks.revoke",
    summary: "Revoke a share link: it stops working immediately, and its copy is deleted.",
    description: "Revoking it again has no effect.",
    effect: "write",
    capability: "diagnostics:write",
    input: shareLinkInput,
    reply: okReply,
  },
  async (tx, { shareLinkId }) => {
    const [before] = await tx.db
      .select({ revokedAt: shareLinks.revokedAt, openedCount: shareLinks.openedCount })
      .from(shareLinks)
      .where(and(eq(shareLinks.projectId, tx.projectId), eq(shareLinks.id, shareLinkId)))
      .for("update");
    if (!before) throw notFound("The share link");
    await revoke(tx, eq(shareLinks.id, shareLinkId));
    auditNote(tx, { before, after: { revoked: true } });
    return { ok: true as const };
  },
);
