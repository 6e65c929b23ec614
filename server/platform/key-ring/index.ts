import type { Db } from "@/db/client";
import { currentRingKey } from "./current-key";
import { type Envelope, type Place, sealIn } from "./envelope";

export { currentRingKey, replaceCurrentRingKey } from "./current-key";
export { type Envelope, openFrom, type Place, rewrap } from "./envelope";
export { unwrapRingKey } from "./ring-key";

/** Seals a secret for its place, in the transaction that stores it. */
export const sealSecret = async (tx: Db, place: Place, secret: string): Promise<Envelope> =>
  sealIn(place, secret, await currentRingKey(tx));
