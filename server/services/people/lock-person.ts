import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import type { InstallationCtx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";

/** Any number, as long as nothing else takes it: changes of people happen one at a time, so that an owner is left. */
const PEOPLE_LOCK = 7_231_004_119;

/** The person, as they stay until the end of the transaction. */
export async function lockPerson(db: Db, userId: string) {
  await db.execute(sql`select pg_advisory_xact_lock(${PEOPLE_LOCK}::bigint)`);
  const [person] = await db.select().from(users).where(eq(users.id, userId)).for("update");
  if (!person) throw notFound("The person");
  return person;
}

/** Refuses to take the last owner from the installation. Call it with the lock held. */
export async function requireOtherInstallationOwner(db: Db, leaving: { id: string; installationOwner: boolean }) {
  if (!leaving.installationOwner) return;
  const [other] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.installationOwner, true), isNull(users.disabledAt), ne(users.id, leaving.id)))
    .limit(1);
  if (!other) {
    throw new ServiceError("conflict", "This is the installation's last owner: make somebody else an owner first.");
  }
}

/** Nobody shuts themselves out by mistake; another owner can, and the operator. */
export function refuseSelf(ctx: InstallationCtx, userId: string, what: string) {
  if ("operator" in ctx || ctx.userId !== userId) return;
  throw new ServiceError("conflict", `You cannot ${what} yourself: ask another owner of the installation.`);
}
