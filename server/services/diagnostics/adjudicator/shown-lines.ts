import { createHash } from "node:crypto";

/**
 * Returns the lines of a conversation's messages that fit into `characters`, in the order of the messages, with the number of
 * messages left out in between. `byImportance`: the index of every message, most important first.
 */
export function shownLines(
  byImportance: readonly number[],
  lineOf: (index: number) => string,
  characters: number,
): string[] {
  const shown = new Map<number, string>();
  let left = characters;
  for (const index of byImportance) {
    const line = lineOf(index);
    left -= line.length;
    if (left < 0) break;
    shown.set(index, line);
  }
  const lines: string[] = [];
  let next = 0;
  for (const [index, line] of [...shown].sort(([one], [other]) => one - other)) {
    if (index > next) lines.push(JSON.stringify({ leftOut: index - next }));
    lines.push(line);
    next = index + 1;
  }
  if (next < byImportance.length) lines.push(JSON.stringify({ leftOut: byImportance.length - next }));
  return lines;
}

/** Returns a marker for the beginning and end of lines in a prompt that the author of a line cannot predict. */
export const fenceOf = (projectId: string, conversationId: string, lines: readonly string[]): string =>
  createHash("sha256")
    .update(JSON.stringify([projectId, conversationId, lines]))
    .digest("hex")
    .slice(0, 16);

/** Orders messages by importance: the newest, then those that instruct the assistant, then the others from newest to oldest. */
export function newestFirst(messages: readonly { role: string }[]): number[] {
  const rank = (index: number) => {
    if (index === messages.length - 1) return -2;
    return ["system", "developer"].includes(messages[index]!.role) ? -1 : messages.length - index;
  };
  return [...messages.keys()].sort((a, b) => rank(a) - rank(b) || a - b);
}
