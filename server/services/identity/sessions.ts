import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { sessions, users } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

const DAY_MS = 86_400_000;
/** How long a sign-in by password lasts, and every cookie: the row decides. */
export const SESSION_SECONDS = (30 * DAY_MS) / 1000;
/** A provider that lets somebody go tells us nothing: within this time they have to come through it again. */
const SIGN_ON_SECONDS = 12 * 3600;
const LASTS_SECONDS = { password: SESSION_SECONDS, "single-sign-on": SIGN_ON_SECONDS };
/** How somebody proved who they are. */
export type AuthMethod = keyof typeof LASTS_SECONDS;
/** `last_seen_at` is for people; it need not cost a write for each request. */
const SEEN_RESOLUTION_MS = 5 * 60_000;
const USER_AGENT_MAX = 300;

/** A signed-in browser and whose it is. */
export type Session = { id: string; user: { id: string; email: string; name: string | null } };

type Opened = { userId: string; userAgent?: string | undefined; authMethod?: AuthMethod };

/** Opens a session for a person who has just proved who they are. Its end is fixed, however much it is used. */
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

/** The session, or `null` once it was ended or has run out. Asked for each request: ending one takes effect at once. */
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

/** Signs that browser out everywhere at once. Ending it twice keeps the first time. */
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
