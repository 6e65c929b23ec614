import { diffArrays } from "diff";
import type { RecordedCall } from "@/server/services/diagnostics";
import type { VariantParameters } from "./schemas";

export type ChatMessage = { role: string; content?: unknown; [field: string]: unknown };
type Tool = { function?: { name?: string; description?: string } };
/** What a model is sent, and what recorded calls of its tools returned, if those are to be played back. */
export type ChatRequest = {
  messages: readonly ChatMessage[];
  tools?: readonly unknown[];
  recorded?: readonly RecordedCall[];
};
export type Overlay = {
  basedOn: string | null;
  systemPrompt: string | null;
  toolDescriptions: Readonly<Record<string, string>>;
};

/** A recorded prompt is the one that was written from, with other values filled in, if it has this share of its words. */
const SAME = 0.5;
const SYSTEM = new Set(["system", "developer"]);

/** Returns a recorded request as the variant changes it; `null` if what it changes is not there. Pure. */
export function withOverlay(
  request: ChatRequest,
  { basedOn, systemPrompt, toolDescriptions }: Overlay,
): ChatRequest | null {
  const messages =
    systemPrompt === null ? request.messages : withSystemPrompt(request.messages, { basedOn, systemPrompt });
  if (messages === null) return null;
  return {
    ...request,
    messages,
    ...(request.tools && { tools: request.tools.map((tool) => described(tool, toolDescriptions)) }),
  };
}

function withSystemPrompt(
  messages: readonly ChatMessage[],
  { basedOn, systemPrompt }: { basedOn: string | null; systemPrompt: string },
): ChatMessage[] | null {
  const [first, ...rest] = messages;
  if (first === undefined || !SYSTEM.has(first.role)) {
    return basedOn === null ? [{ role: "system", content: systemPrompt }, ...messages] : null;
  }
  if (typeof first.content !== "string") return null;
  const content = basedOn === null ? systemPrompt : rewritten(first.content, basedOn, systemPrompt);
  return content === null ? null : [{ ...first, content }, ...rest];
}

/**
 * Makes the same change to a text as from `before` to `after`, where the text is `before` with other values filled in. `null` if
 * it is another text, or lacks the words that are changed or beside which something is added; and where more than `editsMax` words
 * differ.
 */
export function rewritten(text: string, before: string, after: string, editsMax = Infinity): string | null {
  if (text === before) return after;
  const [words, from] = [wordsOf(text), wordsOf(before)];
  const isWord = (word: string) => word.trim() !== "";
  const enough = SAME * from.filter(isWord).length;
  // Texts that are nothing alike take the longest to compare.
  if (inCommon(from.filter(isWord), words) < enough) return null;
  const places = placesOf(from, words, editsMax);
  const changes = diffArrays(from, wordsOf(after), { maxEditLength: editsMax });
  if (places === null || changes === undefined) return null;
  const kept = from.filter((word, at) => isWord(word) && words[places[at] ?? -1] === word).length;
  if (kept < enough) return null;
  const removed = new Set<number>();
  const added = new Map<number, string[]>();
  let at = 0;
  for (const part of changes) {
    if (part.added) {
      // After the word before it or, at the beginning and after a word that is not there, before the next one.
      const place = at > 0 && places[at - 1] != null ? places[at - 1]! + 1 : places[at];
      if (place == null) return null;
      added.set(place, [...(added.get(place) ?? []), ...part.value]);
      continue;
    }
    if (part.removed) {
      for (let n = at; n < at + part.value.length; n += 1) {
        const place = places[n];
        if (place == null || words[place] !== from[n]) return null;
        removed.add(place);
      }
    }
    at += part.value.length;
  }
  return [...words, ""].map((word, n) => [...(added.get(n) ?? []), removed.has(n) ? "" : word].join("")).join("");
}

/** Returns how many words of one text another has, wherever they are. */
function inCommon(words: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
  let found = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count > 0) found += 1;
    left.set(word, count - 1);
  }
  return found;
}

const wordsOf = (text: string): string[] => text.match(/\s+|\S+/g) ?? [];

/** Returns where each word is in another text: itself or, where as many words stand between the same ones, what is filled in for it. */
function placesOf(from: readonly string[], to: readonly string[], editsMax: number): (number | null)[] | null {
  const changes = diffArrays([...from], [...to], { maxEditLength: editsMax });
  if (changes === undefined) return null;
  const places: (number | null)[] = [];
  let next = 0;
  let missing = 0;
  for (const { added, removed, value } of changes) {
    if (removed) {
      missing = value.length;
      places.push(...value.map(() => null));
      continue;
    }
    if (added && missing === value.length) places.splice(-missing, missing, ...value.map((_, n) => next + n));
    if (!added) places.push(...value.map((_, n) => next + n));
    missing = 0;
    next += value.length;
  }
  return places;
}

function described(tool: unknown, descriptions: Overlay["toolDescriptions"]): unknown {
  const { function: called } = tool as Tool;
  const description = called?.name === undefined ? undefined : descriptions[called.name];
  return description === undefined ? tool : { ...(tool as object), function: { ...called, description } };
}

/** Returns the fields of a chat completion that parameters stand for. */
export const fieldsOf = ({ temperature, topP, reasoningEffort }: VariantParameters) => ({
  ...(temperature !== undefined && { temperature }),
  ...(topP !== undefined && { top_p: topP }),
  ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
});
