import type { Db } from "@/db/client";
import { currentRingKey } from "./current-key";
import { type Envelope, type SecretLocation, sealUnder } from "./envelope";

export { currentRingKey, replaceCurrentRingKey } from "./current-key";
export { type Envelope, rewrap, type SecretLocation, unsealSecret } from "./envelope";
export { unwrapRingKey } from "./ring-key";

/** Seals a secret for its location; call it in the transaction that stores it. */
export const sealSecret = async (tx: Db, location: SecretLocation, secret: string): Promise<Envelope> =>
  sealUnder(location, secret, await currentRingKey(tx));
