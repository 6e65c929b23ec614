import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { newId } from "@/server/platform/ids";
import { derivedSecret } from "@/server/platform/secrets";

/*
 * whet_<id>_<secret><checksum>: 32 hex digits, 40 and 6 of base 62. The checksum is the CRC-32 of all before it, so that
 * a typing mistake is told without a database, and a secret scanner can tell a key of ours from a lookalike.
 */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 238 bits. */
const SECRET_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const HINT_LENGTH = 4;
const KEY = new RegExp(`^whet_([0-9a-f]{32})_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

function base62(number: number, length: number) {
  let text = "";
  for (let rest = number; text.length < length; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
}

/** The key as shown to its owner, once, and what is kept of it. */
export function newApiKey() {
  const id = newId("key");
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(62)]).join("");
  const body = `whet_${id.slice("key_".length)}_${secret}`;
  const key = body + base62(crc32(body), CHECKSUM_LENGTH);
  return { id, key, hash: hashOfKey(key), hint: secret.slice(-HINT_LENGTH) };
}

/** The id in a key that is well formed and not mistyped; says nothing about whether it was ever issued. */
export function idOfKey(key: string): string | undefined {
  const parts = KEY.exec(key);
  if (!parts) return undefined;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return parts[3] === base62(crc32(body), CHECKSUM_LENGTH) ? `key_${parts[1]}` : undefined;
}

/** What is stored: without WHETSTONE_SECRET, a copy of the database neither gives keys away nor lets one be made. */
export const hashOfKey = (key: string) => createHmac("sha256", derivedSecret("api-keys")).update(key).digest("hex");

/** In a time that does not depend on where the two differ. */
export const sameHash = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
