import { capitalized, plural } from "@/app/_lib/format";
import type { Variant } from "@/server/services/proof/variants/schemas";

const PARAMETER_WORDS: Record<keyof Variant["parameters"], string> = {
  temperature: "temperature",
  topP: "top p",
  maxTokens: "answer limit",
  reasoningEffort: "reasoning effort",
};

/** `temperature 0.2`: each parameter that a variant sets. */
export const parametersOf = ({ parameters }: Pick<Variant, "parameters">): string[] =>
  Object.entries(PARAMETER_WORDS).flatMap(([name, word]) => {
    const value = parameters[name as keyof Variant["parameters"]];
    return value === undefined ? [] : [`${word} ${value}`];
  });

/** What a variant changes, in a line. */
export function changesOf(variant: Pick<Variant, "systemPrompt" | "parameters" | "toolDescriptions">): string {
  const tools = Object.keys(variant.toolDescriptions).length;
  const changed = [
    ...(variant.systemPrompt === null ? [] : ["system prompt"]),
    ...parametersOf(variant),
    ...(tools === 0 ? [] : [plural(tools, "tool description")]),
  ];
  return changed.length === 0 ? "Only the model" : capitalized(changed.join(", "));
}
