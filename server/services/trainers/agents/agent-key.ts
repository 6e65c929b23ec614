import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { newId } from "@/server/platform/ids";
import { derivedSecret } from "@/server/platform/secrets";

/** whtr_<id>_<secret>: 32 hex digits, then 32 random bytes in base64url. */
const KEY = /^whtr_([0-9a-f]{32})_([\w-]{43})$/;
const HINT_LENGTH = 4;

const hashOf = (key: string) => createHmac("sha256", derivedSecret("trainers")).update(key).digest("hex");

/** Generates a trainer's key, and its id if it is new. Returns the key as shown once, and what is stored of it. */
export function newAgentKey(id = newId("trn")) {
  const key = `whtr_${id.slice("trn_".length)}_${randomBytes(32).toString("base64url")}`;
  return { id, key, keyHash: hashOf(key), keyHint: key.slice(-HINT_LENGTH) };
}

/** Returns the trainer's id in a well-formed key, which need not have been issued. */
export function idOfAgentKey(key: string): string | undefined {
  const id = KEY.exec(key)?.[1];
  return id === undefined ? undefined : `trn_${id}`;
}

/** Compares in constant time. */
export function isKeyOf(key: string, keyHash: string): boolean {
  const [given, stored] = [Buffer.from(hashOf(key)), Buffer.from(keyHash)];
  return given.length === stored.length && timingSafeEqual(given, stored);
}
