import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { changedPriceReply } from "../schemas";
import { updateModelPriceInput, warningsOf } from "./definition-input";
import { requireNamesOfBase } from "./definition-target";
import { bumpPricingVersion, definitionById, definitionByName, putInForce } from "./stored-definition";

export const updateModelPrice = verb(
  {
    name: "modelPrices.update",
    summary: "Replace one of the project's prices with a new version.",
    description:
      "The body is the whole definition, as for creation or as it was listed; an omitted `matchPattern` stays the same. " +
      "A default cannot be changed, only overridden: its id is a 404 until it is overridden. An override keeps the default's " +
      "`provider` and `modelName` (422).",
    effect: "write",
    capability: "model-pricing:write",
    input: updateModelPriceInput,
    reply: changedPriceReply,
  },
  async (ctx, { modelPriceId, ...input }) => {
    await bumpPricingVersion(ctx);
    const before = await definitionById(ctx, modelPriceId);
    if (!before) throw notFound("A price of the project with this id");
    if (input.baseModelPriceId !== undefined && input.baseModelPriceId !== before.baseModelPriceId) {
      throw unprocessable(
        "/baseModelPriceId",
        "The default that a definition overrides cannot be changed. Create another definition.",
      );
    }
    if (before.baseModelPriceId !== null) await requireNamesOfBase(ctx, before.baseModelPriceId, input);
    const named = await definitionByName(ctx, input);
    if (named && named.id !== before.id) {
      throw new ServiceError("conflict", "Another price of the project already has this provider and model name.");
    }
    const inherited = {
      baseModelPriceId: before.baseModelPriceId ?? undefined,
      matchPattern: input.matchPattern ?? before.matchPattern,
    };
    const model = await putInForce(ctx, { ...input, ...inherited }, { id: before.id, replaces: [before] });
    return { model, ...warningsOf(input) };
  },
);
