import type { Message } from "@/server/services/telemetry/schemas";

const texts = new WeakMap<Message, string>();

/** The text of a message: its `text` parts, joined without a separator. Evidence offsets index into this string. */
export function textOf(message: Message): string {
  const { parts } = message;
  if (parts.length <= 1) return parts[0]?.type === "text" ? (parts[0].text ?? "") : "";
  let text = texts.get(message);
  if (text === undefined) {
    text = "";
    for (const part of parts) if (part.type === "text") text += part.text ?? "";
    texts.set(message, text);
  }
  return text;
}

/** White space that is not one plain space already: far less to replace than all of it. */
const UNEVEN_SPACE = /\s{2,}|[^\S ]/g;

/** `text` with every run of white space as one space, and none at its ends. */
export const onOneLine = (text: string): string => text.replace(UNEVEN_SPACE, " ").trim();

/** The first `limit` characters of `text` on one line, for titles and summaries. */
export function excerpt(text: string, limit: number): string {
  const line = onOneLine(text.slice(0, limit * 2));
  return line.length <= limit ? line : `${line.slice(0, limit - 1).trimEnd()}…`;
}

/** Writes every character of `[start, end)` as a space, so that offsets into the rest stay true. */
export function blank(text: string, ranges: readonly (readonly [number, number])[]): string {
  if (ranges.length === 0) return text;
  let result = "";
  let from = 0;
  for (const [start, end] of ranges) {
    if (start < from) continue;
    result += text.slice(from, start) + " ".repeat(end - start);
    from = end;
  }
  return result + text.slice(from);
}
