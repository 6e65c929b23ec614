import { parseExactJson } from "@/server/platform/json/exact-json";

/** Returns JSON pretty-printed with its numbers as written, and any other text unchanged. Always inert text. */
export function prettyText(value: string): string {
  try {
    const parsed = parseExactJson(value);
    return typeof parsed === "object" && parsed !== null ? JSON.stringify(parsed, null, 2) : value;
  } catch {
    return value;
  }
}
