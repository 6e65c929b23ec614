import { textOf } from "../detectors/reading/text";
import type { ConversationSnapshot } from "../types";

/** A stretch of a message's text, `[start, end)`. */
export type Passage = { messageIndex: number; start: number; end: number };

const MASK = "[removed: an instruction to whoever reads this]";

/**
 * Wording that targets the verdict or instructions of whoever reads it rather than the user or the assistant. Each pattern
 * is literal or bounded, so that matching stays linear.
 */
const ADDRESSES_READER = new RegExp(
  [
    String.raw`\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:above|previous|prior|earlier|preceding|instructions?|rules|prompt|guidelines)\b`,
    String.raw`\b(?:no_match|not_right|cannot_tell)\b`,
    String.raw`["'\x60]?verdict["'\x60]?\s{0,3}[:=]`,
    String.raw`\b(?:answer|reply|respond|output|return|report)\b[^.\n]{0,40}\b(?:no match|match|verdict)\b`,
    String.raw`<\/?(?:information|system|instructions?|important)>`,
    String.raw`\bimportant (?:message|instructions?) (?:from|for|to)\b`,
    String.raw`\b(?:new|updated|real) (?:system )?(?:instructions?|prompt|task)\s{0,3}:`,
    String.raw`\b(?:adjudicator|evaluator|grader|judge|reviewer|classifier)s?\b[^.\n]{0,40}\b(?:must|should|shall|please|note|ignore)\b`,
    String.raw`\bTODO:`,
  ].join("|"),
  "giu",
);

/** An attack is taken to extend to the end of its paragraph. */
const PARAGRAPH_END = /\n\s*\n/g;

/**
 * Finds passages that try to instruct whoever reads the conversation: those quoted by detectors of injected instructions,
 * and those that contain typical wording. Each passage is the whole paragraph.
 */
export function instructionPassages(
  { messages }: Pick<ConversationSnapshot, "messages">,
  quoted: readonly { messageIndex: number | null; start: number; end: number }[],
): Passage[] {
  const passages: Passage[] = [];
  for (const [messageIndex, message] of messages.entries()) {
    const text = textOf(message);
    const own = quoted.filter((one) => one.messageIndex === messageIndex);
    passages.push(...paragraphsIn(text, own).map((one) => ({ messageIndex, ...one })));
  }
  return passages;
}

/** Returns the paragraphs of a text that address its reader, and those of quotes from it. */
function paragraphsIn(text: string, quoted: readonly { start: number; end: number }[]) {
  const hits = [...text.matchAll(ADDRESSES_READER)].map((hit) => ({
    start: hit.index,
    end: hit.index + hit[0].length,
  }));
  return [...hits, ...quoted].map(({ start, end }) => paragraphAround(text, start, end));
}

/** Returns a text without the paragraphs that address whoever reads it. */
export const withoutInstructions = (text: string): string => maskedText(text, paragraphsIn(text, []));

function paragraphAround(text: string, start: number, end: number) {
  let from = 0;
  let to = text.length;
  for (const { index, 0: gap } of text.matchAll(PARAGRAPH_END)) {
    if (index + gap.length <= start) from = index + gap.length;
    if (index >= end) {
      to = index;
      break;
    }
  }
  return { start: from, end: to };
}

/** Returns `[from, to)` of a message's text with each passage in it replaced by one mask. */
export function maskedText(
  text: string,
  passages: readonly Omit<Passage, "messageIndex">[],
  from = 0,
  to = text.length,
): string {
  let result = "";
  let at = from;
  for (const { start, end } of [...passages].sort((a, b) => a.start - b.start)) {
    if (end <= at || start >= to) continue;
    result += text.slice(at, Math.max(at, start)) + (start >= at || at === from ? MASK : "");
    at = end;
  }
  return at < to ? result + text.slice(at, to) : result;
}

/** Returns text without paragraphs, such as a call's arguments, unchanged, or a mask if it addresses its reader. */
export const maskedWhole = (text: string): string => (text.search(ADDRESSES_READER) >= 0 ? MASK : text);
