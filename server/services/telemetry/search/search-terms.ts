import { wordsOf } from "@/server/platform/text/words";

type Searched = {
  texts?: readonly string[];
  models?: readonly string[];
  labels?: readonly string[];
  userId?: string | null | undefined;
};

/** Returns the search terms of a conversation. Words never contain a colon, so none can be mistaken for a model, label or user. */
export function termsOf({ texts = [], models = [], labels = [], userId }: Searched): string[] {
  return [
    ...wordsOf(texts),
    ...models.map((model) => `model:${model}`),
    ...labelTerms(labels),
    ...(userId == null ? [] : [`user:${userId}`]),
  ];
}

/** Returns the search terms of these labels. */
export const labelTerms = (labels: readonly string[]): string[] => labels.map((label) => `label:${label}`);
