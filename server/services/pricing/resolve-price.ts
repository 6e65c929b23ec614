import { LRUCache } from "lru-cache";
import type { DefaultModel } from "./catalogue/default-prices";
import { type TierChooser, tierChooser } from "./choose-tier";
import { type TierPrices, tierPrices } from "./cost-of";
import { DefinitionIndex, type Indexed } from "./definition-index";
import { normaliseModelName } from "./normalise-model-name";
import { type PriceList, priceListOf } from "./providers";
import type { PriceDefinition, PriceProvider, PricingTier } from "./schemas";

/** A project's own definition as it is in force, with the version that its costs will name. */
export type ProjectPrice = { definition: PriceDefinition; version: number };

/** A definition that a model name came to, ready to price calls with. */
export type ResolvedPrice = {
  definition: PriceDefinition;
  tiers: TierChooser;
  pricesOf(tier: PricingTier): TierPrices;
};

/** All definitions that hold in one project at one version of its prices. Immutable: a change makes a new book. */
export type PriceBook = {
  /** Defaults with the project's overrides in their place, then its custom definitions; those in force now. */
  definitions(): PriceDefinition[];
  /**
   * The definition for a model that a client calls `model`; `null` when none is known. `provider` is what the client
   * says, of any spelling. `at` (Unix milliseconds) chooses among a default's prices over time; without it, now.
   */
  resolve(model: string, provider: string | null, at?: number): ResolvedPrice | null;
};

/** One entry per model: its prices over time, oldest first (a single one unless the catalogue knows of a change). */
type Entry = Indexed & { timeline: readonly { effectiveFrom: number; price: ResolvedPrice }[] };

/** Names and providers come from clients, so what is remembered of them is bounded. */
const REMEMBERED_NAMES = 2_000;
const REMEMBERED_PROVIDERS = 500;

/**
 * Which definition a name comes to. In this order:
 * 1. a definition of the project before a default; an override takes its default's place altogether;
 * 2. an exact name before a pattern;
 * 3. the name as sent before a form of it with envelopes taken off (see `normaliseModelName`);
 * 4. the asked vendor's definition before another's; then the more specific pattern; then the smaller id.
 * A vendor named in the model (`anthropic/…`) or else by the provider limits the choice to that vendor (a project's
 * `external` definitions always take part); a router, a cloud or an unknown provider does not. Defaults do not apply at
 * hosts with prices of their own.
 */
export function createPriceBook(
  defaults: readonly DefaultModel[],
  projectPrices: readonly ProjectPrice[],
  defaultsVersion: string,
): PriceBook {
  const overridden = new Set(
    projectPrices
      .map(({ definition }) => definition)
      .filter(isOverride)
      .map(({ id }) => id),
  );
  const standing = defaultEntries(defaults, defaultsVersion).filter(({ id }) => !overridden.has(id));
  const own = projectPrices.map(projectEntry);
  const ownIndex = new DefinitionIndex(own);
  const defaultIndex = overridden.size === 0 ? indexOfAll(defaults, defaultsVersion) : new DefinitionIndex(standing);

  const remembered = new LRUCache<string, Entry | typeof NONE>({ max: REMEMBERED_NAMES });
  const providers = new LRUCache<string, PriceList>({ max: REMEMBERED_PROVIDERS });

  function priceListOfProvider(provider: string | null): PriceList {
    if (provider === null) return "any";
    const known = providers.get(provider);
    if (known !== undefined) return known;
    const list = priceListOf(provider) ?? "any";
    if (provider.length <= KEY_MAX) providers.set(provider, list);
    return list;
  }

  function lookUp(model: string, providerList: PriceList): Entry | null {
    const { candidates, priceList } = normaliseModelName(model);
    const list = providerList === "own" ? "own" : (priceList ?? providerList);
    const vendor = list === "any" || list === "own" ? null : list;
    const fits = (provider: PriceProvider) => vendor === null || provider === vendor;
    const found = ownIndex.find(candidates, (provider) => provider === "external" || fits(provider), vendor);
    if (found || list === "own") return found;
    return defaultIndex.find(candidates, fits, vendor);
  }

  return {
    definitions: () => [...standing, ...own].map((entry) => inForce(entry, Date.now())!.definition).sort(byId),
    resolve(model, provider, at) {
      if (model.length > KEY_MAX) return null;
      const list = priceListOfProvider(provider);
      const key = `${list}|${model}`;
      let entry = remembered.get(key);
      if (entry === undefined) {
        entry = lookUp(model, list) ?? NONE;
        remembered.set(key, entry);
      }
      return entry === NONE ? null : inForce(entry as Entry, at);
    },
  };
}

const NONE = Symbol("no such price");
/** No name or provider is longer; nothing longer is worth remembering or looking at. */
const KEY_MAX = 500;

const isOverride = (definition: PriceDefinition) => definition.source === "project_override";
const byId = (a: PriceDefinition, b: PriceDefinition) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The prices that held at a moment. Before the first known ones, those: older prices are not known. */
function inForce({ timeline }: Entry, at?: number): ResolvedPrice {
  if (timeline.length === 1) return timeline[0]!.price;
  const moment = at ?? Date.now();
  const past = timeline.findLast(({ effectiveFrom }) => effectiveFrom <= moment);
  return (past ?? timeline[0]!).price;
}

function projectEntry({ definition, version }: ProjectPrice): Entry {
  const price = ready(definition, `${definition.id}@${version}`);
  return { ...indexed(definition, []), timeline: [{ effectiveFrom: 0, price }] };
}

const indexed = ({ id, provider, modelName, matchPattern }: PriceDefinition, aliases: readonly string[]): Indexed => ({
  id,
  provider,
  matchPattern,
  names: [modelName.trim().toLowerCase(), ...aliases],
});

/** Compiles what pricing needs of a definition, tier by tier as they are first used. */
function ready(definition: PriceDefinition, pricesVersion: string): ResolvedPrice {
  const made = new Map<PricingTier, TierPrices>();
  return {
    definition,
    tiers: tierChooser(definition),
    pricesOf(tier) {
      let prices = made.get(tier);
      if (!prices) {
        prices = tierPrices(definition, tier, pricesVersion);
        made.set(tier, prices);
      }
      return prices;
    },
  };
}

/** The defaults are the same for every project that overrides none, so their index is built once. */
const shared = new WeakMap<readonly DefaultModel[], { entries: Entry[]; index: DefinitionIndex<Entry> | null }>();

function defaultEntries(defaults: readonly DefaultModel[], version: string): Entry[] {
  let known = shared.get(defaults);
  if (!known) {
    const entries = defaults.map(({ aliases, timeline }) => ({
      ...indexed(timeline[0]!.definition, aliases),
      timeline: timeline.map(({ effectiveFrom, definition }) => ({ effectiveFrom, price: ready(definition, version) })),
    }));
    known = { entries, index: null };
    shared.set(defaults, known);
  }
  return known.entries;
}

function indexOfAll(defaults: readonly DefaultModel[], version: string) {
  const entries = defaultEntries(defaults, version);
  const known = shared.get(defaults)!;
  known.index ??= new DefinitionIndex(entries);
  return known.index;
}
