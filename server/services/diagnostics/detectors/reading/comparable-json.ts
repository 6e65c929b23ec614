import { canonicalJson } from "@/server/platform/canonical-json";
import { parseJson } from "@/server/platform/json-text";

/** Returns JSON text in its canonical form, so that two spellings of a value compare equal; other text trimmed. */
export function comparableJson(text: string): string {
  const value = parseJson(text);
  if (value === undefined) return text.trim();
  try {
    return canonicalJson(value);
  } catch {
    // Half a surrogate pair, or more levels than the stack holds.
    return writeJson(value) ?? text.trim();
  }
}

/** JSON text of a value, or `null` where there is none: it nests deeper than the engine can write. */
export function writeJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}
