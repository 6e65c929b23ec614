import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { sessions, users } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { newId } from "@/server/platform/ids";

/** Lifetime of a password session, and of every cookie: the session's row is what counts. */
export const SESSION_SECONDS = (30 * DAY_MS) / 1000;
/** Providers do not report people who leave, so provider sessions are short and a new sign-in checks again. */
const SIGN_ON_SECONDS = 12 * 3600;
const LASTS_SECONDS = { password: SESSION_SECONDS, "single-sign-on": SIGN_ON_SECONDS };
/** How a person authenticated. */
export type AuthMethod = keyof typeof LASTS_SECONDS;
/** `last_seen_at` is informational and not worth a write per request. */
const SEEN_RESOLUTION_MS = 5 * 60_000;
const USER_AGENT_MAX = 300;

/** A signed-in browser and its user. */
export type Session = { id: string; user: { id: string; email: string; name: string | null } };

type Opened = { userId: string; userAgent?: string | undefined; authMethod?: AuthMethod };

/** Creates a session for a person who has just authenticated. It expires at a fixed time, however much it is used. */
export async function startSession(db: Db, { userId, userAgent, authMethod = "password" }: Opened) {
  const id = newId("ses");
  await db.insert(sessions).values({
    id,
    userId,
    lastSeenAt: NOW,
    expiresAt: sql`${NOW} + ${LASTS_SECONDS[authMethod] * 1000}::bigint`,
    userAgent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
  });
  return id;
}

const stale = sql<boolean>`${sessions.lastSeenAt} < ${NOW} - ${SEEN_RESOLUTION_MS}::bigint`;

/** Returns the session; `null` when revoked or expired. Read on each request, so that a revocation takes effect immediately. */
export async function readSession(db: Db, id: string): Promise<Session | null> {
  const [row] = await db
    .select({ id: sessions.id, userId: users.id, email: users.email, name: users.name, stale })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, id), isNull(sessions.revokedAt), gt(sessions.expiresAt, NOW), isNull(users.disabledAt)));
  if (!row) return null;
  if (row.stale) {
    await db
      .update(sessions)
      .set({ lastSeenAt: NOW })
      .where(and(eq(sessions.id, id), stale));
  }
  return { id: row.id, user: { id: row.userId, email: row.email, name: row.name } };
}

/** Revokes a session, effective immediately. Revoking it again keeps the first time. */
export const endSession = (db: Db, id: string, request?: RequestInfo) =>
  db.transaction(async (tx) => {
    const [ended] = await tx
      .update(sessions)
      .set({ revokedAt: NOW })
      .where(and(eq(sessions.id, id), isNull(sessions.revokedAt)))
      .returning({ userId: sessions.userId });
    if (!ended) return;
    await recordAudit(tx, {
      action: "account.signOut",
      projectId: null,
      actor: { kind: "user", id: ended.userId, sessionId: id },
      target: { type: "session", id },
      request,
    });
  });
