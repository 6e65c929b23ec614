/** Characters. Longer texts are compared verbatim: parsing them would cost more than it is worth. */
const PARSE_LIMIT = 262_144;

/** The closing character for each opening one. This check is many times cheaper than a thrown error. */
const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]", '"': '"' };

/** Returns the value of JSON text, or `undefined`. Only objects, arrays and strings are parsed. */
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
