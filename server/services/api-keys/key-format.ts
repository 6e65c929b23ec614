import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { newId } from "@/server/platform/ids";
import { derivedSecret } from "@/server/platform/secrets";

/*
 * whet_<id>_<secret><checksum>: 32 hex digits, then 40 and 6 base-62 digits. The checksum is the CRC-32 of everything
 * before it, so that typos are detected without a query and secret scanners can tell our keys from lookalikes.
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

/** Generates a key. Returns it as shown once to its creator, and what is stored of it. */
export function newApiKey() {
  const id = newId("key");
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(62)]).join("");
  const body = `whet_${id.slice("key_".length)}_${secret}`;
  const key = body + base62(crc32(body), CHECKSUM_LENGTH);
  return { id, key, hash: hashOfKey(key), hint: secret.slice(-HINT_LENGTH) };
}

/** Returns the id in a well-formed key with a valid checksum; such a key need not have been issued. */
export function idOfKey(key: string): string | undefined {
  const parts = KEY.exec(key);
  if (!parts) return undefined;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return parts[3] === base62(crc32(body), CHECKSUM_LENGTH) ? `key_${parts[1]}` : undefined;
}

/** Returns the hash to store. Without WHETSTONE_SECRET, a copy of the database neither reveals keys nor lets one forge them. */
export const hashOfKey = (key: string) => createHmac("sha256", derivedSecret("api-keys")).update(key).digest("hex");

/** Compares in constant time. */
export const sameHash = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
