/** Returns a copy of text. A slice of a message keeps the whole message in memory, long after its window is gone. */
export const copied = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");
