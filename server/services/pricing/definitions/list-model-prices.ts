import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { currentPriceBook } from "../matching/load-price-book";
import { priceDefinition } from "../schemas";

export const listModelPrices = verb(
  {
    name: "modelPrices.list",
    summary: "List all model prices: defaults, overrides and the project's custom prices.",
    description:
      "Prices are US dollars per unit of a usage bucket (per single token). Overrides are already applied: an overridden " +
      "default appears once, with the project's prices, under the default's id. Not paginated; ordered by id.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.object({}),
    reply: z.object({ models: z.array(priceDefinition) }),
  },
  async (ctx) => (await currentPriceBook(ctx)).listed(),
);
