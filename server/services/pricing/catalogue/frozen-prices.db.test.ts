import { expect, test, vi } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { createModelPrice, deleteModelPrice, listModelPrices, resetModelPrice, updateModelPrice } from "..";

// The environment is read on first use, which has not happened yet.
vi.stubEnv("PRICING_WRITES", "off");

test("with PRICING_WRITES=off prices can be read, and every change is rejected as not implemented", async () => {
  const { ctx } = await testProject();
  const definition = {
    provider: "external" as const,
    modelName: "acme-1",
    pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1 } }],
  };
  expect((await listModelPrices(ctx, {})).models.length).toBeGreaterThan(200);
  for (const change of [
    () => createModelPrice(ctx, definition),
    () => updateModelPrice(ctx, { modelPriceId: "mp_1", ...definition }),
    () => resetModelPrice(ctx, { modelPriceId: "openai:gpt-4o" }),
    () => deleteModelPrice(ctx, { modelPriceId: "mp_1" }),
  ]) {
    await expect(change()).rejects.toMatchObject({
      code: "not_implemented",
      message: expect.stringMatching(/PRICING_WRITES/),
    });
  }
});
