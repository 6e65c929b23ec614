import { eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { ringKeys } from "@/db/schema";
import { ServiceError } from "../errors";
import { newRingKey, unwrapRingKey } from "./ring-key";

/** Shared for sealing, exclusive for rotation: nothing is sealed under a key after it was replaced. */
const RING_LOCK = 7_214_309_551;

const readCurrent = async (tx: Db) => (await tx.select().from(ringKeys).where(eq(ringKeys.current, true)))[0];

/** Returns the key for new secrets, creating the first one. Blocks rotations until the caller's transaction ends. */
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
      "The key ring was created under another WHETSTONE_SECRET. The operator can restore that secret, or start a new key: npx whetstone secret rotate",
    );
  }
  return { id: stored.id, key };
}

/** Replaces the key for new secrets and returns the new id. The old key stays for what it sealed. */
export async function replaceCurrentRingKey(tx: Db): Promise<string> {
  await tx.execute(sql`select pg_advisory_xact_lock(${RING_LOCK}::bigint)`);
  await tx.update(ringKeys).set({ current: false }).where(eq(ringKeys.current, true));
  const made = newRingKey();
  await tx.insert(ringKeys).values({ ...made, current: true });
  return made.id;
}
