import { likenessWords, minHasher } from "./min-hash";

/** What is compared of an Example, or of a prompt without an answer. */
export type LikenessOf = {
  conversationId: string | null;
  userId: string | null;
  messages: readonly { role: string; content?: string | null | undefined }[];
  answer: string | null;
};

/** Two user messages with this share of common words or more are near copies. */
export const NEAR_COPY = 0.7;
/** A shorter user message says little: it is compared together with the next message, and not at all without one. */
const WORDS_MIN = 5;
/** Equal answers of fewer words, such as "You are welcome", may be to different questions. */
const ANSWER_WORDS_MIN = 8;
/** No group may have more of the set: what joins it is then no sign of a copy. */
const GROUP_MAX = 0.1;
/** Of a smaller set, one group may well be a tenth. */
const SMALL_SET = 50;
/** A group of so many is never too large to be kept on one side of a split. */
const FEW = 5;
/** With 12 bands of 3 hashes, 99 % of near copies at the limit share a band, and nearly all above it. */
const BANDS = 12;
const BAND_ROWS = 3;
/** Members of a band that a message is compared with: more of them are in one group already, or are not alike. */
export const COMPARED = 30;

const minHash = minHasher(BANDS * BAND_ROWS);

/** Why Examples are one group, strongest last: in a set with a giant group, the first are dropped. */
export const DROPPABLE = ["answer", "user"] as const;
export type Dropped = (typeof DROPPABLE)[number];
export type Groups = {
  /** The number of each one's group. */
  of: number[];
  /** What was dropped, because it would have joined more than a tenth of the set. */
  dropped: Dropped[];
};

/** Returns the most members that a group of a set that is to be split may have, unless they are near copies or one conversation. */
export const largestGroup = (items: number) => Math.max(GROUP_MAX * items, FEW);

/**
 * Groups what must be on one side of a split: one conversation, one user, near copies of a user message, and equal answers. A
 * model that was trained on one member of a group has as good as seen the others. With `splits`, a small set is not left in one
 * group either, because then nothing could be held out.
 */
export function groupsOf(items: readonly LikenessOf[], { splits = false } = {}): Groups {
  const questions = items.map((item) => {
    const words = askedOf(item);
    return words && { words, bands: bandsOf(words) };
  });
  const dropped: Dropped[] = [];
  for (;;) {
    const of = grouped(items, questions, dropped);
    const sizes = new Map<number, number>();
    for (const group of of) sizes.set(group, (sizes.get(group) ?? 0) + 1);
    let largest = 0;
    for (const size of sizes.values()) largest = Math.max(largest, size);
    const limit = splits
      ? largestGroup(items.length)
      : items.length < SMALL_SET
        ? items.length
        : GROUP_MAX * items.length;
    const next = DROPPABLE.find((one) => !dropped.includes(one));
    if (largest <= limit || next === undefined) return { of, dropped };
    dropped.push(next);
  }
}

function grouped(
  items: readonly LikenessOf[],
  questions: readonly ({ words: ReadonlySet<string>; bands: readonly string[] } | null)[],
  dropped: readonly Dropped[],
) {
  const parents = items.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parents[root] !== root) {
      parents[root] = parents[parents[root]!]!;
      root = parents[root]!;
    }
    return root;
  };
  const join = (a: number, b: number) => {
    parents[rootOf(b)] = rootOf(a);
  };
  const first = new Map<string, number>();
  const joinAll = (key: string, index: number) => {
    const known = first.get(key);
    if (known === undefined) first.set(key, index);
    else join(known, index);
  };
  const bands = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    if (item.conversationId !== null) joinAll(`conversation ${item.conversationId}`, index);
    if (item.userId !== null && !dropped.includes("user")) joinAll(`user ${item.userId}`, index);
    const answer = dropped.includes("answer") ? null : answerKey(item.answer);
    if (answer !== null) joinAll(`answer ${answer}`, index);
    const question = questions[index];
    if (!question) continue;
    for (const band of question.bands) {
      const alike = bands.get(band) ?? [];
      for (const other of alike) {
        if (rootOf(other) !== rootOf(index) && jaccard(questions[other]!.words, question.words) >= NEAR_COPY)
          join(other, index);
      }
      if (alike.length < COMPARED) alike.push(index);
      bands.set(band, alike);
    }
  }
  return items.map((_, index) => rootOf(index));
}

/** Returns the words of the first user message, with the next message if it is short; `null` if there are still too few. */
export function askedOf({ messages }: Pick<LikenessOf, "messages">): ReadonlySet<string> | null {
  const at = messages.findIndex(({ role }) => role === "user");
  if (at < 0) return null;
  const wordsAt = (index: number) => likenessWords(messages[index]?.content ?? "");
  const words = wordsAt(at);
  const all = words.length < WORDS_MIN ? [...words, ...wordsAt(at + 1)] : words;
  return all.length < WORDS_MIN ? null : new Set(all);
}

export function answerKey(answer: string | null): string | null {
  const words = answer === null ? [] : likenessWords(answer);
  return words.length < ANSWER_WORDS_MIN ? null : words.join(" ");
}

/** Returns keys of which near copies share at least one. */
export function bandsOf(words: ReadonlySet<string>): string[] {
  const signature = minHash(words);
  return Array.from(
    { length: BANDS },
    (_, band) => `${band}:${signature.slice(band * BAND_ROWS, (band + 1) * BAND_ROWS).join(",")}`,
  );
}

/** Returns the share of words that two texts have in common, 0..1. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : common / all;
}
