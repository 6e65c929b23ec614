import type { Usage } from "@/server/services/pricing/schemas";
import type { Attributes } from "../types";
import { type Convention, type Figures, type Quantity, readFigures } from "./figures";
import { type DividedBucket, PARTS_OF, partsOf, sumOf, type Way } from "./parts";

export type ResolvedUsage = {
  /** Tokens by bucket; no bucket contains another. `null` when the client does not say. */
  usage: Usage | null;
  /** The figures as sent. */
  rawUsage: Record<string, unknown> | null;
  /** What told whether cached and reasoning tokens lie inside input and output; ends in "; clamped" when figures clashed. */
  usageRule: string | null;
};

const UNKNOWN: ResolvedUsage = { usage: null, rawUsage: null, usageRule: null };

/** Vendors whose own figures count so, for figures that come without a convention. */
const BY_PROVIDER: ReadonlyMap<string, Partial<Convention>> = new Map<string, Partial<Convention>>(
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

/** The order in which ways to count are tried against a total: the most common first. */
const WAYS = [
  { cacheInside: true, reasoningInside: true },
  { cacheInside: false, reasoningInside: true },
  { cacheInside: true, reasoningInside: false },
  { cacheInside: false, reasoningInside: false },
] as const satisfies readonly Way[];

/** Details of one call that are stored; `usageRule` says when a client sent more. */
const DETAILS_MAX = 32;

/** Returns usage in disjoint buckets, and every other detail under its own name, from whatever figures the client sent. */
export function resolveUsage(attributes: Attributes, provider: string | null): ResolvedUsage {
  const figures = readFigures(attributes);
  if (!figures) return UNKNOWN;
  const { found } = figures;
  const count = (quantity: Quantity) => found.get(quantity)?.count ?? 0;
  // clients write zeros when they do not know, above all on errors
  const used = [...found].some(([quantity, figure]) => quantity !== "total" && figure.count > 0);
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

  // Names of details are the client's; an object without a prototype is slower to read.
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
  const notes = [
    rule,
    ...(clamped.length > 0 ? [`clamped ${clamped.join(", ")}`] : []),
    ...(details.length > DETAILS_MAX ? [`${details.length - DETAILS_MAX} details left out`] : []),
  ];
  return { usage, rawUsage: figures.raw, usageRule: notes.join("; ") };
}

/** The ladder: what cannot be otherwise, what the total says, what the convention says, what the vendor does. */
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
  // a part is counted the way of the whole it may lie in
  const ofInput = figures.found.get("input")?.convention;
  const ofOutput = figures.found.get("output")?.convention;
  const ofProvider = provider === null ? undefined : BY_PROVIDER.get(provider);
  const cache = ofInput?.cache ?? ofProvider?.cache ?? "inside";
  const reasoning = ofOutput?.reasoning ?? ofProvider?.reasoning ?? "inside";
  const way = { cacheInside: cache === "inside", reasoningInside: reasoning === "inside" } as Way;
  const told =
    (ofInput?.cache ?? ofOutput?.reasoning) !== undefined && (ofInput?.cache ?? ofOutput?.reasoning) !== null;
  if (told) return { way, rule: `convention of ${(ofInput ?? ofOutput)?.name}` };
  return { way, rule: ofProvider ? `convention of ${provider}` : "assumed inclusive" };
}
