import type { Usage } from "@/server/services/pricing/schemas";
import { serviceTierCalled } from "@/server/services/pricing/usage/schemas";
import type { Attributes } from "../types";
import type { Counting, Quantity } from "./counting";
import { type Figures, readFigures } from "./figures";
import { type DividedBucket, PARTS_OF, partsOf, sumOf, type Way } from "./parts";
import { serviceTiersOf } from "./service-tier";

export type ResolvedUsage = {
  /** Tokens by disjoint bucket; `null` if the client does not report usage. */
  usage: Usage | null;
  /** The figures as sent. */
  rawUsage: Record<string, unknown> | null;
  /** The rule that decided whether cached and reasoning tokens are inside input and output, with notes such as "clamped …" if figures contradict each other. */
  usageRule: string | null;
};

const UNKNOWN: ResolvedUsage = { usage: null, rawUsage: null, usageRule: null };

/** Vendors' own conventions, for figures without a known convention. */
const BY_PROVIDER: ReadonlyMap<string, Partial<Counting>> = new Map<string, Partial<Counting>>(
  Object.entries({
    anthropic: { cache: "beside" },
    bedrock: { cache: "beside" },
    "aws.bedrock": { cache: "beside" },
    google: { reasoning: "beside" },
    "gcp.gemini": { reasoning: "beside" },
    "gcp.vertex_ai": { reasoning: "beside" },
    xai: { reasoning: "beside" },
  } as const),
);

/** Ways of counting in the order in which they are tested against a total: the most common first. */
const WAYS = [
  { cacheInside: true, reasoningInside: true },
  { cacheInside: false, reasoningInside: true },
  { cacheInside: true, reasoningInside: false },
  { cacheInside: false, reasoningInside: false },
] as const satisfies readonly Way[];

/** Details stored per call; `usageRule` notes when a client sent more. */
const DETAILS_MAX = 32;

/**
 * Returns usage in disjoint buckets, and every other detail under its own name, from whatever figures the client sent. Zeros are
 * usage unless the call `failed`: clients send them for unknown figures then.
 */
export function resolveUsage(attributes: Attributes, provider: string | null, failed = false): ResolvedUsage {
  const figures = readFigures(attributes);
  if (!figures) return UNKNOWN;
  const { found } = figures;
  const count = (quantity: Quantity) => found.get(quantity)?.count ?? 0;
  const used = [...found].some(([quantity, figure]) => quantity !== "total" && (figure.count > 0 || !failed));
  if (!used && figures.details.size === 0) return { ...UNKNOWN, rawUsage: figures.raw };

  const oneHour = count("cache_creation_1h_input_tokens");
  const cacheRead = Math.max(count("cacheRead"), sumOf(PARTS_OF.cache_read_input_tokens, count));
  const cacheWrite = Math.max(count("cacheWrite"), count("cacheWrite5m") + oneHour);
  const cache = cacheRead + cacheWrite;
  const { way, rule } = wayToCount(figures, provider, cache);
  const parts = partsOf(figures, way, cache);
  const clamped: string[] = [];
  const less = (bucket: DividedBucket, whole: number, inside = 0) => {
    const rest = parts.takeOut(bucket, whole - inside);
    if (rest < 0) clamped.push(bucket);
    return Math.max(0, rest);
  };

  // Detail names come from clients, so they need an object without a prototype, which is slower to read.
  const usage: Usage = figures.details.size > 0 ? Object.create(null) : {};
  if (found.has("uncached")) usage.input_tokens = less("input_tokens", count("uncached"));
  else if (found.has("input")) usage.input_tokens = less("input_tokens", count("input"), way.cacheInside ? cache : 0);
  if (found.has("output")) {
    usage.output_tokens = less("output_tokens", count("output"), way.reasoningInside ? count("reasoning") : 0);
  }
  const add = (name: string, units: number) => {
    if (units > 0) usage[name] = units;
  };
  add("cache_read_input_tokens", less("cache_read_input_tokens", cacheRead));
  add("cache_creation_input_tokens", less("cache_creation_input_tokens", cacheWrite));
  add("reasoning_output_tokens", count("reasoning"));
  for (const part of parts.names) add(part, parts.count(part));
  const details = figures.details.size > 0 ? [...figures.details].sort(([one], [other]) => (one < other ? -1 : 1)) : [];
  for (const [name, units] of details.slice(0, DETAILS_MAX)) add(name, units);
  if (Object.keys(usage).length === 0) return { ...UNKNOWN, rawUsage: figures.raw };
  for (const tier of serviceTiersOf(attributes)) add(serviceTierCalled(tier), 1);
  const notes = [
    rule,
    ...(clamped.length > 0 ? [`clamped ${clamped.join(", ")}`] : []),
    ...(details.length > DETAILS_MAX ? [`${details.length - DETAILS_MAX} details left out`] : []),
  ];
  return { usage, rawUsage: figures.raw, usageRule: notes.join("; ") };
}

/** Decides how figures count: by what is arithmetically possible, by the total, by the convention, by the vendor. */
function wayToCount(figures: Figures, provider: string | null, cache: number): { way: Way; rule: string } {
  const count = (quantity: Quantity) => figures.found.get(quantity)?.count ?? 0;
  const input = count("input");
  const output = count("output");
  const reasoning = count("reasoning");
  const total = figures.found.get("total")?.count;
  const byConvention = conventionOf(figures, provider);
  const cacheFits = cache <= input;
  const reasoningFits = reasoning <= output;
  const settled = (way: Way, rule: string) => ({
    way: { cacheInside: way.cacheInside && cacheFits, reasoningInside: way.reasoningInside && reasoningFits } as Way,
    rule:
      !cacheFits && way.cacheInside
        ? "cache exceeds input"
        : !reasoningFits && way.reasoningInside
          ? "reasoning exceeds output"
          : rule,
  });

  if (figures.found.has("uncached")) return settled({ ...byConvention.way, cacheInside: true }, "uncached input given");
  if (total !== undefined && figures.found.has("input") && figures.found.has("output") && cache + reasoning > 0) {
    const fitting = WAYS.find((way) => {
      if ((way.cacheInside && !cacheFits) || (way.reasoningInside && !reasoningFits)) return false;
      return input + output + (way.cacheInside ? 0 : cache) + (way.reasoningInside ? 0 : reasoning) === total;
    });
    if (fitting) return { way: fitting, rule: "total adds up" };
  }
  return settled(byConvention.way, byConvention.rule);
}

function conventionOf(figures: Figures, provider: string | null): { way: Way; rule: string } {
  // A part follows the convention of the whole that may contain it.
  const ofInput = figures.found.get("input")?.counting;
  const ofOutput = figures.found.get("output")?.counting;
  const ofProvider = provider === null ? undefined : BY_PROVIDER.get(provider);
  const cache = ofInput?.cache ?? ofProvider?.cache ?? "inside";
  const reasoning = ofOutput?.reasoning ?? ofProvider?.reasoning ?? "inside";
  const way = { cacheInside: cache === "inside", reasoningInside: reasoning === "inside" } as Way;
  const isKnown =
    (ofInput?.cache ?? ofOutput?.reasoning) !== undefined && (ofInput?.cache ?? ofOutput?.reasoning) !== null;
  if (isKnown) return { way, rule: `convention of ${(ofInput ?? ofOutput)?.name}` };
  return { way, rule: ofProvider ? `convention of ${provider}` : "assumed inclusive" };
}
