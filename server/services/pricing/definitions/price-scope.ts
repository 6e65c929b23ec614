import type { NormalName } from "../matching/normalise-model-name";
import { isClosedModel, type PriceList, type ProviderList, VENDORS, type Vendor } from "../matching/providers";
import type { PriceProvider } from "../schemas";

type Priced = { provider: PriceProvider; modelName: string };

/** The definitions that can price a call, given its provider and model name. */
export type PriceScope = {
  /** The vendor whose definitions apply, preferred among equal matches; `null` for any. */
  vendor: Vendor | null;
  takesOwn: (definition: Priced) => boolean;
  takesDefault: (definition: Priced) => boolean;
};

/** Returns whether a price list is that of one vendor. */
export const isVendor = (list: ProviderList): list is Vendor => (VENDORS as readonly string[]).includes(list);

/** A provider that is not a vendor, or sets all its prices, takes precedence; otherwise the more specific model name does. */
function listOf(provider: ProviderList, named: PriceList | null): ProviderList {
  if (provider === "external" || provider === "own" || named === null) return provider;
  return provider === "weights" && named === "any" ? provider : named;
}

export function priceScope(provider: ProviderList, { priceList, hosted }: NormalName): PriceScope {
  const list = listOf(provider, priceList);
  const vendor = isVendor(list) ? list : null;
  const atHost = hosted || provider === "weights";
  const ofVendor = (definition: Priced) => vendor === null || definition.provider === vendor;
  return {
    vendor,
    takesOwn: (definition) =>
      definition.provider === "external" || (list !== "external" && (atHost || ofVendor(definition))),
    takesDefault: (definition) =>
      (list === "any" || vendor !== null) && ofVendor(definition) && (!atHost || isClosedModel(definition)),
  };
}
