import type { CatalogueFile, PriceDefinition } from "../schemas";
import file from "./default-prices.generated.json";

/** A default model: one definition per price change, oldest first, and additional exact names. */
export type DefaultModel = {
  aliases: readonly string[];
  timeline: readonly { effectiveFrom: number; definition: PriceDefinition }[];
};

/** Default prices as published on one day (`date`). Costs computed from them record `version`. Immutable. */
export type Catalogue = {
  date: string;
  version: string;
  models: readonly DefaultModel[];
  byId: ReadonlyMap<string, DefaultModel>;
};

export function catalogueFrom({ catalogue: { date }, definitions }: CatalogueFile): Catalogue {
  const models = definitions.map(modelOf);
  const byId = new Map(models.map((model) => [model.timeline[0]!.definition.id, model]));
  return { date, version: `default@${date}`, models, byId };
}

const modelOf = ({
  provider,
  modelName,
  aliases,
  matchPattern,
  priceSets,
}: CatalogueFile["definitions"][number]): DefaultModel => ({
  aliases,
  timeline: priceSets.map(({ effectiveFrom, pricingTiers }) => ({
    effectiveFrom: effectiveFrom ?? 0,
    definition: {
      id: `${provider}:${modelName}`,
      provider,
      modelName,
      matchPattern,
      pricingTiers,
      source: "default",
      editable: false,
      resettable: false,
    },
  })),
});

/** The catalogue shipped with the code. */
export const SHIPPED_FILE = file as CatalogueFile;
export const SHIPPED: Catalogue = catalogueFrom(SHIPPED_FILE);

export const DEFAULT_MODELS = SHIPPED.models;
export const DEFAULTS_VERSION = SHIPPED.version;
