import { isVerbatim, parseExactJson, withPlainNumbers } from "@/server/platform/json/exact-json";

/**
 * Parses the JSON of a row. A call's arguments are stored as text: if they are an object with numbers that JavaScript would
 * change, they become their own text here. Tools keep the digits of their numbers; elsewhere numbers are JavaScript's.
 */
export const parseRow = (text: string): unknown => withPlainNumbers(parseExactJson(text), asSent);

function asSent(key: string, field: unknown, object: object): unknown {
  if (isVerbatim(key)) return field;
  if (key !== "arguments" || typeof field !== "object" || field === null) return undefined;
  const isCall = typeof (object as { name?: unknown }).name === "string";
  const plain = isCall ? withPlainNumbers(field) : field;
  return plain === field || typeof plain !== "object" ? undefined : JSON.stringify(field);
}
