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
    summary: "Create a price in the project, for a model without one or to override a default.",
    description:
      "With `baseModelPriceId` it overrides that default and takes its id. A definition of the project with the same " +
      "`provider` and `modelName` is replaced by a new version, and an override remains one. Without `matchPattern` " +
      "it inherits that of the definition that it replaces or overrides. Takes effect with the next call; stored costs do not change.",
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
        `The override of ${otherOverride.baseModelPriceId} already has this name. Reset that one first.`,
      );
    }
    return { model: await putInForce(ctx, { ...input, ...place }, { id, replaces }) };
  },
);
