import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { passwordResets } from "@/db/schema";
import { HOUR_MS } from "@/server/platform/durations";
import { hashOfToken, linkTo, newToken } from "../one-time-link";

const LINK_HOURS = 24;

/** Returns when a link created now expires (Unix ms). */
export const resetExpiry = async (db: Db) => (await databaseNow(db)) + LINK_HOURS * HOUR_MS;

/** `createdBy`: an owner, the person themselves, or (`null`) the operator. `mailedOnly`: shown to nobody but the person. */
export type Issue = { userId: string; projectId: string | null; createdBy: string | null; mailedOnly: boolean };

/** Creates a link. The person's earlier unused links stop working. */
export async function issue(db: Db, given: Issue, token = newToken()) {
  const expiresAt = await resetExpiry(db);
  await db.delete(passwordResets).where(and(eq(passwordResets.userId, given.userId), isNull(passwordResets.usedAt)));
  await db.insert(passwordResets).values({ ...given, hash: hashOfToken(token), expiresAt });
  return { token, link: linkTo("reset", token), expiresAt };
}
