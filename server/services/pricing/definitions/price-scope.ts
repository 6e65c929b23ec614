import type { NormalName } from "../matching/normalise-model-name";
import { isClosedModel, type PriceList, type ProviderList, VENDORS, type Vendor } from "../matching/providers";
import type { PriceProvider } from "../schemas";

type Priced = { provider: PriceProvider; modelName: string };

/** Which definitions a call can go by, after what its provider and its model's name say. */
export type PriceScope = {
  /** Whose definition it must be, and which comes first among equals; `null`: anybody's. */
  vendor: Vendor | null;
  takesOwn: (definition: Priced) => boolean;
  takesDefault: (definition: Priced) => boolean;
};

const isVendor = (list: ProviderList): list is Vendor => (VENDORS as readonly string[]).includes(list);

/** A provider that is no vendor, or sets every price itself, has the last word; else the model's name says more. */
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
