import type { CataloguePrice, CataloguePrices } from "./catalogue-prices";
import file from "./service-tiers.generated.json";

type Dated = { from: string | null; prices: CataloguePrices };
type Entry = { standard: Dated[]; tiers: Record<string, Dated[]> };
const MODELS: Readonly<Record<string, Entry>> = file.models as unknown as Record<string, Entry>;

/** The prices of a model served in another tier; `upTo` is the input (tokens) above which the catalogue has none. */
export type ServiceTierPrices = { tier: string; prices: CataloguePrices; upTo: number | null };

/**
 * Returns the prices in other service tiers that belong to a model's standard prices in effect between two moments (Unix ms),
 * by `<catalogue provider>:<id>`. The catalogue dates them by the day on which somebody looked; they hold as long as the
 * standard prices beside them do. A tier whose standard prices are not those given is left out: its prices are of another list.
 */
export function serviceTierPrices(
  id: string,
  standard: { effectiveFrom: number | null; until: number | null; prices: CataloguePrices },
): ServiceTierPrices[] {
  const entry = MODELS[id];
  if (!entry) return [];
  const inForce = (sets: readonly Dated[]) =>
    sets
      .filter(({ from }) => standard.until === null || momentOf(from) < standard.until)
      .sort((a, b) => momentOf(a.from) - momentOf(b.from))
      .at(-1);
  const beside = inForce(entry.standard)?.prices ?? {};
  return Object.entries(entry.tiers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([tier, sets]) => {
      const found = inForce(sets)?.prices;
      if (!found) return [];
      const changed = Object.entries(found);
      if (!changed.every(([key]) => isSame(standard.prices[key], beside[key]))) return [];
      const prices = { ...standard.prices };
      let upTo: number | null = null;
      for (const [key, price] of changed) {
        const usual = standard.prices[key];
        if (typeof usual === "object" && typeof price === "number") upTo = Math.min(...usual.tiers.map(startOf));
        prices[key] = typeof usual === "object" && typeof price === "object" ? withStartsOf(usual, price) : price;
      }
      return [{ tier, prices, upTo }];
    });
}

const momentOf = (from: string | null) => (from === null ? 0 : Date.parse(`${from}T00:00:00Z`));
const startOf = ({ start }: { start: number }) => start;

/** The two editions of the catalogue write the same boundary as 271,999 and as 272,000. */
const isSameStart = (a: number | undefined, b: number | undefined) => Math.abs((a ?? 0) - (b ?? 0)) <= 1;

function isSame(a: CataloguePrice | undefined, b: CataloguePrice | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return (
    a.base === b.base &&
    a.tiers.length === b.tiers.length &&
    a.tiers.every(
      ({ price, start }, index) => price === b.tiers[index]?.price && isSameStart(start, b.tiers[index]?.start),
    )
  );
}

const withStartsOf = (usual: Tiered, price: Tiered): Tiered => ({
  ...price,
  tiers: price.tiers.map((tier) => ({
    ...tier,
    start: usual.tiers.find(({ start }) => isSameStart(start, tier.start))?.start ?? tier.start,
  })),
});

type Tiered = Exclude<CataloguePrice, number>;
