import { and, eq, gt, lt, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { signInNetworks, users } from "@/db/schema";
import { networkOf } from "@/server/platform/http/visitor-network";
import { isPossibleEmail } from "./find-user";
import { keyedHash } from "./keyed-hash";

const FAMILIAR_FOR_MS = 90 * 86_400_000;
const since = sql`${NOW} - ${FAMILIAR_FOR_MS}::bigint`;
const hashedNetwork = (address: string) => keyedHash(`network ${networkOf(address)}`);

/** Records a successful authentication from this address, and deletes the person's expired networks. */
export async function recordSignInNetwork(
  db: Db,
  { userId, address }: { userId: string; address: string | null | undefined },
) {
  if (!address) return;
  await db.delete(signInNetworks).where(and(eq(signInNetworks.userId, userId), lt(signInNetworks.lastUsedAt, since)));
  await db
    .insert(signInNetworks)
    .values({ userId, network: hashedNetwork(address), lastUsedAt: NOW })
    .onConflictDoUpdate({
      target: [signInNetworks.userId, signInNetworks.network],
      set: { lastUsedAt: NOW },
    });
}

/** Returns whether this person has authenticated from this network before; `false` when no account has the address. */
export async function isFamiliar(db: Db, { email, address }: { email: string; address: string }): Promise<boolean> {
  if (!isPossibleEmail(email)) return false;
  const [found] = await db
    .select({ userId: users.id })
    .from(signInNetworks)
    .innerJoin(users, eq(users.id, signInNetworks.userId))
    .where(
      and(
        eq(sql`lower(${users.email})`, sql`lower(${email.trim()})`),
        eq(signInNetworks.network, hashedNetwork(address)),
        gt(signInNetworks.lastUsedAt, since),
      ),
    );
  return found !== undefined;
}
