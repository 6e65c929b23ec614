import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { invitations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { idOfActor } from "@/server/platform/context";
import { newestFirst } from "@/server/platform/cursor";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { mailInvitation } from "./mails";
import {
  daysFrom,
  type Invitation,
  invitationInput,
  invitationsReply,
  invitedReply,
  inviteInput,
  listInvitationsInput,
} from "./schemas";
import { hashOfToken, linkTo, newToken } from "./token";

type Row = Omit<typeof invitations.$inferSelect, "tokenHash">;

/** Accepted counts before all: an invitation that was used is history, whatever its dates say. */
export const shownInvitation = ({ projectId: _, ...row }: Row, now: number): Invitation => ({
  ...row,
  status:
    row.acceptedAt !== null
      ? "accepted"
      : row.revokedAt !== null
        ? "revoked"
        : row.expiresAt <= now
          ? "expired"
          : "pending",
});

export const inviteMember = verb(
  {
    name: "members.invite",
    summary: "Make a one-time link by which somebody joins the project.",
    description:
      "The link is in this answer only. It works once, until it expires or is revoked. With an address it is also mailed there, where this installation sends e-mail: `mailedTo` says so.",
    capability: "project:admin",
    effect: "write",
    input: inviteInput,
    reply: invitedReply,
  },
  async (ctx, { role, email, days }) => {
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
        expiresAt: daysFrom(now, days),
      })
      .returning();
    if (!row) throw new Error("The insert of an invitation returned no row.");
    auditNote(ctx, {
      target: { type: "invitation", id: row.id },
      after: { role, email: row.email, expiresAt: row.expiresAt },
    });
    const link = linkTo("invite", token);
    const mailedTo = await mailInvitation(ctx, { to: row.email, role, link, expiresAt: row.expiresAt });
    return { invitation: shownInvitation(row, now), token, link, mailedTo };
  },
);

export const listInvitations = verb(
  {
    name: "members.listInvitations",
    summary: "The project's invitations, newest first. Never their links.",
    capability: "project:admin",
    effect: "read",
    input: listInvitationsInput,
    reply: invitationsReply,
  },
  async (ctx, { limit, cursor, pending }) => {
    const list = newestFirst({
      name: "invitations",
      filters: { project: ctx.projectId, pending },
      time: invitations.createdAt,
      id: invitations.id,
      limit,
      cursor,
    });
    const usable = and(isNull(invitations.acceptedAt), isNull(invitations.revokedAt), gt(invitations.expiresAt, NOW));
    const found = await ctx.db
      .select()
      .from(invitations)
      .where(
        and(
          eq(invitations.projectId, ctx.projectId),
          pending === undefined ? undefined : pending ? usable : sql`not (${usable})`,
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, (row) => [row.createdAt, row.id]);
    const now = await databaseNow(ctx.db);
    return { invitations: rows.map((row) => shownInvitation(row, now)), pagination: { limit, nextCursor } };
  },
);

export const revokeInvitation = verb(
  {
    name: "members.revokeInvitation",
    summary: "Revoke an invitation: its link stops working at once.",
    description: "Revoking again changes nothing. One that was accepted cannot be revoked (409): remove the member.",
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
      throw new ServiceError("conflict", "The invitation was accepted already: remove the member instead.");
    }
    const revokedAt = before.revokedAt ?? (await databaseNow(ctx.db));
    await ctx.db.update(invitations).set({ revokedAt }).where(mine);
    const { role, email } = before;
    auditNote(ctx, { before: { role, email, revokedAt: before.revokedAt }, after: { role, email, revokedAt } });
    return { ok: true as const };
  },
);
