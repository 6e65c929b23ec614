const HEX = /^[0-9a-f]+$/i;
const BASE64 = /^[0-9A-Za-z+/_-]+={0,2}$/;
const ALL_ZERO = /^0+$/;

export const TRACE_ID_BYTES = 16;
export const SPAN_ID_BYTES = 8;

/**
 * Returns an id of a JSON body as lower-case hex, or `null` if it is invalid. The spec says hex; exporters that print
 * protobuf's own JSON write base64, some without padding.
 */
export function idFromText(text: unknown, bytes: number): string | null {
  if (typeof text !== "string") return null;
  if (text.length === bytes * 2 && HEX.test(text)) return notZero(text.toLowerCase());
  const unpadded = Math.ceil((bytes * 4) / 3);
  const padded = Math.ceil(bytes / 3) * 4;
  if ((text.length !== unpadded && text.length !== padded) || !BASE64.test(text)) return null;
  const decoded = Buffer.from(text, "base64");
  return decoded.length === bytes ? notZero(decoded.toString("hex")) : null;
}

/** Returns an id of a protobuf body as lower-case hex, or `null` if it is invalid. */
export function idFromBytes(buffer: Buffer, start: number, end: number, bytes: number): string | null {
  return end - start === bytes ? notZero(buffer.toString("hex", start, end)) : null;
}

function notZero(hex: string): string | null {
  return ALL_ZERO.test(hex) ? null : hex;
}
