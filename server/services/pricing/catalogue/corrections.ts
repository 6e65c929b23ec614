/**
 * Manual corrections to the catalogue, used only to generate the defaults. Generation fails on an alias whose model has
 * left the catalogue, so that the list cannot go stale unnoticed.
 */

/** Names under which a vendor or aggregator serves a model at the same price, by `<provider>:<catalogue id>`. */
export const EXTRA_ALIASES: Record<string, readonly string[]> = {
  "anthropic:claude-2": ["claude-2.0", "claude-2.1", "claude-v2", "claude-v2:1", "claude-v2.1"],
  "google:gemini-3.1-pro-preview": ["gemini-3.1-pro-preview-customtools"],
  // The catalogue has these rows only under an aggregator's spelling.
  "google:gemini-flash-1.5-8b": ["gemini-1.5-flash-8b"],
  "moonshotai:kimi-k2-0711-preview": ["kimi-k2-0711"],
  "moonshotai:kimi-k2-0905-preview": ["kimi-k2-0905"],
  // At Mistral another date is usually another model, so dated names are listed one by one.
  // Open weights are also known by the names under which Mistral published them.
  "mistral:ministral-3b": ["ministral-3b-2410"],
  "mistral:ministral-8b": ["ministral-8b-instruct-2410"],
  "mistral:mistral-7b": [
    ...["mistral-7b-v0.1", "mistral-7b-v0.2", "mistral-7b-v0.3"],
    ...["mistral-7b-instruct-v0.1", "mistral-7b-instruct-v0.2", "mistral-7b-instruct-v0.3"],
  ],
  "mistral:mistral-embed": ["mistral-embed-2312"],
  "mistral:mistral-large": ["mistral-large-instruct-2407", "mistral-large-instruct-2411"],
  "mistral:mistral-nemo": ["mistral-nemo-2407", "mistral-nemo-instruct-2407", "open-mistral-nemo-2407"],
  "mistral:mistral-saba": ["mistral-saba-2502"],
  "mistral:mixtral-8x22b-instruct": [
    ...["mixtral-8x22b", "mixtral-8x22b-v0.1", "mixtral-8x22b-instruct-v0.1"],
    ...["open-mixtral-8x22b", "open-mixtral-8x22b-2404"],
  ],
  "mistral:mixtral-8x7b": ["mixtral-8x7b-instruct", "mixtral-8x7b-v0.1", "mixtral-8x7b-instruct-v0.1"],
  "mistral:pixtral-12b": ["pixtral-12b-2409"],
  "mistral:pixtral-large": ["pixtral-large-instruct-2411"],
};

/** Values of `starts_with` that end in the middle of a word, with the full name that they stand for (`null` to omit it). */
export const TRUNCATED_PREFIXES: Record<string, string | null> = {
  "claude-2": null, // as a prefix it would match claude-2-anything; its real names are listed above
  "gemini-2.0-flash-0": "gemini-2.0-flash",
  // The catalogue has fine-tuned GPT-4 at the base model's rate, which is wrong.
  "ft:gpt-4-0": null,
};

/** Rows that the catalogue lacks or has without a price, in its units (US dollars per million tokens). */
export const SUPPLEMENT = [
  {
    provider: "anthropic",
    id: "claude-instant-1",
    aliases: ["claude-instant", "claude-instant-v1", "claude-instant-1.1", "claude-instant-1.2"],
    // The last list price of this retired model at Amazon Bedrock and Anthropic.
    prices: { input_mtok: 0.8, output_mtok: 2.4 },
  },
  {
    provider: "google",
    id: "gemma-3n",
    aliases: ["gemma-3n-e4b", "gemma-3n-e4b-it"],
    // Google's row has no price; OpenRouter's in the same catalogue has, and no cloud in it charges another.
    prices: { input_mtok: 0.06, output_mtok: 0.12 },
  },
] as const;
