import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { memberships, sessions, users } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newestFirst } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { countKeysByMaker, countKeysOf } from "@/server/services/api-keys";
import { listMembersInput, membersReply } from "./schemas";

const shown = (ctx: Pick<Ctx, "db">) => ({
  userId: memberships.userId,
  email: users.email,
  name: users.name,
  role: memberships.role,
  createdAt: memberships.createdAt,
  lastSeenAt: sql<number | null>`(${ctx.db
    .select({ seen: sql`max(${sessions.lastSeenAt})` })
    .from(sessions)
    .where(and(eq(sessions.userId, users.id), isNull(sessions.revokedAt), gt(sessions.expiresAt, NOW)))})`.mapWith(
    (seen: unknown) => (seen === null ? null : Number(seen)),
  ),
});

const from = (ctx: Ctx) =>
  ctx.db.select(shown(ctx)).from(memberships).innerJoin(users, eq(users.id, memberships.userId)).$dynamic();

export async function readMember(ctx: Ctx, userId: string) {
  const [row] = await from(ctx).where(and(eq(memberships.projectId, ctx.projectId), eq(memberships.userId, userId)));
  if (!row) throw notFound("The member");
  return { ...row, activeKeyCount: await countKeysOf(ctx.db, userId, ctx.projectId) };
}

export const listMembers = verb(
  {
    name: "members.list",
    summary: "List the project's members and their roles, newest first.",
    description:
      "`lastSeenAt` is accurate to five minutes, and `null` for a person without a session. `activeKeyCount` counts the active API keys of the project that the person created.",
    capability: "project:admin",
    effect: "read",
    input: listMembersInput,
    reply: membersReply,
  },
  async (ctx, { limit, cursor }) => {
    const list = newestFirst({
      name: "members",
      filters: { project: ctx.projectId },
      time: memberships.createdAt,
      id: memberships.userId,
      limit,
      cursor,
    });
    const found = await from(ctx)
      .where(and(eq(memberships.projectId, ctx.projectId), list.after))
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, (row) => [row.createdAt, row.userId]);
    const keys = await countKeysByMaker(
      ctx.db,
      ctx.projectId,
      rows.map(({ userId }) => userId),
    );
    const members = rows.map((row) => ({ ...row, activeKeyCount: keys.get(row.userId) ?? 0 }));
    return { members, pagination: { limit, nextCursor } };
  },
);
