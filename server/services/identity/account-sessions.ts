import { and, eq, gt, isNull } from "drizzle-orm";
import { z } from "zod";
import { NOW } from "@/db/now";
import { sessions } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { okReply } from "@/server/platform/schemas";
import { accountVerb } from "@/server/platform/verb";
import { endSessions } from "./change-password";
import { endedReply, endSessionInput, listSessionsInput, sessionsReply } from "./schemas";

export const listSessions = accountVerb(
  {
    name: "account.sessions",
    summary: "List your signed-in browsers, newest first.",
    effect: "read",
    input: listSessionsInput,
    reply: sessionsReply,
  },
  async ({ db, userId, sessionId }, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "sessions", table: sessions, filters: { userId }, limit, cursor },
      (after) =>
        db
          .select()
          .from(sessions)
          .where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt), gt(sessions.expiresAt, NOW), after)),
    );
    return {
      sessions: rows.map((row) => ({ ...row, current: row.id === sessionId })),
      pagination: { limit, nextCursor },
    };
  },
);

export const endMySession = accountVerb(
  {
    name: "account.endSession",
    summary: "Sign one of your browsers out immediately.",
    effect: "write",
    input: endSessionInput,
    reply: okReply,
  },
  async ({ db, userId }, { sessionId }) => {
    const [ended] = await db
      .update(sessions)
      .set({ revokedAt: NOW })
      .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId), isNull(sessions.revokedAt)))
      .returning({ id: sessions.id });
    if (!ended) throw notFound("The session");
    return { ok: true as const };
  },
);

export const endOtherSessions = accountVerb(
  {
    name: "account.endOtherSessions",
    summary: "Sign out all your other browsers immediately.",
    effect: "write",
    input: z.strictObject({}),
    reply: endedReply,
  },
  async (ctx) => {
    const ended = await endSessions(ctx.db, ctx.userId, ctx.sessionId);
    auditNote(ctx, { target: { type: "user", id: ctx.userId }, after: { sessionsEnded: ended } });
    return { ended };
  },
);
