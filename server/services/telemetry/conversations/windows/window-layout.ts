/** How much of a conversation is read at a time. */
export type WindowSize = {
  messages: number;
  /** Size of the messages' texts and calls, as read. */
  bytes: number;
  /** Messages that a window reads before and after those it owns; fewer where they are long or the conversation ends. */
  around: number;
};

/**
 * 4,000 messages are about 27 MiB of memory (20,000 are 134 MiB), and few conversations are longer, so windows are the
 * exception. A hundred messages on either side are more than any local detector examines.
 */
export const WINDOW: WindowSize = { messages: 4_000, bytes: 16 * 1024 * 1024, around: 100 };

/** Positions `[from, to)`. */
export type Range = { from: number; to: number };
/** The messages that a window reads, and those among them that are its own. */
export type WindowRange = Range & { owns: Range };

/** Share of a window's bytes that the messages on one side may take: if they are long, there are fewer than `around`. */
const SIDE_SHARE = 1 / 8;

/**
 * Divides messages of these lengths into windows. Each message is owned by one window; the sides of windows overlap. A single
 * message is never divided, however long. The last window reaches back as far as its size allows, because it shows the end.
 */
export function layoutWindows(lengths: readonly number[], size: WindowSize): WindowRange[] {
  const side = { messages: size.around, bytes: size.bytes * SIDE_SHARE };
  const own = { messages: Math.max(1, size.messages - 2 * size.around), bytes: size.bytes - 2 * side.bytes };
  const windows: WindowRange[] = [];
  for (let from = 0; from === 0 || from < lengths.length; ) {
    const to = Math.max(Math.min(from + 1, lengths.length), forward(lengths, from, own));
    const isLast = to >= lengths.length;
    const rest = { messages: size.messages - (to - from), bytes: size.bytes - total(lengths, from, to) };
    windows.push({
      from: backward(lengths, from, isLast ? rest : side),
      to: forward(lengths, to, side),
      owns: { from, to },
    });
    if (isLast) break;
    from = to;
  }
  return windows;
}

type Limit = { messages: number; bytes: number };

function forward(lengths: readonly number[], start: number, { messages, bytes }: Limit): number {
  let at = start;
  for (let left = bytes; at < lengths.length && at - start < messages; at++) {
    left -= lengths[at]!;
    if (left < 0) break;
  }
  return at;
}

function backward(lengths: readonly number[], end: number, { messages, bytes }: Limit): number {
  let at = end;
  for (let left = bytes; at > 0 && end - at < messages; at--) {
    left -= lengths[at - 1]!;
    if (left < 0) break;
  }
  return at;
}

const total = (lengths: readonly number[], from: number, to: number) =>
  lengths.slice(from, to).reduce((sum, length) => sum + length, 0);
