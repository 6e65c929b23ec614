import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { priceCatalogues } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import {
  applyPriceCatalogue,
  createModelPrice,
  estimateModelPrice,
  getPriceCatalogue,
  listModelPrices,
  listPriceCatalogues,
  loadPriceCatalogue,
} from "..";
import type { CatalogueFile } from "../schemas";
import { SHIPPED, SHIPPED_FILE } from "./default-prices";

// Catalogues are installation-wide; every test in this file begins with the shipped one.
afterEach(async () => void (await db().delete(priceCatalogues)));

const LATER = "2099-01-01";

/** The shipped catalogue with gpt-4o at twice the price, one model removed and one added. */
function changed(date = LATER): CatalogueFile {
  const file = structuredClone(SHIPPED_FILE);
  file.catalogue.date = date;
  file.definitions = file.definitions.filter(({ modelName }) => modelName !== "claude-2");
  const known = file.definitions.find(({ provider, modelName }) => provider === "openai" && modelName === "gpt-4o");
  for (const { pricingTiers } of known!.priceSets) {
    for (const tier of pricingTiers) tier.prices = { ...tier.prices, input_tokens: 5e-6 };
  }
  file.definitions.push({ ...structuredClone(known!), modelName: "gpt-99", matchPattern: "^gpt-99$", aliases: [] });
  return file;
}

const inputPrice = async (ctx: Parameters<typeof estimateModelPrice>[0]) =>
  (await estimateModelPrice(ctx, { model: "gpt-4o", usage: { input_tokens: 1 } })).estimate.cost;

test("a catalogue can be loaded, reviewed, applied and reverted, and is not used before it is applied", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await createModelPrice(ctx, {
    provider: "anthropic",
    modelName: "claude-2",
    baseModelPriceId: "anthropic:claude-2",
    pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1 } }],
  });
  expect(await getPriceCatalogue(ctx, {})).toEqual({
    catalogue: { date: SHIPPED.date, source: "shipped", definitions: SHIPPED.models.length, appliedAt: null },
    update: null,
  });
  const difference = await loadPriceCatalogue(db(), changed());
  expect(difference).toEqual({ date: LATER, against: SHIPPED.date, added: 1, changed: 1, removed: 1 });
  const { update, catalogue } = await getPriceCatalogue(ctx, {});
  expect(catalogue.source).toBe("shipped");
  expect(update).toMatchObject({ date: LATER, added: 1, changed: 1, removed: 1, overrides: ["anthropic:claude-2"] });
  expect(update?.changes.map(({ id, change, overridden }) => [id, change, overridden])).toEqual([
    ["anthropic:claude-2", "removed", true],
    ["openai:gpt-4o", "changed", false],
    ["openai:gpt-99", "added", false],
  ]);
  const dearer = update?.changes[1];
  expect(dearer?.before?.[0]?.prices.input_tokens).toBe(2.5e-6);
  expect(dearer?.after?.[0]?.prices.input_tokens).toBe(5e-6);
  expect((await getPriceCatalogue(theirs.ctx, {})).update?.overrides).toEqual([]);
  expect(await inputPrice(ctx)).toMatchObject({ total: 2.5e-6, pricesVersion: `default@${SHIPPED.date}` });

  await applyPriceCatalogue(db(), LATER);
  expect(await inputPrice(ctx)).toMatchObject({ total: 5e-6, pricesVersion: `default@${LATER}` });
  expect(await inputPrice(theirs.ctx)).toMatchObject({ total: 5e-6 });
  const ids = (await listModelPrices(ctx, {})).models.map(({ id }) => id);
  expect(ids).toContain("openai:gpt-99");
  expect(ids).toContain("anthropic:claude-2"); // their own
  expect((await listModelPrices(theirs.ctx, {})).models.map(({ id }) => id)).not.toContain("anthropic:claude-2");
  expect(await getPriceCatalogue(ctx, {})).toMatchObject({
    catalogue: { date: LATER, source: "loaded" },
    update: null,
  });

  await applyPriceCatalogue(db(), SHIPPED.date);
  expect(await inputPrice(ctx)).toMatchObject({ total: 2.5e-6 });
  expect((await listPriceCatalogues(db())).map(({ date, inForce }) => [date, inForce])).toEqual([
    [LATER, false],
    [SHIPPED.date, true],
  ]);
});

test("a candidate can be replaced, but not a catalogue that was in force", async () => {
  await loadPriceCatalogue(db(), changed());
  await loadPriceCatalogue(db(), changed());
  await applyPriceCatalogue(db(), LATER);
  await expect(loadPriceCatalogue(db(), changed())).rejects.toMatchObject({ code: "conflict" });
  await expect(loadPriceCatalogue(db(), changed("2020-01-01"))).rejects.toMatchObject({ code: "conflict" });
  await expect(applyPriceCatalogue(db(), "2098-01-01")).rejects.toMatchObject({ code: "not_found" });
});

test("an invalid catalogue is rejected with the path of the error", async () => {
  const broken = changed();
  broken.definitions[3]!.matchPattern = "(?=no)";
  await expect(loadPriceCatalogue(db(), broken)).rejects.toMatchObject({ code: "invalid" });
  await expect(loadPriceCatalogue(db(), { prices: 1 })).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringMatching(/catalogue/),
  });
  const twice = changed();
  twice.definitions.push(twice.definitions[0]!);
  await expect(loadPriceCatalogue(db(), twice)).rejects.toMatchObject({
    message: expect.stringMatching(/Duplicate definition/),
  });
});
