import { canonicalJson } from "@/server/platform/json/canonical-json";
import { parseJson } from "@/server/platform/json/json-text";

/** Returns JSON text in canonical form, so that equal values compare equal; trims other text. */
export function comparableJson(text: string): string {
  const value = parseJson(text);
  if (value === undefined) return text.trim();
  try {
    return canonicalJson(value);
  } catch {
    // Lone surrogates, or nesting that exceeds the stack.
    return writeJson(value) ?? text.trim();
  }
}

/** Returns the JSON text of a value, or `null` when it is nested too deeply. */
export function writeJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}
