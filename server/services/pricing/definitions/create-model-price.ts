import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { changedPriceReply } from "../schemas";
import { createModelPriceInput, warningsOf } from "./definition-input";
import { resolveDefinitionTarget } from "./definition-target";
import { bumpPricingVersion, putInForce } from "./stored-definition";

export const createModelPrice = verb(
  {
    name: "modelPrices.create",
    summary: "Create a price in the project, for a model without one or to override a default.",
    description:
      "With `baseModelPriceId` it overrides that default and takes its id; `provider` and `modelName` must be the default's " +
      "(422). A default has one override: another one replaces it. A definition of the project with the same " +
      "`provider` and `modelName` is replaced by a new version, and an override remains one. Without `matchPattern` " +
      "it inherits that of the definition that it replaces or overrides. Takes effect with the next call; stored costs do not change. " +
      "`warnings` says what is allowed but hardly meant, such as tiers without a default.",
    effect: "write",
    capability: "model-pricing:write",
    input: createModelPriceInput,
    reply: changedPriceReply,
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
    return { model: await putInForce(ctx, { ...input, ...place }, { id, replaces }), ...warningsOf(input) };
  },
);
