import { z } from "zod";
import { impossible, notFound, ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { priceDefinition } from "../schemas";
import { updateModelPriceInput } from "./definition-input";
import { bumpPricingVersion, definitionById, definitionByName, putInForce } from "./stored-definition";

export const updateModelPrice = verb(
  {
    name: "modelPrices.update",
    summary: "Replace one of the project's own prices, whole, by a new version.",
    description:
      "The body is the whole definition, as for creation or as it was listed; a `matchPattern` that is left out stays. " +
      "A default cannot be changed, only overridden: its id is a 404 here until it is.",
    effect: "write",
    capability: "model-pricing:write",
    input: updateModelPriceInput,
    reply: z.object({ model: priceDefinition }),
  },
  async (ctx, { modelPriceId, ...input }) => {
    await bumpPricingVersion(ctx);
    const before = await definitionById(ctx, modelPriceId);
    if (!before) throw notFound("A price of the project with this id");
    if (input.baseModelPriceId !== undefined && input.baseModelPriceId !== before.baseModelPriceId) {
      throw impossible("/baseModelPriceId", "What a definition overrides cannot be changed: create another.");
    }
    const named = await definitionByName(ctx, input);
    if (named && named.id !== before.id) {
      throw new ServiceError("conflict", "Another price of the project has this provider and model name.");
    }
    const inherited = {
      baseModelPriceId: before.baseModelPriceId ?? undefined,
      matchPattern: input.matchPattern ?? before.matchPattern,
    };
    return { model: await putInForce(ctx, { ...input, ...inherited }, { id: before.id, replaces: [before] }) };
  },
);
