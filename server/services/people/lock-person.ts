import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import type { InstallationCtx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";

/** An arbitrary advisory lock key of our own: serializes changes of people, so that an owner always remains. */
const PEOPLE_LOCK = 7_231_004_119;

/** Returns the person, locked until the end of the transaction. Throws `not_found`. */
export async function lockPerson(db: Db, userId: string) {
  await db.execute(sql`select pg_advisory_xact_lock(${PEOPLE_LOCK}::bigint)`);
  const [person] = await db.select().from(users).where(eq(users.id, userId)).for("update");
  if (!person) throw notFound("The person");
  return person;
}

/** Throws `conflict` when the installation would lose its last owner. Call it with the lock held. */
export async function requireOtherInstallationOwner(db: Db, leaving: { id: string; installationOwner: boolean }) {
  if (!leaving.installationOwner) return;
  const [other] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.installationOwner, true), isNull(users.disabledAt), ne(users.id, leaving.id)))
    .limit(1);
  if (!other) {
    throw new ServiceError("conflict", "This is the installation's last owner: make someone else an owner first.");
  }
}

/** Throws `conflict` when callers act on their own account, so that nobody locks themselves out by mistake. */
export function refuseSelf(ctx: InstallationCtx, userId: string, what: string) {
  if ("operator" in ctx || ctx.userId !== userId) return;
  throw new ServiceError("conflict", `You cannot ${what} yourself: ask another owner of the installation.`);
}
