import { isExactNumber, parseExactJson } from "@/server/platform/exact-json";

/** JSON nested more deeply stays as JavaScript reads it; no chat is nested so deeply. */
const DEEPEST = 200;

/**
 * Parses the JSON of a row. A call's arguments are stored as text: if they are an object with numbers that JavaScript would
 * change, they become their own text here. Elsewhere numbers are JavaScript's.
 */
export const parseRow = (text: string): unknown => settled(parseExactJson(text), 0);

/** Returns the same value if it has no exact numbers. */
function settled(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return value;
  if (isExactNumber(value)) return Number(value.rawJSON);
  const isCall = typeof (value as { name?: unknown }).name === "string";
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const plain = settled(inner, depth + 1);
    if (plain === inner) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    const stored = isCall && key === "arguments" && typeof plain === "object" ? JSON.stringify(inner) : plain;
    Object.defineProperty(copy, key, { value: stored, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}
