import { TraitValues } from "../otlp/traits";
import type { AssembledConversation } from "../otlp/types";
import { traitTerms } from "../search/search-terms";

/**
 * Returns what a conversation can be filtered by beside its own columns, each value after its dimension and a colon:
 * `provider:openai`, `version:shop 2.4.0`, `tool:get_order`, `prompt:refund 3`.
 */
export function traitsOf({ modelCalls, toolCalls, versions, prompts }: AssembledConversation): string[] {
  const providers = new TraitValues();
  for (const { provider } of modelCalls) if (provider !== null) providers.add(provider);
  const tools = new TraitValues();
  for (const { name } of toolCalls) tools.add(name);
  return [
    ...traitTerms("prompt", prompts),
    ...traitTerms("provider", providers.sorted()),
    ...traitTerms("tool", tools.sorted()),
    ...traitTerms("version", versions),
  ];
}
