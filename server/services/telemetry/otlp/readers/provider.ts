import { CONVENTIONS } from "../conventions";
import { sourcesOf } from "./precedence";

/** The model's provider as the client names it. OpenLIT's scope name and `server.address` are unreliable and not used. */
export const PROVIDER = sourcesOf("provider");

/** Names that clients send in place of the vendor's. */
const NO_VENDORS = new Set(["_other", "unknown", ...CONVENTIONS.flatMap(({ frameworks = [] }) => frameworks)]);

/** Vendors by the prefix that routers add to model names. */
const PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    openai: "openai",
    azure: "openai",
    anthropic: "anthropic",
    google: "google",
    googleai: "google",
    gemini: "google",
    vertex_ai: "google",
    vertexai: "google",
    xai: "xai",
    "x-ai": "xai",
    mistral: "mistral",
    mistralai: "mistral",
    deepseek: "deepseek",
    cohere: "cohere",
    moonshotai: "moonshotai",
    moonshot: "moonshotai",
    zai: "zai",
    "z-ai": "zai",
    minimax: "minimax",
    bedrock: "bedrock",
  }),
);

/** Vendors by their model names. */
const FAMILIES: readonly (readonly [name: RegExp, provider: string])[] = [
  [/^(gpt-|chatgpt|o[134](-|$)|text-embedding-|davinci|babbage|dall-e|whisper|tts-|codex|ft:gpt)/, "openai"],
  [/claude/, "anthropic"],
  [/^(gemini|gemma|text-bison|chat-bison|imagen|veo)/, "google"],
  [/^grok/, "xai"],
  [/^(mistral|mixtral|codestral|ministral|magistral|pixtral|devstral|open-mi)/, "mistral"],
  [/^deepseek/, "deepseek"],
  [/^(command|embed-|rerank-|c4ai)/, "cohere"],
  [/^(kimi|moonshot)/, "moonshotai"],
  [/^glm-/, "zai"],
  [/^(minimax|abab)/, "minimax"],
];

/** Returns the vendor in lower case: as sent, or inferred from the model's name if the client sends none or a framework. */
export function resolveProvider(sent: string | undefined, model: string | null): string | null {
  const named = sent?.trim().toLowerCase();
  if (named && !NO_VENDORS.has(named)) return named;
  return model === null ? null : providerOfModel(model.toLowerCase());
}

function providerOfModel(model: string): string | null {
  const slash = model.indexOf("/");
  if (slash > 0) return PREFIXES.get(model.slice(0, slash)) ?? providerOfModel(model.slice(slash + 1));
  return FAMILIES.find(([name]) => name.test(model))?.[1] ?? null;
}
