import type { CONDITION_OPERATORS, PRICE_PROVIDERS, PROMPT_ROLES, SEVERITIES } from "./enumerations";

/** Shapes of JSON columns; the services' zod schemas satisfy them. */

/**
 * Where a Signal was seen: a quote from `messages[messageIndex]` at `[start, end)` of its text (`textOf`). `spanId` names the
 * span that contains it; without `messageIndex`, the offsets refer to what that span recorded.
 */
export type Evidence = {
  messageIndex: number | null;
  start: number;
  end: number;
  quote: string;
  spanId: string | null;
};

/** Quantiles of `n` values. */
export type Quantiles = { n: number; p50: number; p95: number; p99: number };

/** How calls of one model performed before a day. `msPerToken` is per output token. */
export type ModelBaseline = {
  provider: string | null;
  model: string;
  durationMs: Quantiles;
  /** Null when too few calls have a known number of output tokens. */
  msPerToken: Quantiles | null;
};

/** One cause's part of an occurrence with several. `evidence`: how many of the occurrence's quotes are its own, in order. */
export type OccurrencePart = {
  causeId: string;
  severity: (typeof SEVERITIES)[number];
  score: number;
  confidence: number;
  title: string;
  summary: string;
  evidence: number;
  /** How directly it tells of the failure; 0, the most, if absent. */
  rank?: number;
  /** The Run that read it, and until when (Unix ms); absent if these are the occurrence's own. */
  ruleRunId?: string | null;
  detectedAt?: number;
};

/** Compares the sum of all buckets and details that match `usageDetailPattern` (RE2, case-insensitive). */
export type TierCondition = {
  usageDetailPattern: string;
  operator: (typeof CONDITION_OPERATORS)[number];
  value: number;
};

/** Prices are US dollars per unit (per single token, not per million). */
export type PricingTier = {
  id: string;
  name: string;
  isDefault: boolean;
  priority: number;
  conditions: TierCondition[];
  prices: Record<string, number>;
};

/** A catalogue of default prices as `npm run prices:update` writes it. `date`: when its prices were published. */
export type CatalogueFile = {
  catalogue: { package: string; version: string; date: string };
  definitions: {
    provider: Exclude<(typeof PRICE_PROVIDERS)[number], "external">;
    modelName: string;
    aliases: string[];
    matchPattern: string;
    priceSets: { effectiveFrom: number | null; pricingTiers: PricingTier[] }[];
  }[];
};

/**
 * Where a value was taken from, and how it is rebuilt from its parts: a `text` from `runs` of parts with their separators, a
 * `list` from one JSON part per item, any other `value` from one JSON part, and a `family` of attributes (`prefix.0.role`, …)
 * from one part per index, each the JSON of its names and values.
 */
export type ContentRecipe = {
  /** The attributes, the attributes of the event at this index, or the body of a log record. */
  in: "attributes" | "body" | number;
  /** The attribute's name, the prefix of a family, or null for a whole body. */
  name: string | null;
} & (
  | { form: "text"; runs: readonly (readonly [parts: number, separator: string])[] }
  | { form: "list" | "value" | "family" }
);

/** What was taken out of a row: its length in characters, and the values, each built from `chunks` of the row's chunks. */
export type TakenContent = { length: number; values: (ContentRecipe & { chunks: number })[] };

/** A text of a shared copy: the words, or how many characters of them are hidden. */
export type SharedText = { text: string } | { hidden: number };

/** What a shared message consists of. `omitted` is the type of a part that is not text, such as an image. */
export type SharedBlock =
  | { kind: "text" | "reasoning"; text: SharedText }
  | { kind: "call"; name: string; arguments: SharedText; error: SharedText | null }
  | { kind: "result"; name: string | null; text: SharedText }
  | { kind: "omitted"; type: string };

/** `agent` is the inner agent whose message it is, and `at` is Unix ms. */
export type SharedMessage = { role: string; agent: string | null; at: number | null; blocks: SharedBlock[] };

/** The known sum in US dollars (`null` if none is known), and whether it covers every model call. */
export type SharedCost = { usd: number | null; complete: boolean };

/** A part of a shared copy, with words of one conversation only: it is deleted with that conversation. Times are Unix ms. */
export type SharedPart =
  | {
      kind: "conversation";
      title: string | null;
      startedAt: number;
      models: string[];
      /** Of the conversation; the copy may have fewer. */
      messageCount: number;
      messages: SharedMessage[];
      cost: SharedCost | null;
    }
  | {
      kind: "finding";
      title: string | null;
      signal: string;
      summary: SharedText;
      severity: (typeof SEVERITIES)[number];
      conversations: number;
      users: number;
      firstSeen: number;
      lastSeen: number;
      cost: SharedCost | null;
    }
  | { kind: "occurrence"; at: number; summary: SharedText; quotes: SharedText[] };

/** What a managed prompt says: text, or messages of a chat. */
export type PromptContent = string | { role: (typeof PROMPT_ROLES)[number]; content: string }[];

/** What answers calls of an alias: a model behind a connection, or whatever runs under a deployment's name. */
export type GatewayTarget = { connectionId: string; model: string } | { deployment: string };

/** Conversations in the arms of an experiment of the gateway; `notApplied`: those in its variant's that the variant did not fit. */
export type ExperimentCounts = { baseline: number; variant: number; notApplied: number };
