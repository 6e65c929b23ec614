/** Limits per piece: they bound memory, and how long recording locks a Rule's Findings. */
const MESSAGES_AT_ONCE = 2_000;
const CONVERSATIONS_AT_ONCE = 50;

/** Divides conversations, in order, into pieces that fit into memory; a conversation over the limit is its own piece. */
export function inPieces<Item>(items: readonly Item[], messagesOf: (item: Item) => number): Item[][] {
  const pieces: Item[][] = [];
  let piece: Item[] = [];
  let messages = 0;
  for (const item of items) {
    const size = messagesOf(item);
    if (piece.length === CONVERSATIONS_AT_ONCE || (piece.length > 0 && messages + size > MESSAGES_AT_ONCE)) {
      pieces.push(piece);
      piece = [];
      messages = 0;
    }
    piece.push(item);
    messages += size;
  }
  return piece.length > 0 ? [...pieces, piece] : pieces;
}
