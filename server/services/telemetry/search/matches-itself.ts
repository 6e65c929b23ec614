import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { conversations } from "@/db/schema";
import { keyOfExternalId } from "../ingest/conversation-key";
import { CONVERSATION_TRAITS, type ConversationTrait } from "../schemas";
import { type ConversationFilters, narrowedBy, searchedFor } from "./list-conversations";
import { hasTerms } from "./search-conversations";
import { traitTerms, traitValues } from "./search-terms";

/**
 * Condition: a conversation matches the list's filters, read from its own row; only the words of `q` are looked up. For
 * statements that pass over conversations anyway, where the list searches the index for them.
 */
export function matchesItself({
  model,
  label,
  startedAfter: _,
  startedBefore: __,
  ...filters
}: ConversationFilters): SQL {
  const { terms, hasId } = searchedFor({ q: filters.q });
  return (
    and(
      filters.externalId === undefined ? undefined : eq(conversations.key, keyOfExternalId(filters.externalId)),
      filters.userId === undefined ? undefined : eq(conversations.userId, filters.userId),
      model && sql`${conversations.models} && ${textArray(model)}`,
      label && sql`${conversations.labels} && ${textArray(label)}`,
      ...CONVERSATION_TRAITS.map((dimension) => {
        const values = filters[dimension];
        return values && sql`${conversations.traits} && ${textArray(traitTerms(dimension, values))}`;
      }),
      terms.all.length > 0 ? or(hasTerms(terms), hasId) : undefined,
      narrowedBy(filters),
    ) ?? sql`true`
  );
}

/** SQL of a conversation's values of a dimension, as an array. */
export function valuesIn(dimension: "model" | "label" | "user" | ConversationTrait): SQL {
  if (dimension === "model") return sql`${conversations.models}`;
  if (dimension === "label") return sql`${conversations.labels}`;
  if (dimension === "user") return sql`array_remove(array[${conversations.userId}], null)`;
  return sql`array${traitValues(sql`${conversations.traits}`, dimension)}`;
}
