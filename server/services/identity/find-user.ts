import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";

const EMAIL_MAX = 254;

/** Returns whether the text can be looked up as an e-mail address at all. */
export const isPossibleEmail = (email: string) => email.length <= EMAIL_MAX && !email.includes("\u0000");

/** Returns the person with this address, compared case-insensitively. For the operator's command line and for sign-in. */
export async function findUserByEmail(db: Db, email: string) {
  const [found] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, sql`lower(${email.trim()})`));
  return found;
}

/** Returns the oldest owner of the installation who can sign in. For the operator's command line. */
export async function findFirstOwner(db: Db) {
  const [found] = await db
    .select()
    .from(users)
    .where(and(eq(users.installationOwner, true), isNull(users.disabledAt)))
    .orderBy(users.createdAt, users.id)
    .limit(1);
  return found;
}
