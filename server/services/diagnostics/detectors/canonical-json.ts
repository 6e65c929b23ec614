/** Characters. Longer texts are compared as they are: parsing them would cost more than it tells. */
const PARSE_LIMIT = 262_144;

/** How text that opens so has to end. An error that is thrown costs many times this look. */
const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]", '"': '"' };

/** The value of JSON text, or `undefined` for anything else. Only text that opens like a container or a string is tried. */
export function parseJson(text: string): unknown {
  if (text.length > PARSE_LIMIT) return undefined;
  const trimmed = text.trim();
  const closing = CLOSING[trimmed[0] ?? ""];
  if (closing === undefined || !trimmed.endsWith(closing)) return undefined;
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return undefined;
  }
}

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
