import { parseJson } from "@/server/platform/json-text";

/** JSON text with keys sorted and spaces gone, so that two spellings of a value compare equal; other text trimmed. */
export function canonicalJson(text: string): string {
  const value = parseJson(text);
  return (value === undefined ? null : writeJson(sorted(value, 0))) ?? text.trim();
}

/** JSON text of a value, or `null` where there is none: it nests deeper than the engine can write. */
export function writeJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

/** Deeper values are compared in the order in which they were sent. */
const SORT_DEPTH = 20;

function sorted(value: unknown, depth: number): unknown {
  if (depth >= SORT_DEPTH || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return entries.map(([key, item]) => [key, sorted(item, depth + 1)]);
}
