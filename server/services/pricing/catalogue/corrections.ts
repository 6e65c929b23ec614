import type { Vendor } from "../matching/providers";

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

/**
 * Prices that the catalogue lacks for a row that it has, by `<provider>:<catalogue id>`, in its units. From the vendors' own
 * price lists. Generation fails once the catalogue has the price, or no longer the row.
 */
export const EXTRA_PRICES: Record<string, Readonly<Record<string, number>>> = {
  "openai:gpt-4o-audio-preview": { input_audio_mtok: 40, output_audio_mtok: 80 },
  "openai:gpt-4o-mini-audio-preview": { input_audio_mtok: 10, output_audio_mtok: 20 },
};

/** Prices above a number of input tokens (the whole request costs them) that the catalogue lacks, likewise. */
export const EXTRA_TIERS: Record<string, { start: number; prices: Readonly<Record<string, number>> }> = {
  "anthropic:claude-sonnet-4-0": {
    start: 200_000,
    prices: {
      input_mtok: 6,
      output_mtok: 22.5,
      cache_write_mtok: 7.5,
      cache_write_1h_mtok: 12,
      cache_read_mtok: 0.6,
    },
  },
};

/** Rows that the catalogue lacks or has without a price, in its units (US dollars per million tokens). */
export const SUPPLEMENT: readonly Supplement[] = [
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
  // Fine-tuned models have their own list prices. `stems` also match the names of single tuned models.
  {
    provider: "openai",
    id: "ft:gpt-4.1",
    aliases: [],
    stems: ["ft:gpt-4.1"],
    prices: { input_mtok: 3, cache_read_mtok: 0.75, output_mtok: 12 },
  },
  {
    provider: "openai",
    id: "ft:gpt-4.1-mini",
    aliases: [],
    stems: ["ft:gpt-4.1-mini"],
    prices: { input_mtok: 0.8, cache_read_mtok: 0.2, output_mtok: 3.2 },
  },
  {
    provider: "openai",
    id: "ft:gpt-4.1-nano",
    aliases: [],
    stems: ["ft:gpt-4.1-nano"],
    prices: { input_mtok: 0.2, cache_read_mtok: 0.05, output_mtok: 0.8 },
  },
  {
    provider: "openai",
    id: "gpt-4o-audio-preview-2024-10-01",
    aliases: [],
    // The first snapshot's audio costs two and a half times that of the later ones.
    prices: { input_mtok: 2.5, output_mtok: 10, input_audio_mtok: 100, output_audio_mtok: 200 },
  },
];

type Supplement = {
  provider: Vendor;
  id: string;
  aliases: readonly string[];
  stems?: readonly string[];
  prices: Readonly<Record<string, number>>;
};
