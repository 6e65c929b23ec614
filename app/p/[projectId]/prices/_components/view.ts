import { parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { SOURCE_WORDS, VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { PRICE_PROVIDERS, PRICE_SOURCES, type PriceDefinition } from "@/server/services/pricing/schemas";

/** The page's state, stored in the URL. */
export const viewParsers = {
  q: parseAsString,
  vendor: parseAsStringLiteral(PRICE_PROVIDERS),
  source: parseAsStringLiteral(PRICE_SOURCES),
  ...listParsers,
};
export type View = {
  q: string | null;
  vendor: PriceDefinition["provider"] | null;
  source: PriceDefinition["source"] | null;
};
export const NO_FILTERS: View = { q: null, vendor: null, source: null };
export const isFiltered = (view: View) => Object.keys(NO_FILTERS).some((name) => view[name as keyof View] !== null);

/** Returns whether every search word occurs in the model's name, its vendor or the price's origin. */
export function shownPrices(all: readonly PriceRow[], view: View): PriceRow[] {
  const words = (view.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ modelName, provider, source }) => {
    if (view.vendor !== null && provider !== view.vendor) return false;
    if (view.source !== null && source !== view.source) return false;
    const text = `${modelName} ${provider} ${VENDOR_WORDS[provider]} ${SOURCE_WORDS[source]}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** A price with its recent cost: `null` if no call had a known cost, absent without calls. */
export type PriceRow = PriceDefinition & { recent?: RecentUsage | undefined };
type RecentUsage = { calls: number; unpricedCalls: number; cost: number | null };
type Usage = readonly (RecentUsage & { modelPriceId: string })[];

/** Sorts used prices first, by cost. */
export function withUsage(all: readonly PriceDefinition[], usage: Usage): PriceRow[] {
  const by = new Map(usage.map((one) => [one.modelPriceId, one]));
  const weight = ({ recent }: PriceRow) => (recent ? (recent.cost ?? 0) + 1e-12 : 0);
  return all.map((price) => ({ ...price, recent: by.get(price.id) })).sort((a, b) => weight(b) - weight(a));
}

const prices = (projectId: string) => `/p/${encodeURIComponent(projectId)}/prices`;
export const priceHref = (projectId: string, id: string) => `${prices(projectId)}?peek=${encodeURIComponent(id)}`;

/** Returns the editor's URL: for the project's own price `id`, an override of `base`, or a new one for `model`. */
export function editHref(projectId: string, on: { id?: string; base?: string; model?: string; vendor?: string } = {}) {
  const search = new URLSearchParams(Object.entries(on)).toString();
  return `${prices(projectId)}/edit${search ? `?${search}` : ""}`;
}

/** Returns the repricing page's URL; `which` selects the calls. */
export function repricingsHref(projectId: string, which: Record<string, string> = {}) {
  const search = new URLSearchParams(which).toString();
  return `${prices(projectId)}/repricings${search ? `?${search}` : ""}`;
}
export const catalogueHref = (projectId: string) => `${prices(projectId)}/catalogue`;
