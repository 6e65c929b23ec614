import { onlySymbolsOf } from "@/server/platform/text/symbols";
import { wordsOf } from "@/server/platform/text/words";

type Searched = {
  texts?: readonly string[];
  models?: readonly string[];
  labels?: readonly string[];
  userId?: string | null | undefined;
};

/**
 * Returns the search terms of a conversation. Words contain no colon, and symbols nothing else, so none can be mistaken for a
 * model, label or user.
 */
export function termsOf({ texts = [], models = [], labels = [], userId }: Searched): string[] {
  return [
    ...wordsOf(texts),
    ...models.map((model) => `model:${model}`),
    ...labelTerms(labels),
    ...(userId == null ? [] : [`user:${userId}`]),
  ];
}

/** Returns the terms that a conversation must have to be found by a text: its words or, if it has none, its symbols. */
export function searchTermsOf(q: string): string[] {
  const symbols = onlySymbolsOf(q);
  return symbols.length > 0 ? symbols : termsOf({ texts: [q] });
}

/** Returns the search terms of these labels. */
export const labelTerms = (labels: readonly string[]): string[] => labels.map((label) => `label:${label}`);
