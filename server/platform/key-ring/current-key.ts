import { eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { ringKeys } from "@/db/schema";
import { ServiceError } from "../errors";
import { newRingKey, unwrapRingKey } from "./ring-key";

/** Held shared by who seals and alone by who rotates: nothing is sealed under a key after it was replaced. */
const RING_LOCK = 7_214_309_551;

const readCurrent = async (tx: Db) => (await tx.select().from(ringKeys).where(eq(ringKeys.current, true)))[0];

/** Returns the key that new secrets are sealed under, making the first. Its transaction holds off rotations until it ends. */
export async function currentRingKey(tx: Db): Promise<{ id: string; key: Buffer }> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${RING_LOCK}::bigint)`);
  let stored = await readCurrent(tx);
  if (!stored) {
    await tx
      .insert(ringKeys)
      .values({ ...newRingKey(), current: true })
      .onConflictDoNothing();
    stored = await readCurrent(tx);
  }
  const key = stored && unwrapRingKey(stored);
  if (!stored || !key) {
    throw new ServiceError(
      "unavailable",
      "The key ring was made under another WHETSTONE_SECRET. The operator can give that one again, or start a new key: npm run -s cli -- secret rotate",
    );
  }
  return { id: stored.id, key };
}

/** Puts a new key in the place of the one that new secrets are sealed under, which stays for what it sealed. */
export async function replaceCurrentRingKey(tx: Db): Promise<string> {
  await tx.execute(sql`select pg_advisory_xact_lock(${RING_LOCK}::bigint)`);
  await tx.update(ringKeys).set({ current: false }).where(eq(ringKeys.current, true));
  const made = newRingKey();
  await tx.insert(ringKeys).values({ ...made, current: true });
  return made.id;
}
