import { randomBytes } from "node:crypto";
import { newId } from "../ids";
import { seal, unseal } from "../seal";
import { derivedSecret } from "../secrets";

const KEY_BYTES = 32;

const root = () => Buffer.from(derivedSecret("key-ring"), "hex");
const contextOf = (id: string) => JSON.stringify(["ring-key", id]);

/** A stored key of the ring. */
export type RingKey = { id: string; wrapped: string };

/** Returns a new ring key, wrapped under WHETSTONE_SECRET. */
export function newRingKey(): RingKey {
  const id = newId("rk");
  return { id, wrapped: seal(root(), randomBytes(KEY_BYTES).toString("base64"), contextOf(id)) };
}

/** Returns the key itself; `undefined` if it was wrapped under another WHETSTONE_SECRET or the row was tampered with. */
export function unwrapRingKey({ id, wrapped }: RingKey): Buffer | undefined {
  try {
    return Buffer.from(unseal(root(), wrapped, contextOf(id)), "base64");
  } catch {
    return undefined;
  }
}
