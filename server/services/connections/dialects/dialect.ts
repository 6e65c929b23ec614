import type {
  EmbeddingModelV4,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Caller, Signature } from "../kinds/kind";

/** How a provider's model reaches its API. */
export type Reached = { baseURL: string; fetch: Fetch };
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A model as `GET /models` of the OpenAI API lists it. */
export type ListedModel = { id: string; object: "model"; created: number; owned_by: string };

/** `cache_control` of a message, one of its parts or a tool, as clients of several gateways send it. */
export type CacheControl = { type: "ephemeral"; ttl?: "5m" | "1h" | undefined };

/** The options of a call that `readChatRequest` has filled in, and what else it has read. */
export type ReadOptions = LanguageModelV4CallOptions & { runsToolsInParallel: boolean | null };

/** An API other than OpenAI's, and how requests for OpenAI's are made of it. */
export type ModelDialect = {
  /** Its name in messages. */
  label: string;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
  /** Adds the secret to a request. */
  sign: (secret: string) => Signature;
  /** What models are called by; others are refused. */
  modelName: RegExp;
  listModels: (service: Caller) => Promise<ListedModel[]>;
  language: (model: string, reached: Reached) => Promise<LanguageModelV4>;
  /** `null`: it has none. */
  embedding: ((model: string, reached: Reached) => Promise<EmbeddingModelV4>) | null;
  /** Whether the service loads images from addresses. */
  loadsImages: boolean;
  /** Fields of requests that it has nothing for, beside those that the provider's library warns of. */
  drops: ReadonlySet<string>;
  /** Returns the options for a cached prefix that ends here; `null`: the service decides itself. */
  cached: ((control: CacheControl) => SharedV4ProviderOptions) | null;
  /** Returns what the service needs beyond what was asked. */
  completed: (options: ReadOptions) => LanguageModelV4CallOptions;
  /** Whether it refuses to think on after a tool's result unless it gets its earlier thoughts. */
  needsThoughts: boolean;
  /** Changes the body that the provider's library has written. */
  amend: ((body: Record<string, unknown>, options: LanguageModelV4CallOptions) => void) | null;
  /** Returns the status that a refusal should have, for services that call a wrong key a bad request. */
  refusedAs: ((status: number, body: string) => number) | null;
  /** Names in the service's own usage that the answer's has under OpenAI's names. */
  counted: ReadonlySet<string>;
  /** Returns the model that has answered, from a reply or an event of one, where the provider's library does not tell it. */
  answeredBy: ((raw: unknown) => string | null) | null;
};
