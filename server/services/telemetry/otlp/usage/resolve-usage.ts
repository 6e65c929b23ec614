import type { Usage } from "@/server/services/pricing/schemas";
import type { Attributes } from "../types";
import { type Convention, type Figures, type Quantity, readFigures } from "./figures";

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
] as const;
type Way = (typeof WAYS)[number];

/** Usage in disjoint buckets, from whatever figures the client sent. */
export function resolveUsage(attributes: Attributes, provider: string | null): ResolvedUsage {
  const figures = readFigures(attributes);
  if (!figures) return UNKNOWN;
  const count = (quantity: Quantity) => figures.found.get(quantity)?.count ?? 0;
  const known = (["input", "uncached", "output", "cacheRead", "cacheWrite"] as const).filter((name) =>
    figures.found.has(name),
  );
  // clients write zeros when they do not know, above all on errors
  if (known.every((name) => count(name) === 0)) return { ...UNKNOWN, rawUsage: figures.raw };

  const cacheWrite = Math.max(count("cacheWrite"), count("cacheWrite5m") + count("cacheWrite1h"));
  const cache = count("cacheRead") + cacheWrite;
  const { way, rule } = wayToCount(figures, provider, cache);
  const clamped: string[] = [];
  const less = (bucket: string, whole: number, ...inside: number[]) => {
    const rest = inside.reduce((left, part) => left - part, whole);
    if (rest < 0) clamped.push(bucket);
    return Math.max(0, rest);
  };

  const usage: Usage = {};
  const add = (bucket: string, tokens: number) => {
    if (tokens > 0) usage[bucket] = tokens;
  };
  const inputExtras = [count("inputAudio"), count("inputImage")];
  if (figures.found.has("uncached")) usage.input_tokens = less("input_tokens", count("uncached"), ...inputExtras);
  else if (figures.found.has("input")) {
    usage.input_tokens = less(
      "input_tokens",
      count("input"),
      way.cacheInside ? cache : 0,
      ...insideExtras(figures, "input", inputExtras),
    );
  }
  if (figures.found.has("output")) {
    const outputExtras = [count("outputAudio"), count("outputImage")];
    const reasoning = way.reasoningInside ? count("reasoning") : 0;
    usage.output_tokens = less(
      "output_tokens",
      count("output"),
      reasoning,
      ...insideExtras(figures, "output", outputExtras),
    );
  }
  add("cache_read_input_tokens", count("cacheRead"));
  add("cache_creation_input_tokens", cacheWrite - count("cacheWrite1h"));
  add("cache_creation_1h_input_tokens", count("cacheWrite1h"));
  add("reasoning_output_tokens", count("reasoning"));
  add("input_audio_tokens", count("inputAudio"));
  add("output_audio_tokens", count("outputAudio"));
  add("input_image_tokens", count("inputImage"));
  add("output_image_tokens", count("outputImage"));
  return {
    usage,
    rawUsage: figures.raw,
    usageRule: clamped.length > 0 ? `${rule}; clamped ${clamped.join(", ")}` : rule,
  };
}

/** Audio and images lie inside the whole, except where all parts of an object are counted apart. */
function insideExtras(figures: Figures, whole: "input" | "output", extras: number[]): number[] {
  return figures.found.get(whole)?.convention.name === "langfuse" ? [] : extras;
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
