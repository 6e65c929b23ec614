import { PRICE_PROVIDERS, type PriceProvider } from "../schemas";

/** A vendor that has default prices. */
export type Vendor = Exclude<PriceProvider, "external">;

/**
 * What a provider string, or the first part of a model name, tells us about whose price list applies:
 * a vendor's own; `any` vendor's (a cloud, gateway or router that resells at list prices); or nobody's, because the
 * host has prices of its own: for open `weights`, while it passes models that nobody else can run on at their vendor's
 * list price, or for all that it serves (`own`).
 */
export type PriceList = Vendor | "any" | "weights" | "own";

/** Of a provider also `external`: it is no vendor and nobody who sells a vendor's models. */
export type ProviderList = PriceList | "external";

export const VENDORS = PRICE_PROVIDERS.filter((provider) => provider !== "external");

/** Spellings of vendors in the wild: OpenTelemetry, OpenInference, AI SDK, LiteLLM, pydantic-ai, LangChain, Hugging Face. */
const VENDOR_WORDS: Record<Vendor, readonly string[]> = {
  openai: ["text-completion-openai", "openai-chat", "openai-responses", "chatgpt"],
  anthropic: ["claude"],
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
  ["azure", "azureml", "azure-openai", "azure-ai", "az-ai", "microsoft", "github", "copilot"],
  ["bedrock", "bedrock-converse", "aws", "aws-bedrock", "amazon", "amazon-bedrock"],
  ["vertex", "vertexai", "vertex-ai", "vertexai-beta", "google-vertex", "google-vertexai", "gcp", "gcp-vertex"],
  ["google-anthropic-vertex", "cloudflare-ai-gateway"],
  ["openrouter", "litellm", "vercel", "gateway", "ai-gateway", "portkey", "helicone", "requesty", "langdb", "opencode"],
  ["bifrost", "tensorzero", "truefoundry", "kong", "envoy", "glama", "martian", "notdiamond", "unify", "zenmux"],
  // Looks like a vendor's name with a suffix, and is anybody's server behind OpenAI's protocol.
  ["openai-compatible", "openai-like", "custom-openai"],
].flat();

/** Hosts of open weights: the maker's list price is not what they charge for those. */
const HOSTS_OF_WEIGHTS = [
  ["anyscale", "baseten", "cerebras", "chutes", "featherless", "fireworks", "friendli", "groq", "hf", "huggingface"],
  ["hyperbolic", "lambda", "lepton", "nebius", "nim", "novita", "nscale", "nvidia", "octoai", "parasail", "perplexity"],
  ["replicate", "sambanova", "scaleway", "siliconflow", "together", "togetherai", "avian", "ovhcloud"],
].flat();

/** Who sets a price for every model: clouds that bill in units of their own, DeepInfra, and servers on one's own machine. */
const HOSTS_WITH_OWN_PRICES = [
  ["cloudflare", "workers-ai", "dashscope", "databricks", "deepinfra", "ibm", "oci", "sagemaker", "snowflake"],
  ["volcengine", "watsonx"],
  ["hosted-vllm", "llamacpp", "llama-cpp", "llamafile", "lmstudio", "lm-studio", "localai", "ollama", "sglang", "tgi"],
  ["vllm", "xinference"],
].flat();

/** Frameworks and tracers that put their own name where the provider's belongs: it says nothing about who bills. */
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

/** The same without separators: class names of clients such as `AzureOpenAI`. */
const JOINED_WORDS = new Map([...WORDS].map(([word, list]) => [word.replaceAll("-", ""), list]));

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
 * The price list that a word names, `null` for one that we do not know. Suffixes are ignored part by part:
 * `openai.responses`, `cohere_chat`, `gcp.vertex.agent` and `azure/eu` are OpenAI, Cohere, Vertex and Azure.
 */
export function priceListOf(name: string): PriceList | null {
  const whole = spelled(name);
  for (const word of shortened(whole)) {
    const list = WORDS.get(word);
    if (list !== undefined) return list;
  }
  return JOINED_WORDS.get(whole.replaceAll("-", "")) ?? null;
}

/** The price list for calls of this provider. Without one it may be any vendor's; a word we do not know is no vendor. */
export function priceListOfProvider(provider: string | null): ProviderList {
  if (provider === null || provider.trim() === "") return "any";
  const list = priceListOf(provider);
  if (list !== null) return list;
  return [...shortened(spelled(provider))].some((word) => FRAMEWORKS.has(word)) ? "any" : "external";
}

/** The word, then without its last part, and so on to its first. */
function* shortened(word: string) {
  for (let rest = word; rest !== ""; rest = rest.slice(0, Math.max(0, rest.lastIndexOf("-")))) yield rest;
}

/** Models of which only their vendor has the weights, by how it names them. Of vendors that are not here, none is sure. */
const CLOSED_MODELS: Partial<Record<PriceProvider, RegExp>> = {
  openai: /^(?!gpt-oss)/i,
  anthropic: /^/,
  google: /^gemini/i,
  xai: /^grok-(?![12](?:\D|$))/i,
};

/** Whether no host can run this model itself, so that who serves it resells it. */
export const isClosedModel = ({ provider, modelName }: { provider: PriceProvider; modelName: string }) =>
  CLOSED_MODELS[provider]?.test(modelName) ?? false;
