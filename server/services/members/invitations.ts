import { and, eq, getTableColumns, gt, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { invitations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { idOfActor } from "@/server/platform/context";
import { listPage } from "@/server/platform/cursor";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { hashOfToken, linkTo, newToken } from "@/server/services/identity";
import { mailInvitation } from "./mail-invitation";
import { issuerMayStillGrant, requireMayGrant } from "./require-may-grant";
import {
  daysFrom,
  type Invitation,
  invitationInput,
  invitationsReply,
  invitedReply,
  inviteInput,
  listInvitationsInput,
} from "./schemas";

type Row = Omit<typeof invitations.$inferSelect, "tokenHash">;

/** Condition on invitations whose link works; it stops working when its creator loses the right to invite. */
export const isPending = (db: Db) =>
  and(
    isNull(invitations.acceptedAt),
    isNull(invitations.revokedAt),
    gt(invitations.expiresAt, NOW),
    issuerMayStillGrant(db),
  );

/** `accepted` takes precedence over revocation and expiry. */
const invitationJson = ({ projectId: _, ...row }: Row, now: number, stillMay = true): Invitation => ({
  ...row,
  status:
    row.acceptedAt !== null
      ? "accepted"
      : row.revokedAt !== null
        ? "revoked"
        : row.expiresAt <= now
          ? "expired"
          : stillMay
            ? "pending"
            : "revoked",
});

export const inviteMember = verb(
  {
    name: "members.invite",
    summary: "Create a one-time link for joining the project.",
    description:
      "The link is returned in this response only. It works once, until it expires or is revoked. With an address it is also mailed there if this installation sends e-mail; see `mailedTo`. An invitation created with a key cannot grant a role with more capabilities than the key, and ends with it: when the key is revoked or expires.",
    capability: "project:admin",
    effect: "write",
    input: inviteInput,
    reply: invitedReply,
  },
  async (ctx, { role, email, days }) => {
    const { endsAt } = await requireMayGrant(ctx, role);
    const token = newToken();
    const now = await databaseNow(ctx.db);
    const [row] = await ctx.db
      .insert(invitations)
      .values({
        projectId: ctx.projectId,
        id: newId("inv"),
        tokenHash: hashOfToken(token),
        role,
        email: email ?? null,
        createdBy: idOfActor(ctx.actor),
        expiresAt: Math.min(daysFrom(now, days), endsAt ?? Number.POSITIVE_INFINITY),
      })
      .returning();
    if (!row) throw new Error("The insert of an invitation returned no row.");
    auditNote(ctx, {
      target: { type: "invitation", id: row.id },
      after: { role, email: row.email, expiresAt: row.expiresAt },
    });
    const link = linkTo("invite", token);
    const mailedTo = await mailInvitation(ctx, { to: row.email, role, link, expiresAt: row.expiresAt });
    return { invitation: invitationJson(row, now), token, link, mailedTo };
  },
);

export const listInvitations = verb(
  {
    name: "members.listInvitations",
    summary: "List the project's invitations, newest first. Never their links.",
    description:
      "A link is shown only once, when it is created. `pending` filters by whether it still works. `status` is `revoked`, too, when its creator lost the right to invite.",
    capability: "project:admin",
    effect: "read",
    input: listInvitationsInput,
    reply: invitationsReply,
  },
  async (ctx, { limit, cursor, pending }) => {
    const usable = isPending(ctx.db);
    const { rows, nextCursor } = await listPage(
      { name: "invitations", table: invitations, filters: { project: ctx.projectId, pending }, limit, cursor },
      (after) =>
        ctx.db
          .select({ ...getTableColumns(invitations), stillMay: sql<boolean>`(${issuerMayStillGrant(ctx.db)})` })
          .from(invitations)
          .where(
            and(
              eq(invitations.projectId, ctx.projectId),
              pending === undefined ? undefined : pending ? usable : sql`not (${usable})`,
              after,
            ),
          ),
    );
    const now = await databaseNow(ctx.db);
    return {
      invitations: rows.map(({ stillMay, ...row }) => invitationJson(row, now, stillMay)),
      pagination: { limit, nextCursor },
    };
  },
);

export const revokeInvitation = verb(
  {
    name: "members.revokeInvitation",
    summary: "Revoke an invitation: its link stops working immediately.",
    description:
      "Revoking it again has no effect. An accepted invitation can't be revoked (409): remove the member instead.",
    capability: "project:admin",
    effect: "write",
    input: invitationInput,
    reply: okReply,
  },
  async (ctx, { invitationId }) => {
    const mine = and(eq(invitations.projectId, ctx.projectId), eq(invitations.id, invitationId));
    const [before] = await ctx.db.select().from(invitations).where(mine).for("update");
    if (!before) throw notFound("The invitation");
    if (before.acceptedAt !== null) {
      throw new ServiceError("conflict", "The invitation has already been accepted: remove the member instead.");
    }
    const revokedAt = before.revokedAt ?? (await databaseNow(ctx.db));
    await ctx.db.update(invitations).set({ revokedAt }).where(mine);
    const { role, email } = before;
    auditNote(ctx, { before: { role, email, revokedAt: before.revokedAt }, after: { role, email, revokedAt } });
    return { ok: true as const };
  },
);
