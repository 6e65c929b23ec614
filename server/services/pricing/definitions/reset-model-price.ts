import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { removedReply } from "../schemas";
import { modelPriceIdInput } from "./definition-input";
import { bumpPricingVersion, definitionById, removeDefinition } from "./stored-definition";

export const resetModelPrice = verb(
  {
    name: "modelPrices.reset",
    summary: "Reset an overridden price to its default.",
    description:
      "Only later calls get the default price; costs that are stored change by a repricing. 404 if the price is not an override.",
    effect: "write",
    capability: "model-pricing:write",
    input: modelPriceIdInput,
    reply: removedReply,
  },
  async (ctx, { modelPriceId }) => {
    await bumpPricingVersion(ctx);
    const row = await definitionById(ctx, modelPriceId);
    if (!row?.baseModelPriceId) throw notFound("An override of this price");
    return removeDefinition(ctx, row);
  },
);
