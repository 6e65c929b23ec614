import { MODEL_DIALECTS, type ModelDialectName } from "@/server/services/connections";

/** The vendor or host behind an address, by the name that prices are found by. An unknown one is told from the model's name. */
const PROVIDERS: readonly (readonly [host: RegExp, provider: string])[] = [
  [/^api\.openai\.com$/, "openai"],
  [/\.openai\.azure\.com$|\.services\.ai\.azure\.com$/, "azure"],
  [/^api\.anthropic\.com$/, "anthropic"],
  [/^generativelanguage\.googleapis\.com$/, "google"],
  [/aiplatform\.googleapis\.com$/, "vertex"],
  [/^api\.mistral\.ai$/, "mistral"],
  [/^api\.deepseek\.com$/, "deepseek"],
  [/^api\.x\.ai$/, "xai"],
  [/^api\.cohere\.(ai|com)$/, "cohere"],
  [/^api\.moonshot\.(ai|cn)$/, "moonshotai"],
  [/^openrouter\.ai$/, "openrouter"],
  [/^api\.groq\.com$/, "groq"],
  [/^api\.together\.(ai|xyz)$/, "together"],
  [/^api\.fireworks\.ai$/, "fireworks"],
  [/^api\.cerebras\.ai$/, "cerebras"],
  [/^api\.deepinfra\.com$/, "deepinfra"],
  [/^bedrock-runtime\..*\.amazonaws\.com$/, "bedrock"],
];

/** Returns the provider whose endpoint has this base URL, or else the one whose API it has; `null` if it is unknown. */
export function providerOf({ baseUrl, dialect }: { baseUrl: string; dialect: ModelDialectName }): string | null {
  const { hostname } = new URL(baseUrl);
  return PROVIDERS.find(([host]) => host.test(hostname))?.[1] ?? MODEL_DIALECTS[dialect].provider;
}
