import { Decimal } from "decimal.js";
import type { Vendor } from "../matching/providers";
import type { PricingTier } from "../schemas";
import { serviceTierCalled } from "../usage/schemas";
import type { CataloguePrice, CataloguePrices } from "./catalogue-prices";
import { EXTRA_ALIASES, EXTRA_PRICES, EXTRA_TIERS, SUPPLEMENT } from "./corrections";
import { type MatchLogic, type ModelNames, matchPatternOf, namesIn, spellings } from "./name-patterns";
import { type ServiceTierPrices, serviceTierPrices } from "./service-tier-prices";
import { type ListPrice, type PricedNames, pricesByVendor, snapshotsDiffer, withoutOtherPrices } from "./snapshots";

type DatedPrices = { constraint?: Record<string, string>; prices: CataloguePrices };
export type CatalogueModel = { id: string; match: MatchLogic; prices: CataloguePrices | DatedPrices[] };
export type CatalogueProvider = { id: string; models: CatalogueModel[] };

/** Prices effective from a moment on (Unix ms; `null` for always). */
type PriceSet = { effectiveFrom: number | null; pricingTiers: PricingTier[] };
/** A default price in the generated file. `aliases` are additional exact names in lower case. */
export type DefaultPrice = {
  provider: Vendor;
  modelName: string;
  aliases: string[];
  matchPattern: string;
  /** Oldest first. */
  priceSets: PriceSet[];
};

/** Our vendors with the catalogue providers that have their prices; an earlier source takes precedence. */
export const SOURCES: Record<Vendor, readonly string[]> = {
  openai: ["openai"],
  anthropic: ["anthropic"],
  google: ["google"],
  xai: ["x-ai"],
  mistral: ["mistral"],
  deepseek: ["deepseek"],
  cohere: ["cohere"],
  moonshotai: ["moonshotai"],
  // `zhipuai` has mainland-China prices converted to dollars, used only for models that z.ai's own list lacks.
  zai: ["zai", "zhipuai"],
  minimax: ["minimax"],
};

/** A router whose list distinguishes snapshots, which shows which dated names have their model's price. */
const ROUTER = "openrouter";

/** The catalogue providers from which the defaults are generated. */
export const CATALOGUE_PROVIDERS = [...Object.values(SOURCES).flat(), ROUTER];

const TOKENS = 1_000_000;
const THOUSAND = 1_000;

/** Maps the catalogue's price keys to our buckets and the number of units per price. Generation fails on an unknown key. */
const BUCKETS: Record<string, { bucket: string; per: number }> = {
  input_mtok: { bucket: "input_tokens", per: TOKENS },
  output_mtok: { bucket: "output_tokens", per: TOKENS },
  output_reasoning_mtok: { bucket: "reasoning_output_tokens", per: TOKENS },
  cache_write_mtok: { bucket: "cache_creation_input_tokens", per: TOKENS },
  cache_write_1h_mtok: { bucket: "cache_creation_1h_input_tokens", per: TOKENS },
  cache_read_mtok: { bucket: "cache_read_input_tokens", per: TOKENS },
  input_audio_mtok: { bucket: "input_audio_tokens", per: TOKENS },
  input_image_mtok: { bucket: "input_image_tokens", per: TOKENS },
  input_video_mtok: { bucket: "input_video_tokens", per: TOKENS },
  cache_audio_read_mtok: { bucket: "cache_read_input_audio_tokens", per: TOKENS },
  cache_image_read_mtok: { bucket: "cache_read_input_image_tokens", per: TOKENS },
  output_audio_mtok: { bucket: "output_audio_tokens", per: TOKENS },
  output_image_mtok: { bucket: "output_image_tokens", per: TOKENS },
  output_video_mtok: { bucket: "output_video_tokens", per: TOKENS },
  web_searches_kcount: { bucket: "web_searches", per: THOUSAND },
  storage_searches_kcount: { bucket: "storage_searches", per: THOUSAND },
};

/** A bucket without a price in the catalogue inherits its parent's price rather than being free. Order matters. */
const INHERITED = [
  ["reasoning_output_tokens", "output_tokens"],
  ["cache_creation_input_tokens", "input_tokens"],
  ["cache_read_input_tokens", "input_tokens"],
  ["cache_read_input_audio_tokens", "input_audio_tokens"],
  ["cache_read_input_image_tokens", "input_image_tokens"],
] as const;

/**
 * Input that these vendors bill like text unless their list says otherwise. Audio is omitted for OpenAI: the catalogue
 * lacks the audio prices of its older audio models, which are many times the text price, and an unknown cost is better
 * than a wrong one.
 */
const BILLED_LIKE_TEXT: Partial<Record<Vendor, readonly string[]>> = {
  google: ["input_audio_tokens", "input_image_tokens", "input_video_tokens"],
  openai: ["input_image_tokens"],
  xai: ["input_image_tokens"],
};

const TIER_NAMES: Readonly<Record<string, string>> = {
  batch: "Batch",
  fast: "Fast",
  flex: "Flex",
  priority: "Priority",
};

/** Long-context tiers compare all input, cached or not, and apply to the whole request. */
const ALL_INPUT = "^(?:input|cache_(?:read|creation))";

/** Converts the catalogue's rows of our ten vendors to definitions, ordered by id. */
export function defaultPricesFrom(providers: ReadonlyMap<string, CatalogueProvider>): DefaultPrice[] {
  const routed = (providers.get(ROUTER)?.models ?? []).map(({ id, prices }) => ({ id, price: listPrice(prices) }));
  const router = pricesByVendor(routed);
  const listed = (Object.keys(SOURCES) as Vendor[]).flatMap((vendor) => rowsOf(vendor, providers));
  const priced = listed.map((row) => withoutOtherPrices(row, router));
  const rows = priced.map((row, index) => ({ ...row, datedTails: !snapshotsDiffer(row, listed[index]!, priced) }));
  const used = new Set(rows.map((row) => `${row.vendor}:${row.model.id}`));
  for (const id of [EXTRA_ALIASES, EXTRA_PRICES, EXTRA_TIERS].flatMap(Object.keys))
    if (!used.has(id)) throw new Error(`A correction names a row that the catalogue lacks: ${id}`);

  const owners = new Map<string, string>();
  for (const row of rows) for (const name of [...row.names, ...row.stems]) claim(owners, name.toLowerCase(), row.id);
  return rows.map((row) => definitionOf(row, owners)).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

const idOf = (price: Pick<DefaultPrice, "provider" | "modelName">) => `${price.provider}:${price.modelName}`;

type Row = PricedNames & {
  id: string;
  modelName: string;
  model: Pick<CatalogueModel, "id" | "prices">;
  /** The catalogue's provider; `null` for a row that the catalogue lacks. */
  source: string | null;
};

/** Returns a row's current prices for input and output tokens; `null` when it has none, which may also mean unknown. */
function listPrice(prices: CatalogueModel["prices"]): ListPrice | null {
  const { input_mtok, output_mtok } = priceSetsIn(prices).at(-1)?.prices ?? {};
  return input_mtok === undefined
    ? null
    : [input_mtok, output_mtok].map((price) => price && priceAbove(price, 0)).join("/");
}

function rowsOf(vendor: Vendor, providers: ReadonlyMap<string, CatalogueProvider>): Row[] {
  const seen = new Set<string>();
  const rows: Row[] = [];
  for (const source of SOURCES[vendor]) {
    const provider = providers.get(source);
    if (!provider) throw new Error(`The catalogue has no provider ${source}.`);
    for (const model of provider.models) {
      if (!isFirstParty(vendor, model) || seen.has(model.id)) continue;
      seen.add(model.id);
      rows.push(rowOf(vendor, withExtraPrices(vendor, model), namesIn(model.match), source));
    }
  }
  for (const row of SUPPLEMENT) {
    if (row.provider === vendor)
      rows.push(rowOf(vendor, row, { names: [row.id, ...row.aliases], stems: [...(row.stems ?? [])] }, null));
  }
  return rows;
}

/** Adds the prices of a row that the catalogue lacks. */
function withExtraPrices(vendor: Vendor, { id, prices }: CatalogueModel): Pick<CatalogueModel, "id" | "prices"> {
  const [extra, tier] = [EXTRA_PRICES[`${vendor}:${id}`], EXTRA_TIERS[`${vendor}:${id}`]];
  if (!extra && !tier) return { id, prices };
  if (Array.isArray(prices)) throw new Error(`The prices of ${vendor}:${id} depend on time: correct each of them.`);
  const all: CataloguePrices = { ...prices };
  for (const [key, price] of Object.entries(extra ?? {})) {
    if (all[key] !== undefined)
      throw new Error(`The catalogue has a price that is a correction: ${vendor}:${id} ${key}`);
    all[key] = price;
  }
  for (const [key, price] of Object.entries(tier?.prices ?? {})) {
    const base = all[key];
    if (typeof base !== "number")
      throw new Error(`The catalogue has a tier that is a correction: ${vendor}:${id} ${key}`);
    all[key] = { base, tiers: [{ start: tier!.start, price }] };
  }
  return { id, prices: all };
}

function rowOf(
  vendor: Vendor,
  model: Pick<CatalogueModel, "id" | "prices">,
  found: ModelNames,
  source: string | null,
): Row {
  const extra = EXTRA_ALIASES[`${vendor}:${model.id}`] ?? [];
  const names = [...found.names, ...extra].filter((name) => !name.includes("/"));
  const modelName = plainName(model.id, [...names, ...found.stems]);
  const price = listPrice(model.prices) ?? "";
  return {
    vendor,
    model,
    modelName,
    id: `${vendor}:${modelName}`,
    names: [modelName, ...names],
    stems: found.stems,
    price,
    source,
  };
}

/** Shortens `claude-3-5-haiku-latest` to `claude-3-5-haiku` if the row also has that name. */
function plainName(id: string, names: string[]) {
  const plain = id.replace(/(?:-latest|-0|-)$/, "");
  return names.includes(plain) ? plain : id;
}

/** Excludes other vendors' models (Claude under Google), rows without a token price, and `:free` offers. */
function isFirstParty(vendor: Vendor, model: CatalogueModel) {
  if (vendor === "google" && model.id.startsWith("claude")) return false;
  if (model.id.endsWith(":free")) return false;
  return priceSetsIn(model.prices).every(({ prices }) => prices.input_mtok !== undefined);
}

function claim(owners: Map<string, string>, name: string, id: string) {
  const owner = owners.get(name);
  if (owner !== undefined && owner !== id) throw new Error(`Both ${owner} and ${id} have the name ${name}.`);
  owners.set(name, id);
}

function definitionOf(row: Row & { datedTails: boolean }, owners: Map<string, string>): DefaultPrice {
  // A spelling that another row uses literally belongs to that row.
  const spell = (names: string[]) => [
    ...new Set(
      names.flatMap((name) => spellings(row.vendor, name)).filter((name) => (owners.get(name) ?? row.id) === row.id),
    ),
  ];
  const names = spell(row.names);
  const stems = spell(row.stems);
  return {
    provider: row.vendor,
    modelName: row.modelName,
    aliases: [...new Set([...names, ...stems])].filter((name) => name !== row.modelName.toLowerCase()).sort(),
    matchPattern: matchPatternOf(
      row.vendor,
      { names: names.filter((name) => !stems.includes(name)), stems },
      row.datedTails,
    ),
    priceSets: priceSetsIn(row.model.prices).map(({ effectiveFrom, prices }, index, sets) => ({
      effectiveFrom,
      pricingTiers: tiersOf(
        row.vendor,
        prices,
        row.source === null
          ? []
          : serviceTierPrices(`${row.source}:${row.model.id}`, {
              effectiveFrom,
              until: sets[index + 1]?.effectiveFrom ?? null,
              prices,
            }),
      ),
    })),
  };
}

/** Where a price depends on the time of day, the one at noon UTC is used: usage conditions cannot express the hour. */
const NOON = "12:00:00Z";

/** Returns a row's prices by the moment from which they are effective. */
function priceSetsIn(prices: CatalogueModel["prices"]): { effectiveFrom: number | null; prices: CataloguePrices }[] {
  if (!Array.isArray(prices)) return [{ effectiveFrom: null, prices }];
  const atNoon = prices.filter(({ constraint }) => constraint?.type !== "time_of_date" || holdsAtNoon(constraint));
  // In the catalogue the last applicable price wins; a time of day without a date always applies.
  const timeless = atNoon.findLast(({ constraint }) => constraint?.type === "time_of_date");
  if (timeless) return [{ effectiveFrom: null, prices: timeless.prices }];
  return atNoon
    .map(({ constraint, prices: set }) => ({
      effectiveFrom: constraint ? Date.parse(`${constraint.start_date}T00:00:00Z`) : null,
      prices: set,
    }))
    .sort((a, b) => (a.effectiveFrom ?? 0) - (b.effectiveFrom ?? 0));
}

const holdsAtNoon = (constraint: Record<string, string>) =>
  constraint.start_time! <= NOON && NOON < constraint.end_time!;

function tiersOf(vendor: Vendor, prices: CataloguePrices, served: readonly ServiceTierPrices[]): PricingTier[] {
  const standard = {
    id: "standard",
    name: "Standard",
    isDefault: true,
    priority: 0,
    conditions: [],
    prices: bucketPrices(vendor, prices, 0),
  };
  const others = [...served.flatMap((tier) => servedTiers(vendor, tier)), ...longTiers(vendor, prices)];
  return [standard, ...others.map((tier, index) => ({ ...tier, isDefault: false, priority: index + 1 }))];
}

type ConditionalTier = Pick<PricingTier, "id" | "name" | "conditions" | "prices">;

/** Returns the tiers above each boundary of input tokens, the highest first. */
function longTiers(vendor: Vendor, prices: CataloguePrices): ConditionalTier[] {
  const starts = new Set<number>();
  for (const price of Object.values(prices)) {
    if (typeof price === "object") for (const { start } of price.tiers) starts.add(start);
  }
  return [...starts]
    .sort((a, b) => b - a)
    .map((start) => ({
      id: `input-over-${start}`,
      name: `Input over ${start.toLocaleString("en-US")} tokens`,
      conditions: [{ usageDetailPattern: ALL_INPUT, operator: "gt" as const, value: start }],
      prices: bucketPrices(vendor, prices, start),
    }));
}

/** Returns the tiers of calls that were served in another way than the standard one. */
function servedTiers(vendor: Vendor, { tier, prices, upTo }: ServiceTierPrices): ConditionalTier[] {
  const name = TIER_NAMES[tier];
  if (!name) throw new Error(`The catalogue has an unknown service tier: ${tier}`);
  const isServed = { usageDetailPattern: `^${serviceTierCalled(tier)}$`, operator: "gt" as const, value: 0 };
  const isShort = { usageDetailPattern: ALL_INPUT, operator: "lte" as const, value: upTo ?? 0 };
  const base = {
    id: tier,
    name,
    conditions: upTo === null ? [isServed] : [isServed, isShort],
    prices: bucketPrices(vendor, prices, 0),
  };
  const long = upTo === null ? longTiers(vendor, prices) : [];
  return [
    ...long.map(({ id, name: above, conditions, prices }) => ({
      id: `${tier}-${id}`,
      name: `${name}, ${above[0]!.toLowerCase()}${above.slice(1)}`,
      conditions: [isServed, ...conditions],
      prices,
    })),
    base,
  ];
}

/** Returns all prices per unit for the tier above `start` (0 for the base), with inherited prices filled in. */
function bucketPrices(vendor: Vendor, prices: CataloguePrices, start: number): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, price] of Object.entries(prices)) {
    if (price === undefined) continue;
    const unit = BUCKETS[key];
    if (!unit) throw new Error(`The catalogue has an unknown price key: ${key}`);
    found[unit.bucket] = perUnit(priceAbove(price, start), unit.per);
  }
  const likeText = found.output_tokens === undefined ? [] : (BILLED_LIKE_TEXT[vendor] ?? []);
  for (const [bucket, parent] of [...INHERITED, ...likeText.map((bucket) => [bucket, "input_tokens"] as const)]) {
    if (found[bucket] === undefined && found[parent] !== undefined) found[bucket] = found[parent];
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function priceAbove(price: CataloguePrice, start: number): number {
  if (typeof price === "number") return price;
  const reached = price.tiers.filter((tier) => tier.start <= start).sort((a, b) => b.start - a.start)[0];
  return reached ? reached.price : price.base;
}

/** Divides exactly; throws if the price per unit cannot be represented exactly as a JSON number. */
function perUnit(price: number, per: number): number {
  const exact = new Decimal(price).div(per);
  const number = exact.toNumber();
  if (!new Decimal(number).eq(exact)) throw new Error(`${price} per ${per} cannot be represented exactly.`);
  return number;
}
