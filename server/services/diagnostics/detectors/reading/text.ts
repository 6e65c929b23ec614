import type { Message } from "@/server/services/telemetry/schemas";

const texts = new WeakMap<Message, string>();

/** Returns the text of a message: its `text` parts joined without a separator. Evidence offsets index into this string. */
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

/** From this many ranges on, overwriting code units is faster than joining pieces. */
const MANY_RANGES = 1000;

/** Replaces the characters of each `[start, end)` by spaces, which preserves offsets into the rest. */
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
