import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelDialect } from "./dialect";

/**
 * Returns usage as the OpenAI API counts it, with cached tokens inside the prompt's, and what else the service tells under its own
 * names; `null` if it tells none.
 */
export function writeUsage({ inputTokens, outputTokens, raw = {} }: LanguageModelV4Usage, { counted }: ModelDialect) {
  const { total: input, cacheRead, cacheWrite } = inputTokens;
  const { total: output, reasoning } = outputTokens;
  if (input === undefined || output === undefined) return null;
  const details = {
    ...(cacheRead && { cached_tokens: cacheRead }),
    ...(cacheWrite && { cache_write_tokens: cacheWrite }),
  };
  const others = Object.entries(raw).filter(([name, value]) => !counted.has(name) && value != null);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0, ...details },
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    ...Object.fromEntries(others),
  };
}
