import { detectLanguage } from "@/server/platform/language/detect-language";
import { TraitValues } from "../otlp/traits";
import type { AssembledConversation } from "../otlp/types";
import { isByUser, type Message } from "../schemas";
import { traitTerms } from "../search/search-terms";

/**
 * Returns what a conversation can be filtered by beside its own columns, each value after its dimension and a colon:
 * `provider:openai`, `version:shop 2.4.0`, `tool:get_order`, `prompt:refund 3`, `arm:fast #1 variant`, `language:de`.
 */
export function traitsOf({
  messages,
  modelCalls,
  toolCalls,
  versions,
  prompts,
  arms,
}: AssembledConversation): string[] {
  const providers = new TraitValues();
  for (const { provider } of modelCalls) if (provider !== null) providers.add(provider);
  const tools = new TraitValues();
  for (const { name } of toolCalls) tools.add(name);
  const language = detectLanguage(userText(messages))?.language;
  return [
    ...traitTerms("arm", arms),
    ...traitTerms("language", language === undefined ? [] : [language]),
    ...traitTerms("prompt", prompts),
    ...traitTerms("provider", providers.sorted()),
    ...traitTerms("tool", tools.sorted()),
    ...traitTerms("version", versions),
  ];
}

/** Characters of what a user wrote by which the language is recognized: no more are examined. */
const LANGUAGE_CHARACTERS = 900;

/** Returns the beginning of what the user wrote, message after message: one alone is often too short to tell. */
function userText(messages: readonly Message[]): string {
  let text = "";
  for (const message of messages) {
    if (text.length >= LANGUAGE_CHARACTERS) break;
    if (isByUser(message)) text += `${message.parts.map((part) => part.text ?? "").join(" ")}\n`;
  }
  return text;
}
