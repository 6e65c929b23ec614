import { ownValue } from "@/server/platform/json/own-value";
import { PRICE_PROVIDERS, type PriceProvider } from "../schemas";

/** A vendor that has default prices. */
export type Vendor = Exclude<PriceProvider, "external">;

/**
 * The price list that a provider string, or the first part of a model name, implies: a vendor's; `any` vendor's (a cloud,
 * gateway or router that resells at list prices); or none, because the host sets its own prices, either for open `weights`
 * only (it resells proprietary models at their vendor's list price) or for everything that it serves (`own`).
 */
export type PriceList = Vendor | "any" | "weights" | "own";

/** A provider can also be `external`: neither a vendor nor a reseller of one. */
export type ProviderList = PriceList | "external";

export const VENDORS = PRICE_PROVIDERS.filter((provider) => provider !== "external");

/** Vendor spellings used by OpenTelemetry, OpenInference, AI SDK, LiteLLM, pydantic-ai, LangChain and Hugging Face. */
const VENDOR_WORDS: Record<Vendor, readonly string[]> = {
  openai: ["text-completion-openai", "openai-chat", "openai-responses", "chatgpt"],
  anthropic: ["claude"],
  google: [
    "gemini",
    "googleai",
    "google-gla",
    "google-genai",
    "gcp-gemini",
    "gcp-gen-ai",
    "gen-ai",
    "generative-ai",
    "google-generative-ai",
    "palm",
  ],
  xai: ["x-ai", "grok"],
  mistral: ["mistralai", "mistral-ai", "codestral", "text-completion-codestral"],
  deepseek: ["deepseek-ai"],
  cohere: [],
  moonshotai: ["moonshot", "moonshot-ai", "kimi"],
  zai: ["z-ai", "zai-org", "zhipu", "zhipuai", "bigmodel"],
  minimax: ["minimaxai", "minimax-ai", "minimaxi"],
};

/** Clouds, gateways and routers that resell at the vendor's list price (region surcharges are not modelled). */
const RESELLERS = [
  ["azure", "azureml", "azure-openai", "azure-ai", "az-ai", "microsoft", "github", "copilot"],
  ["bedrock", "bedrock-converse", "aws", "aws-bedrock", "amazon", "amazon-bedrock"],
  ["vertex", "vertexai", "vertex-ai", "vertexai-beta", "google-vertex", "google-vertexai", "gcp", "gcp-vertex"],
  ["google-anthropic-vertex", "anthropic-vertex", "anthropic-bedrock", "cloudflare-ai-gateway"],
  ["openrouter", "litellm", "vercel", "gateway", "ai-gateway", "portkey", "helicone", "requesty", "langdb", "opencode"],
  ["bifrost", "tensorzero", "truefoundry", "kong", "envoy", "glama", "martian", "notdiamond", "unify", "zenmux"],
  // Not OpenAI with a suffix, but any server that speaks OpenAI's protocol.
  ["openai-compatible", "openai-like", "custom-openai"],
].flat();

/** Hosts of open weights, for which they do not charge the vendor's list price. */
const HOSTS_OF_WEIGHTS = [
  ["anyscale", "baseten", "cerebras", "chutes", "featherless", "fireworks", "friendli", "groq", "hf", "huggingface"],
  ["cloudflare", "cloudflare-workers-ai", "workers-ai"],
  ["hyperbolic", "lambda", "lepton", "nebius", "nim", "novita", "nscale", "nvidia", "octoai", "parasail", "perplexity"],
  ["replicate", "sambanova", "scaleway", "siliconflow", "together", "togetherai", "avian", "ovhcloud"],
].flat();

/** Hosts that set their own price for every model: clouds with their own billing units, DeepInfra, and local servers. */
const HOSTS_WITH_OWN_PRICES = [
  ["dashscope", "databricks", "deepinfra", "ibm", "oci", "sagemaker", "snowflake"],
  ["volcengine", "watsonx"],
  ["hosted-vllm", "llamacpp", "llama-cpp", "llamafile", "lmstudio", "lm-studio", "localai", "ollama", "sglang", "tgi"],
  ["vllm", "xinference"],
].flat();

/** Frameworks and tracers that report their own name as the provider, which says nothing about who bills. */
const FRAMEWORKS = new Set(
  [
    [
      "strands",
      "langchain",
      "langgraph",
      "llama-index",
      "llamaindex",
      "pydantic-ai",
      "crewai",
      "autogen",
      "ag2",
      "agno",
    ],
    [
      "haystack",
      "dspy",
      "smolagents",
      "semantic-kernel",
      "agent-framework",
      "spring-ai",
      "genkit",
      "mastra",
      "instructor",
    ],
    ["langfuse", "traceloop", "openinference", "openlit", "logfire"],
  ].flat(),
);

const WORDS = new Map<string, PriceList>([
  ...VENDORS.flatMap((vendor) => [vendor, ...VENDOR_WORDS[vendor]].map((word) => [word, vendor] as const)),
  ...RESELLERS.map((word) => [word, "any"] as const),
  ...HOSTS_OF_WEIGHTS.map((word) => [word, "weights"] as const),
  ...HOSTS_WITH_OWN_PRICES.map((word) => [word, "own"] as const),
]);

/** The same without separators, for client class names such as `AzureOpenAI`. */
const JOINED_WORDS = new Map([...WORDS].map(([word, list]) => [word.replaceAll("-", ""), list]));

/** Characters. Longer provider names are treated as unknown. */
const PROVIDER_MAX = 100;

const spelled = (provider: string) =>
  provider.length > PROVIDER_MAX
    ? ""
    : provider
        .trim()
        .toLowerCase()
        .replace(/[._\s/:]+/g, "-");

/** Returns the price list of exactly this word, regardless of separators. */
export const priceListOfWord = (word: string): PriceList | null => WORDS.get(spelled(word)) ?? null;

/**
 * Returns the price list of a provider name, or `null` when it is unknown. Suffixes are ignored part by part:
 * `openai.responses`, `cohere_chat`, `gcp.vertex.agent` and `azure/eu` are OpenAI, Cohere, Vertex and Azure.
 */
export function priceListOf(name: string): PriceList | null {
  const whole = spelled(name);
  for (const word of shortened(whole)) {
    const list = WORDS.get(word);
    if (list !== undefined) return list;
  }
  const joined = whole.replaceAll("-", "");
  // LangChain's class names: `ChatOpenAI`, `AzureChatOpenAI`.
  return JOINED_WORDS.get(joined) ?? JOINED_WORDS.get(joined.replace("chat", "")) ?? null;
}

/** Returns the price list for calls of this provider: `any` without a provider, `external` for an unknown one. */
export function priceListOfProvider(provider: string | null): ProviderList {
  if (provider === null || provider.trim() === "") return "any";
  const list = priceListOf(provider);
  if (list !== null) return list;
  return [...shortened(spelled(provider))].some((word) => FRAMEWORKS.has(word)) ? "any" : "external";
}

/** Yields the word, then without its last part, and so on down to its first. */
function* shortened(word: string) {
  for (let rest = word; rest !== ""; rest = rest.slice(0, Math.max(0, rest.lastIndexOf("-")))) yield rest;
}

/** Name patterns of models whose weights only the vendor has. Vendors not listed here have none that are certain. */
const CLOSED_MODELS: Partial<Record<PriceProvider, RegExp>> = {
  openai: /^(?!gpt-oss)/i,
  anthropic: /^/,
  google: /^gemini/i,
  xai: /^grok-(?![12](?:\D|$))/i,
};

/** Returns whether no other host can run this model, so that anyone who serves it resells it. */
export const isClosedModel = ({ provider, modelName }: { provider: PriceProvider; modelName: string }) =>
  ownValue(CLOSED_MODELS, provider)?.test(modelName) ?? false;
