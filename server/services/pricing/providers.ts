import { PRICE_PROVIDERS, type PriceProvider } from "./schemas";

/** A vendor that has default prices. */
export type Vendor = Exclude<PriceProvider, "external">;

/**
 * What a provider string, or the first part of a model name, tells us about whose price list applies:
 * a vendor's own; `any` vendor's (a cloud, gateway or router that resells at list prices, or a word we do not know);
 * or nobody's, because the host runs open weights at prices of its own.
 */
export type PriceList = Vendor | "any" | "own";

export const VENDORS = PRICE_PROVIDERS.filter((provider) => provider !== "external");

/** Spellings of vendors in the wild: OpenTelemetry, OpenInference, AI SDK, LiteLLM, pydantic-ai, LangChain, Hugging Face. */
const VENDOR_WORDS: Record<Vendor, readonly string[]> = {
  openai: ["text-completion-openai", "openai-chat", "openai-responses"],
  anthropic: [],
  google: ["gemini", "googleai", "google-gla", "google-genai", "gcp-gemini", "gcp-gen-ai", "gen-ai", "palm"],
  xai: ["x-ai", "grok"],
  mistral: ["mistralai", "mistral-ai", "codestral", "text-completion-codestral"],
  deepseek: ["deepseek-ai"],
  cohere: [],
  moonshotai: ["moonshot", "moonshot-ai", "kimi"],
  zai: ["z-ai", "zai-org", "zhipu", "zhipuai", "bigmodel"],
  minimax: ["minimaxai", "minimax-ai", "minimaxi"],
};

/** Clouds, gateways and routers that pass the maker's list price on (region surcharges are not modelled). */
const RESELLERS = [
  ["azure", "azureml", "azure-openai", "azure-ai", "microsoft", "github"],
  ["bedrock", "bedrock-converse", "aws", "aws-bedrock", "amazon", "amazon-bedrock"],
  ["vertex", "vertexai", "vertex-ai", "vertexai-beta", "google-vertex", "google-vertexai", "gcp", "gcp-vertex"],
  ["google-anthropic-vertex", "cloudflare-ai-gateway"],
  ["openrouter", "litellm", "vercel", "gateway", "ai-gateway", "portkey", "helicone", "requesty"],
  // Looks like a vendor's name with a suffix, and is anybody's server behind OpenAI's protocol.
  ["openai-compatible", "openai-like", "custom-openai"],
].flat();

/** Hosts of open weights: the maker's list price is not what they charge. */
const HOSTS_WITH_OWN_PRICES = [
  ["anyscale", "baseten", "cerebras", "chutes", "cloudflare", "workers-ai", "dashscope", "databricks", "deepinfra"],
  ["featherless", "fireworks", "friendli", "groq", "hf", "huggingface", "hyperbolic", "lambda", "lepton", "nebius"],
  ["nim", "novita", "nscale", "nvidia", "octoai", "oci", "parasail", "perplexity", "replicate", "sagemaker"],
  ["sambanova", "scaleway", "siliconflow", "snowflake", "together", "togetherai", "volcengine", "watsonx", "ibm"],
  ["llamacpp", "llama-cpp", "lmstudio", "lm-studio", "localai", "ollama", "sglang", "tgi", "vllm", "xinference"],
  ["avian", "ovhcloud"],
].flat();

const WORDS = new Map<string, PriceList>([
  ...VENDORS.flatMap((vendor) => [vendor, ...VENDOR_WORDS[vendor]].map((word) => [word, vendor] as const)),
  ...RESELLERS.map((word) => [word, "any"] as const),
  ...HOSTS_WITH_OWN_PRICES.map((word) => [word, "own"] as const),
]);

/** No provider name is longer; what is, says nothing. */
const PROVIDER_MAX = 100;

const spelled = (provider: string) =>
  provider.length > PROVIDER_MAX
    ? ""
    : provider
        .trim()
        .toLowerCase()
        .replace(/[._\s/:]+/g, "-");

/** The price list of exactly this word, whatever its separators. */
export const priceListOfWord = (word: string): PriceList | null => WORDS.get(spelled(word)) ?? null;

/**
 * The price list that a provider names, `null` for a word we do not know. Suffixes are ignored part by part:
 * `openai.responses`, `cohere_chat`, `gcp.vertex.agent` and `azure/eu` are OpenAI, Cohere, Vertex and Azure.
 */
export function priceListOf(provider: string): PriceList | null {
  let word = spelled(provider);
  for (;;) {
    const list = WORDS.get(word);
    if (list !== undefined) return list;
    const cut = word.lastIndexOf("-");
    if (cut <= 0) return null;
    word = word.slice(0, cut);
  }
}
