import { type SQL, sql } from "drizzle-orm";
import { onlySymbolsOf } from "@/server/platform/text/symbols";
import { wordsOf } from "@/server/platform/text/words";
import type { ConversationTrait } from "../schemas";

type Searched = {
  texts?: readonly string[];
  models?: readonly string[];
  labels?: readonly string[];
  userId?: string | null | undefined;
  /** As they are stored. */
  traits?: readonly string[];
};

/**
 * Returns the search terms of a conversation. Words contain no colon, and symbols nothing else, so none can be mistaken for a
 * model, label, user or trait.
 */
export function termsOf({ texts = [], models = [], labels = [], userId, traits = [] }: Searched): string[] {
  return [
    ...wordsOf(texts),
    ...models.map((model) => `model:${model}`),
    ...labelTerms(labels),
    ...(userId == null ? [] : [`user:${userId}`]),
    ...traits,
  ];
}

/** Returns the terms that a conversation must have to be found by a text: its words or, if it has none, its symbols. */
export function searchTermsOf(q: string): string[] {
  const symbols = onlySymbolsOf(q);
  return symbols.length > 0 ? symbols : termsOf({ texts: [q] });
}

/** Returns the search terms of these labels. */
export const labelTerms = (labels: readonly string[]): string[] => labels.map((label) => `label:${label}`);

/** Returns the search terms of values of a dimension: also how they are stored with a conversation. */
export const traitTerms = (dimension: ConversationTrait, values: readonly string[]): string[] =>
  values.map((value) => `${dimension}:${value}`);

/** SQL of the values of a dimension among stored traits, as a subquery. */
export const traitValues = (traits: SQL, dimension: ConversationTrait): SQL =>
  sql`(select substr(trait, ${dimension.length + 2}::int) from unnest(${traits}) trait where starts_with(trait, ${`${dimension}:`}))`;

/** SQL of the dimension and the value of a stored trait, as two columns. */
export const traitColumns = (trait: SQL): SQL =>
  sql`split_part(${trait}, ':', 1), substr(${trait}, strpos(${trait}, ':') + 1)`;
