import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { removedReply } from "../schemas";
import { modelPriceIdInput } from "./definition-input";
import { bumpPricingVersion, definitionById, removeDefinition } from "./stored-definition";

export const deleteModelPrice = verb(
  {
    name: "modelPrices.delete",
    summary: "Delete a custom price of the project.",
    description: "A default is a 404, overridden or not. To remove an override, reset it. Stored costs do not change.",
    effect: "write",
    capability: "model-pricing:write",
    input: modelPriceIdInput,
    reply: removedReply,
  },
  async (ctx, { modelPriceId }) => {
    await bumpPricingVersion(ctx);
    const row = await definitionById(ctx, modelPriceId);
    if (!row || row.baseModelPriceId) throw notFound("A custom price with this id");
    return removeDefinition(ctx, row);
  },
);
