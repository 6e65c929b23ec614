import { wordsOf } from "@/server/platform/text/words";
import { searchTextOf } from "../../chat-payload";
import type { ChatPayload } from "../../chat-payload/schemas";

/** The attributes by which Examples are filtered, besides their words. */
export type Attributes = {
  split?: string | null | undefined;
  source?: string | null | undefined;
  objective?: string | null | undefined;
  conversationId?: string | null | undefined;
  findingId?: string | null | undefined;
  tags?: readonly string[] | undefined;
};

/** Returns the terms of attributes. A word contains no colon, so none can be mistaken for an attribute. */
export const attributeTerms = ({ split, source, objective, conversationId, findingId, tags = [] }: Attributes) => [
  ...(split ? [`split:${split}`] : []),
  ...(source ? [`source:${source}`] : []),
  ...(objective ? [`objective:${objective}`] : []),
  ...(conversationId ? [`conversation:${conversationId}`] : []),
  ...(findingId ? [`finding:${findingId}`] : []),
  ...tags.map((tag) => `tag:${tag}`),
];

/** Memoized because words take longer to compute than anything else, so an import computes them in another process. */
const known = new WeakMap<ChatPayload, readonly string[]>();
/** Memoizes words that were computed for an equal payload. */
export const rememberSearchWords = (payload: ChatPayload, words: readonly string[]): void =>
  void known.set(payload, words);

/** Returns the words by which an Example is found. */
export function searchWordsOf(payload: ChatPayload): readonly string[] {
  const found = known.get(payload) ?? wordsOf([searchTextOf(payload)]);
  known.set(payload, found);
  return found;
}

/** Returns the search terms of an Example. */
export const exampleTerms = (payload: ChatPayload, attributes: Attributes): string[] => [
  ...searchWordsOf(payload),
  ...attributeTerms(attributes),
];
