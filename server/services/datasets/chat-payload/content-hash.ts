import { hash } from "node:crypto";
import { canonicalJson } from "@/server/platform/canonical-json";
import { CHAT_KEYS, type ChatPayload } from "./schemas";

const { message, ...others } = CHAT_KEYS;
/** Every field of a payload in the order of RFC 8785, but for those inside a tool's `parameters`. */
export const PAYLOAD_FIELDS: string[] = [
  ...new Set([...Object.values(message), ...Object.values(others)].flatMap((keys) => [...keys])),
].sort();

/** Given the fields in their order, `JSON.stringify` writes canonical JSON itself, and faster. */
const canonical = (payload: ChatPayload) =>
  payload.input.tools ? canonicalJson(payload) : JSON.stringify(payload, PAYLOAD_FIELDS);

/** An import asks for the hash of a row twice. */
const known = new WeakMap<ChatPayload, string>();

/** Returns the SHA-256 (hex) of a valid payload's canonical JSON (RFC 8785), so that the order of its fields makes no difference. */
export function contentHashOf(payload: ChatPayload): string {
  const found = known.get(payload) ?? hash("sha256", canonical(payload));
  known.set(payload, found);
  return found;
}
