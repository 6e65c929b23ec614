import { z } from "zod";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { priceDefinition } from "../schemas";
import { createModelPriceInput } from "./definition-input";
import { resolveDefinitionTarget } from "./definition-target";
import { bumpPricingVersion, putInForce } from "./stored-definition";

export const createModelPrice = verb(
  {
    name: "modelPrices.create",
    summary: "Set a price of the project's own: for a model without one, or in the place of a default.",
    description:
      "With `baseModelPriceId` it overrides that default and goes by its id. A definition of the project with the same " +
      "`provider` and `modelName` is replaced, as a new version, and stays the override that it is. Without `matchPattern` " +
      "it has that of the definition that it replaces or overrides. In effect for the next call; costs that are stored stay as they are.",
    effect: "write",
    capability: "model-pricing:write",
    input: createModelPriceInput,
    reply: z.object({ model: priceDefinition }),
  },
  async (ctx, input) => {
    await bumpPricingVersion(ctx);
    const { id, replaces, ...place } = await resolveDefinitionTarget(ctx, input);
    const otherOverride = replaces.find(({ id: other, baseModelPriceId }) => baseModelPriceId && other !== id);
    if (otherOverride) {
      throw new ServiceError(
        "conflict",
        `The override of ${otherOverride.baseModelPriceId} has this name. Reset that first.`,
      );
    }
    return { model: await putInForce(ctx, { ...input, ...place }, { id, replaces }) };
  },
);
