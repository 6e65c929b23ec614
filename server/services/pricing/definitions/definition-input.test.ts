import { expect, test } from "vitest";
import { DEFAULT_MODELS } from "../catalogue/default-prices";
import { createModelPriceInput, storedFields, updateModelPriceInput } from "./definition-input";

const listed = DEFAULT_MODELS.flatMap(({ timeline }) => timeline.map(({ definition }) => definition));

test("every built-in definition can be sent back as listed and is stored unchanged", {
  timeout: 60_000,
}, () => {
  for (const definition of listed) {
    const { id, provider, modelName, matchPattern, pricingTiers } = definition;
    const fields = { provider, modelName, matchPattern, pricingTiers };
    expect(storedFields(createModelPriceInput.parse(definition)), id).toEqual(fields);
    expect(storedFields(updateModelPriceInput.parse({ ...definition, modelPriceId: id })), id).toEqual(fields);
  }
});
