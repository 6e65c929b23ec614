import type { DefaultModel } from "../catalogue/default-prices";
import { type TierChooser, tierChooser } from "../costing/choose-tier";
import { type TierPrices, tierPrices } from "../costing/cost-of";
import { isVendor, priceScope } from "../definitions/price-scope";
import type { PriceDefinition, PricingTier } from "../schemas";
import { DefinitionIndex, type Indexed } from "./definition-index";
import { GenerationalCache } from "./generational-cache";
import { MODEL_NAME_MAX, normaliseModelName } from "./normalise-model-name";
import { type ProviderList, priceListOfProvider } from "./providers";

/** A project's definition in force, with the version that is recorded in costs. */
export type ProjectPrice = { definition: PriceDefinition; version: number };

/** The definition that a model name resolves to, prepared for pricing calls. */
export type ResolvedPrice = {
  definition: PriceDefinition;
  tiers: TierChooser;
  pricesOf(tier: PricingTier): TierPrices;
};

/** All definitions in force in one project at one version of its prices. Immutable: a change creates a new book. */
export type PriceBook = {
  /**
   * Returns the definitions in force now as a reply: defaults with the project's overrides applied, and its custom
   * definitions, by id. Returns the same frozen object until a default's price changes.
   */
  listed(): { readonly models: PriceDefinition[] };
  /**
   * Returns the definition for a model name as sent by a client, or `null` when none is known. `provider` is the client's,
   * in any spelling. `at` (Unix ms) selects among a default's prices over time; the default is now.
   */
  resolve(model: string, provider: string | null, at?: number): ResolvedPrice | null;
  /** Returns a new book with a definition added, which replaces those of the project with its id or its vendor and name. */
  with(definition: PriceDefinition): PriceBook;
};

/** One entry per model, with its prices over time, oldest first (a single one unless the catalogue has a change). */
type Entry = Indexed & { modelName: string; timeline: readonly { effectiveFrom: number; price: ResolvedPrice }[] };

const NAMES_CACHED_MAX = 500;
const PROVIDERS_CACHED_MAX = 100;

/**
 * Creates a price book. A name resolves to a definition with this precedence:
 * 1. a definition of the project before a default; one with the vendor, name and pattern of a default replaces exactly
 *    that default, so that names which resolve to another default still do;
 * 2. an exact name before a pattern;
 * 3. the name as sent before a form of it with envelopes removed (see `normaliseModelName`);
 * 4. the requested vendor's definition before another's; then the more specific pattern; then the smaller id.
 * A vendor in the model name (`anthropic/…`), or else the provider, restricts the choice to that vendor (a project's
 * `external` definitions always take part, after the vendor's own where the provider names the vendor); a router, cloud or framework does not. A provider that is neither a vendor nor
 * a reseller leaves only `external` definitions. Defaults do not apply at hosts with their own prices, unless the name has
 * the vendor of a model that no other host can run.
 */
export function createPriceBook(
  defaults: readonly DefaultModel[],
  projectPrices: readonly ProjectPrice[],
  defaultsVersion: string,
): PriceBook {
  const overridden = new Set(projectPrices.filter(isOverride).map(({ definition }) => definition.id));
  const { entries: defaultEntries, index: defaultIndex, idByNames } = indexedDefaults(defaults, defaultsVersion);
  const own = projectPrices.map(projectEntry);
  const ownIndex = new DefinitionIndex(own);
  /** Maps an entry with the same names as a default to that default's id. */
  const inPlace = new Map(
    own.flatMap((entry) => {
      const id = idByNames.get(namesKey(entry));
      return id === undefined ? [] : [[entry, id] as const];
    }),
  );

  function lookUp(model: string, providerList: ProviderList): Entry | null {
    const named = normaliseModelName(model);
    const { vendor, takesOwn, takesDefault } = priceScope(providerList, named);
    const find = (allowed: (entry: Entry) => boolean) => defaultIndex.find(named.candidates, allowed, vendor);
    const ofVendor = ({ provider }: Entry) => vendor === null || provider === vendor;
    const unchanged = inPlace.size > 0 ? find(ofVendor)?.id : undefined;
    const inItsPlace = (entry: Entry) => !inPlace.has(entry) || inPlace.get(entry) === unchanged;
    const findOwn = (allowed: (entry: Entry) => boolean) =>
      ownIndex.find(named.candidates, (entry) => takesOwn(entry) && inItsPlace(entry) && allowed(entry), vendor);
    const findDefault = () => find((entry) => takesDefault(entry) && !overridden.has(entry.id));
    if (!isVendor(providerList)) return findOwn(() => true) ?? findDefault();
    // Whoever names the vendor does not mean a model of someone else that has the same name.
    const [own, external] = [findOwn(isOfVendor), findOwn(isExternal)];
    if (own || !external) return own ?? findDefault();
    const known = findDefault();
    return known && !isNamedOnlyBy(external, known, named.candidates) ? known : external;
  }

  const resolveEntry = memoized(lookUp);
  const everyEntry = () => [...defaultEntries.filter(({ id }) => !overridden.has(id)), ...own];
  let last: { reply: { readonly models: PriceDefinition[] }; until: number } | undefined;

  function listed() {
    const now = Date.now();
    if (!last || now >= last.until) {
      const all = everyEntry();
      const models = all.map((entry) => inForce(entry, now).definition).sort(byId);
      last = { reply: Object.freeze({ models }), until: nextChange(all, now) };
    }
    return last.reply;
  }

  return {
    listed,
    resolve(model, provider, at) {
      if (model.length > MODEL_NAME_MAX) return null;
      const entry = resolveEntry(model, provider);
      return entry && inForce(entry, at);
    },
    with(definition) {
      const kept = projectPrices.filter(({ definition: other }) => !takesPlaceOf(definition, other));
      return createPriceBook(defaults, [...kept, { definition, version: VERSION_OF_DRAFTS }], defaultsVersion);
    },
  };
}

/** Stored versions start at 1. */
const VERSION_OF_DRAFTS = 0;

/** Ids are unique within a project, and so are pairs of vendor and name. */
const takesPlaceOf = (one: PriceDefinition, other: PriceDefinition) =>
  one.id === other.id || (one.provider === other.provider && one.modelName === other.modelName);

/** Recent results, including misses, for the price list that a provider implies. */
type Seen = { list: ProviderList; entries: GenerationalCache<Entry | null> };

/** Memoizes look-ups by name and provider. Both come from clients, so the caches are bounded. */
function memoized(lookUp: (model: string, list: ProviderList) => Entry | null) {
  const seen = new Map<ProviderList, Seen>();
  const seenProviders = new GenerationalCache<Seen>(PROVIDERS_CACHED_MAX);

  function seenAt(list: ProviderList): Seen {
    let names = seen.get(list);
    if (!names) {
      names = { list, entries: new GenerationalCache(NAMES_CACHED_MAX) };
      seen.set(list, names);
    }
    return names;
  }

  const seenAnywhere = seenAt("any");
  function seenFrom(provider: string | null): Seen {
    if (provider === null) return seenAnywhere;
    if (provider.length > MODEL_NAME_MAX) return seenAt("external");
    let names = seenProviders.get(provider);
    if (!names) {
      names = seenAt(priceListOfProvider(provider));
      seenProviders.set(provider, names);
    }
    return names;
  }

  return (model: string, provider: string | null): Entry | null => {
    const { list, entries } = seenFrom(provider);
    let entry = entries.get(model);
    if (entry === undefined) {
      entry = lookUp(model, list);
      entries.set(model, entry);
    }
    return entry;
  };
}

/** Returns a key that is equal for definitions with the same vendor, name and pattern. */
const namesKey = ({ provider, modelName, matchPattern }: Entry) =>
  [provider, modelName.trim().toLowerCase(), matchPattern].join("\n");

/** Returns whether one definition has the very name of a call, and another only matches it. */
const isNamedOnlyBy = (one: Entry, other: Entry, candidates: readonly string[]) => {
  const isNamed = ({ names }: Entry) => names.some((name) => candidates.includes(name));
  return isNamed(one) && !isNamed(other);
};

const isExternal = ({ provider }: Entry) => provider === "external";
const isOfVendor = (entry: Entry) => !isExternal(entry);
const isOverride = ({ definition }: ProjectPrice) => definition.source === "project_override";
const byId = (a: PriceDefinition, b: PriceDefinition) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Returns the prices at a moment. Earlier prices than the first known ones are unknown, so those apply. */
function inForce({ timeline }: Entry, at?: number): ResolvedPrice {
  if (timeline.length === 1) return timeline[0]!.price;
  const moment = at ?? Date.now();
  const past = timeline.findLast(({ effectiveFrom }) => effectiveFrom <= moment);
  return (past ?? timeline[0]!).price;
}

/** Returns when the next price change known to the catalogue takes effect (Unix ms). */
const nextChange = (entries: readonly Entry[], now: number) =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...entries.flatMap(({ timeline }) =>
      timeline.length === 1 ? [] : timeline.map(({ effectiveFrom }) => effectiveFrom).filter((from) => from > now),
    ),
  );

function projectEntry({ definition, version }: ProjectPrice): Entry {
  const price = ready(definition, `${definition.id}@${version}`);
  return { ...indexed(definition, []), timeline: [{ effectiveFrom: 0, price }] };
}

const indexed = ({ id, provider, modelName, matchPattern }: PriceDefinition, aliases: readonly string[]) => ({
  id,
  provider,
  modelName,
  matchPattern,
  names: [modelName.trim().toLowerCase(), ...aliases],
});

/** Prepares a definition for pricing; tiers are compiled when first used. */
function ready(definition: PriceDefinition, pricesVersion: string): ResolvedPrice {
  const made = new Map<PricingTier, TierPrices>();
  let tiers: TierChooser | undefined;
  return {
    definition,
    get tiers() {
      tiers ??= tierChooser(definition);
      return tiers;
    },
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

type IndexedDefaults = { entries: Entry[]; index: DefinitionIndex<Entry>; idByNames: ReadonlyMap<string, string> };

/** All books share the same defaults, so their index is built once per catalogue. */
const shared = new WeakMap<readonly DefaultModel[], IndexedDefaults>();

function indexedDefaults(defaults: readonly DefaultModel[], version: string): IndexedDefaults {
  let known = shared.get(defaults);
  if (!known) {
    const entries = defaults.map(({ aliases, timeline }) => ({
      ...indexed(timeline[0]!.definition, aliases),
      timeline: timeline.map(({ effectiveFrom, definition }) => ({ effectiveFrom, price: ready(definition, version) })),
    }));
    const idByNames = new Map(entries.map((entry) => [namesKey(entry), entry.id]));
    known = { entries, index: new DefinitionIndex(entries), idByNames };
    shared.set(defaults, known);
  }
  return known;
}
