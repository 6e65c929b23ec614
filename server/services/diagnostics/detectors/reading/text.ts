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

/** From here on it is quicker to write into the text's code units than to join pieces of it. */
const MANY_RANGES = 1000;

/** Writes every character of `[start, end)` as a space, so that offsets into the rest stay true. */
export function blank(text: string, ranges: readonly (readonly [number, number])[]): string {
  if (ranges.length === 0) return text;
  if (ranges.length > MANY_RANGES) return overwritten(text, ranges);
  let result = "";
  let from = 0;
  for (const [start, end] of ranges) {
    if (start < from) continue;
    result += text.slice(from, start) + " ".repeat(end - start);
    from = end;
  }
  return result + text.slice(from);
}

function overwritten(text: string, ranges: readonly (readonly [number, number])[]): string {
  const units = Buffer.from(text, "utf16le");
  let from = 0;
  for (const [start, end] of ranges) {
    if (start < from) continue;
    for (let at = start; at < end; at++) units.writeUInt16LE(SPACE, at * 2);
    from = end;
  }
  return units.toString("utf16le");
}
const SPACE = 0x20;
