import { z } from "zod";
import { impossible, ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { catalogueInForce } from "./catalogue/catalogue-in-force";
import { createModelPriceInput } from "./definition-input";
import { priceDefinition } from "./schemas";
import { changePrices, definitionById, definitionByName, putInForce } from "./stored-definition";

export const createModelPrice = verb(
  {
    name: "modelPrices.create",
    summary: "Set a price of the project's own: for a model without one, or in the place of a default.",
    description:
      "With `baseModelPriceId` it overrides that default and goes by its id. A definition of the project with the same " +
      "`provider` and `modelName` is replaced, as a new version. In effect for the next call; costs that are stored stay as they are.",
    effect: "write",
    capability: "model-pricing:write",
    input: createModelPriceInput,
    reply: z.object({ model: priceDefinition }),
  },
  async (ctx, input) => {
    const { baseModelPriceId } = input;
    if (baseModelPriceId !== undefined && !(await catalogueInForce(ctx.db)).byId.has(baseModelPriceId)) {
      throw impossible("/baseModelPriceId", "There is no default price with this id.");
    }
    await changePrices(ctx);
    const named = await definitionByName(ctx, input);
    if (baseModelPriceId === undefined) {
      const id = named?.baseModelPriceId === null ? named.id : undefined;
      return { model: await putInForce(ctx, input, { id, replaces: named ? [named] : [] }) };
    }
    if (named?.baseModelPriceId && named.id !== baseModelPriceId) {
      throw new ServiceError("conflict", `The override of ${named.baseModelPriceId} has this name. Reset that first.`);
    }
    const before = await definitionById(ctx, baseModelPriceId);
    const replaces = [before, named].filter(
      (row, index, all) => row && all.findIndex((one) => one?.id === row.id) === index,
    );
    return {
      model: await putInForce(ctx, input, { id: baseModelPriceId, replaces: replaces.flatMap((row) => row ?? []) }),
    };
  },
);
