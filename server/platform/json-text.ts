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
