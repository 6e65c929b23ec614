import { randomBytes } from "node:crypto";
import { newId } from "../ids";
import { seal, unseal } from "../seal";
import { derivedSecret } from "../secrets";

const KEY_BYTES = 32;

const root = () => Buffer.from(derivedSecret("key-ring"), "hex");
const meaning = (id: string) => JSON.stringify(["ring-key", id]);

/** A key of the ring as it is stored. */
export type RingKey = { id: string; wrapped: string };

/** Makes a ring key, wrapped under WHETSTONE_SECRET. */
export function newRingKey(): RingKey {
  const id = newId("rk");
  return { id, wrapped: seal(root(), randomBytes(KEY_BYTES).toString("base64"), meaning(id)) };
}

/** Returns the key itself; `undefined` where it was wrapped under another WHETSTONE_SECRET or the row was changed. */
export function unwrapRingKey({ id, wrapped }: RingKey): Buffer | undefined {
  try {
    return Buffer.from(unseal(root(), wrapped, meaning(id)), "base64");
  } catch {
    return undefined;
  }
}
