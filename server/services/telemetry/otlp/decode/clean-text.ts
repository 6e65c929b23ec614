import { isExactNumber, parseExactJson } from "@/server/platform/json/exact-json";
import { MAX_JSON_TEXT_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_TEXT_CHARACTERS_IN_JSON, MAX_VALUE_DEPTH } from "./limits";

const REPLACEMENT = "\uFFFD";

/**
 * Returns text that Postgres can store: NUL and lone surrogates become U+FFFD, over-long text is cut with a visible marker.
 * @param wellFormed true when the text was just decoded from UTF-8, which cannot hold a lone surrogate
 */
export function cleanText(text: string, wellFormed = false): string {
  let clean = text;
  if (clean.includes("\0")) clean = clean.replaceAll("\0", REPLACEMENT);
  if (!wellFormed) clean = clean.toWellFormed();
  return clean.length > MAX_TEXT_CHARACTERS ? shorten(clean) : clean;
}

function shorten(text: string): string {
  if (text.length > MAX_JSON_TEXT_CHARACTERS || !/^\s*[[{]/.test(text)) return cut(text, MAX_TEXT_CHARACTERS);
  try {
    return JSON.stringify(cutInside(parseExactJson(text), 0));
  } catch {
    return cut(text, MAX_TEXT_CHARACTERS);
  }
}

function cutInside(value: unknown, depth: number): unknown {
  if (typeof value === "string")
    return value.length > MAX_TEXT_CHARACTERS_IN_JSON ? cut(value, MAX_TEXT_CHARACTERS_IN_JSON) : value;
  if (value === null || typeof value !== "object" || isExactNumber(value) || depth > MAX_VALUE_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => cutInside(item, depth + 1));
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) copy[key] = cutInside((value as Record<string, unknown>)[key], depth + 1);
  return copy;
}

function cut(text: string, length: number): string {
  // The cut may split a surrogate pair.
  return `${text.slice(0, length).toWellFormed()}… [cut here: ${text.length - length} more characters]`;
}
