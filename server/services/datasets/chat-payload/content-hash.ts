import { hash } from "node:crypto";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { withPlainNumbers } from "@/server/platform/json/exact-json";
import { CHAT_KEYS, type ChatPayload } from "./schemas";

const { message, ...others } = CHAT_KEYS;
/** Every field name of a payload in the order of RFC 8785, except those inside a tool's `parameters`. */
export const PAYLOAD_FIELDS: string[] = [
  ...new Set([...Object.values(message), ...Object.values(others)].flatMap((keys) => [...keys])),
].sort();

/** With the fields in order, `JSON.stringify` itself produces canonical JSON, and is faster. */
const canonical = (payload: ChatPayload) =>
  payload.input.tools ? canonicalJson(withPlainNumbers(payload)) : JSON.stringify(payload, PAYLOAD_FIELDS);

/** Memoized because an import needs the hash of each row twice. */
const known = new WeakMap<ChatPayload, string>();
/** Memoizes a hash that was computed for an equal payload. */
export const rememberContentHash = (payload: ChatPayload, hash: string): void => void known.set(payload, hash);

/**
 * Returns the SHA-256 (hex) of a valid payload's canonical JSON (RFC 8785), which does not depend on the order of its fields.
 */
export function contentHashOf(payload: ChatPayload): string {
  const found = known.get(payload) ?? hash("sha256", canonical(payload));
  known.set(payload, found);
  return found;
}
