import type { PriceDefinition } from "../schemas";
import file from "./default-prices.generated.json";
import type { DefaultPrice } from "./from-genai-prices";

/** Names the day on which the prices in the file were published: costs computed from them carry it. */
export const DEFAULTS_VERSION = `default@${file.catalogue.date}`;

/** One default model: a definition for each time that its price changed, oldest first, and its further exact names. */
export type DefaultModel = {
  aliases: readonly string[];
  timeline: readonly { effectiveFrom: number; definition: PriceDefinition }[];
};

export const DEFAULT_MODELS: readonly DefaultModel[] = (file.definitions as DefaultPrice[]).map(
  ({ provider, modelName, aliases, matchPattern, priceSets }) => ({
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
  }),
);

const byId = new Map(DEFAULT_MODELS.map((model) => [model.timeline[0]!.definition.id, model]));

/** The default with this id, if there is one. */
export const defaultModel = (id: string): DefaultModel | undefined => byId.get(id);
