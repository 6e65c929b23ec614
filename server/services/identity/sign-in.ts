import { eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { recordSignInNetwork } from "./familiar-networks";
import { findUserByEmail, isPossibleEmail } from "./find-user";
import { requirePasswords } from "./passwords-enabled";
import { type AuthMethod, startSession } from "./sessions";
import { verifyPassword } from "./verify-password";

/** Who knocks: the browser, and the request as the audit log tells of it. */
export type Visitor = { userAgent?: string | undefined; request: RequestInfo };

/** A person who was let in, and the session that was opened for them. */
export type SignedIn = { userId: string; sessionId: string };

type Entered = {
  userId: string;
  authMethod: AuthMethod;
  /** What the account's log calls the way in. */
  by: string;
  visitor: Visitor;
};

/**
 * Whether the person has been disabled. Until the end of the transaction that stays so: who is just being disabled does
 * not get a session that outlives it.
 */
export async function isDisabled(tx: Db, userId: string): Promise<boolean> {
  const [person] = await tx
    .select({ disabledAt: users.disabledAt })
    .from(users)
    .where(eq(users.id, userId))
    .for("share");
  return !person || person.disabledAt !== null;
}

const disabled = () => new ServiceError("forbidden", "This account is disabled. Ask an owner of this installation.");

/** Opens a session for somebody who has just proved who they are; refuses whom an owner has disabled. */
export const openSession = (db: Db, { userId, authMethod, by, visitor }: Entered) =>
  db.transaction(async (tx): Promise<SignedIn> => {
    if (await isDisabled(tx, userId)) throw disabled();
    const sessionId = await startSession(tx, { userId, userAgent: visitor.userAgent, authMethod });
    await recordSignInNetwork(tx, { userId, address: visitor.request.address });
    await recordAudit(tx, {
      action: "account.signIn",
      projectId: null,
      actor: { kind: "user", id: userId, sessionId },
      target: { type: "session", id: sessionId },
      after: { by },
      request: visitor.request,
    });
    return { userId, sessionId };
  });

/** Signs a person in by e-mail and password; `null` when they do not belong together. */
export async function signInWithPassword(
  db: Db,
  given: { email: string; password: string; visitor: Visitor },
): Promise<SignedIn | null> {
  requirePasswords();
  const { email, password, visitor } = given;
  const refused = (why: string) => recordRefusedSignIn(db, { account: { email }, by: "password", why, visitor });
  try {
    const user = await verifyPassword(db, { email, password, address: visitor.request.address ?? "unknown" });
    if (user) return await openSession(db, { userId: user.id, authMethod: "password", by: "password", visitor });
    refused("the password is wrong");
    return null;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "rate_limited") refused("too many attempts");
    // Told to nobody but whoever has the password.
    if (error instanceof ServiceError && error.code === "forbidden") refused("the account is disabled");
    throw error;
  }
}

const MINUTE_MS = 60_000;

const minuteOf = (at: number) => Math.floor(at / MINUTE_MS);

/** What accounts were told of in this minute: a flood of refused attempts asks the database nothing. */
const recentlyRecorded = new LRUCache<string, true>({ max: 10_000, ttl: MINUTE_MS });

type Refusal = { account: { email: string } | { userId: string }; by: string; why: string; visitor: Visitor };

/**
 * Tells an account (the one with this address, if there is one) that somebody was not let into it. Nobody waits for it: an
 * answer that took longer for addresses that have an account would tell which have.
 */
export function recordRefusedSignIn(db: Db, refusal: Refusal): void {
  const told = `${minuteOf(Date.now())} ${Object.values(refusal.account).join().toLowerCase()}`;
  if (recentlyRecorded.has(told)) return;
  recentlyRecorded.set(told, true);
  recordRefusal(db, refusal).catch((error: unknown) => {
    recentlyRecorded.delete(told);
    logger("auth").warn({ err: loggable(error) }, "A refused sign-in could not be written to the audit log.");
  });
}

const idOf = async (db: Db, email: string) =>
  isPossibleEmail(email) ? (await findUserByEmail(db, email))?.id : undefined;

/** One row an account and minute, whoever tries however often. */
async function recordRefusal(db: Db, { account, by, why, visitor }: Refusal, now = Date.now()) {
  const userId = "userId" in account ? account.userId : await idOf(db, account.email);
  if (userId === undefined) return;
  await recordAudit(db, {
    id: `aud_refused_${minuteOf(now)}_${userId}`,
    action: "account.signInRefused",
    projectId: null,
    userId,
    // Whoever it was: nobody has shown to be this person.
    actor: { kind: "visitor", id: null },
    target: { type: "user", id: userId },
    after: { by, why },
    request: visitor.request,
  });
}
