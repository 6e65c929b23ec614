import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { modelPriceDefinitions, projects } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { inTransaction } from "@/server/platform/context";
import { priceCall } from "../costing/price-call";
import { currentPriceBook } from "../matching/load-price-book";
import { matchModelPrice } from "../matching/match-model-price";
import { tier } from "../testing";
import { listModelPrices } from "./list-model-prices";

type Row = typeof modelPriceDefinitions.$inferInsert;

/** Does what creating or overriding a definition does: inserts a row in force and increments the pricing version. */
async function save(ctx: Ctx, fields: Partial<Row> & Pick<Row, "id" | "modelName">) {
  await ctx.db.insert(modelPriceDefinitions).values({
    projectId: ctx.projectId,
    version: 1,
    provider: "external",
    matchPattern: `^${fields.modelName}$`,
    pricingTiers: [tier({ input_tokens: 1e-6, output_tokens: 2e-6 })],
    effectiveFrom: 0,
    ...fields,
  });
  await raiseVersion(ctx);
}

async function raiseVersion(ctx: Ctx) {
  const [{ pricingVersion } = { pricingVersion: 0 }] = await ctx.db
    .select()
    .from(projects)
    .where(eq(projects.id, ctx.projectId));
  await ctx.db
    .update(projects)
    .set({ pricingVersion: pricingVersion + 1 })
    .where(eq(projects.id, ctx.projectId));
}

const override = { id: "mp_1", baseModelPriceId: "openai:gpt-4o", provider: "openai", modelName: "gpt-4o" };

describe("the list of model prices", () => {
  test("has the defaults, which cannot be edited", async () => {
    const { ctx } = await testProject();
    const { models } = await listModelPrices(ctx, {});
    expect(models.length).toBeGreaterThan(250);
    expect(models.find(({ id }) => id === "openai:gpt-4o")).toMatchObject({
      source: "default",
      editable: false,
      resettable: false,
    });
  });

  test("has the project's overrides in place of defaults, and none of another project's", async () => {
    const [ours, theirs] = [await testProject(), await testProject()];
    await save(ours.ctx, override);
    await save(ours.ctx, { id: "mp_2", modelName: "acme-4" });

    const mine = (await listModelPrices(ours.ctx, {})).models.filter(({ source }) => source !== "default");
    expect(mine).toMatchObject([
      { id: "mp_2", source: "project_custom", editable: true, resettable: false },
      { id: "openai:gpt-4o", source: "project_override", editable: true, resettable: true },
    ]);
    const others = (await listModelPrices(theirs.ctx, {})).models;
    expect(others.filter(({ source }) => source !== "default")).toEqual([]);
    expect(others.filter(({ id }) => id === "openai:gpt-4o").length).toBe(1);
  });

  test("needs the capability to read prices", async () => {
    const { asKey } = await testProject();
    await expect(listModelPrices(asKey("telemetry:write"), {})).rejects.toMatchObject({ code: "forbidden" });
    await expect(matchModelPrice(asKey("telemetry:write"), { model: "gpt-4o" })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(listModelPrices(asKey("model-pricing:read"), {})).resolves.toHaveProperty("models");
  });
});

describe("the match of a model", () => {
  test("has definition, tier and source, for its vendor and for resellers", async () => {
    const { ctx } = await testProject();
    for (const provider of [undefined, "", "openai", "azure", "litellm"]) {
      expect(
        await matchModelPrice(ctx, { model: "azure/gpt-5.4", ...(provider === undefined ? {} : { provider }) }),
      ).toEqual({
        match: {
          model: { id: "openai:gpt-5.4", provider: "openai", modelName: "gpt-5.4" },
          pricingTier: { id: "standard", name: "Standard" },
          source: "default",
        },
      });
    }
  });

  test("is never a vendor's default for an unknown provider", async () => {
    const { ctx } = await testProject();
    await save(ctx, override);
    await save(ctx, { id: "mp_2", modelName: "acme-4" });
    for (const provider of ["external", "acme", "no such provider"]) {
      expect(await matchModelPrice(ctx, { model: "gpt-5.4", provider })).toEqual({ match: null });
      expect(await matchModelPrice(ctx, { model: "gpt-4o", provider })).toEqual({ match: null });
      expect(await matchModelPrice(ctx, { model: "acme-4", provider })).toMatchObject({
        match: { model: { id: "mp_2" } },
      });
    }
  });

  test("is null when no price is known, and an error only without a model", async () => {
    const { ctx } = await testProject();
    expect(await matchModelPrice(ctx, { model: "no such model" })).toEqual({ match: null });
    for (const input of [{}, { model: "" }, { model: " " }]) {
      await expect(matchModelPrice(ctx, input as { model: string })).rejects.toMatchObject({
        issues: [{ path: ["model"] }],
      });
    }
  });
});

describe("a change of a project's prices", () => {
  const priced = async (ctx: Ctx) =>
    priceCall(await currentPriceBook(ctx), {
      requestedModel: null,
      responseModel: "acme-4",
      provider: null,
      usage: { input_tokens: 1 },
    }).cost;

  test("takes effect with the next call, even for a previously unknown model", async () => {
    const { ctx } = await testProject();
    expect(await priced(ctx)).toBeNull();
    await save(ctx, { id: "mp_2", modelName: "acme-4" });
    expect(await priced(ctx)).toMatchObject({ total: 1e-6, source: "project_custom", pricesVersion: "mp_2@1" });

    await ctx.db
      .update(modelPriceDefinitions)
      .set({ supersededAt: 1 })
      .where(eq(modelPriceDefinitions.projectId, ctx.projectId));
    await save(ctx, { id: "mp_2", modelName: "acme-4", version: 2, pricingTiers: [tier({ input_tokens: 3 })] });
    expect(await priced(ctx)).toMatchObject({ total: 3, pricesVersion: "mp_2@2" });
  });

  test("that is rolled back has no effect, even if the next change reuses its version number", async () => {
    const { ctx } = await testProject();
    const undone = inTransaction(ctx, async (tx) => {
      await save(tx, { id: "mp_1", modelName: "acme-4", pricingTiers: [tier({ input_tokens: 7 })] });
      expect(await priced(tx)).toMatchObject({ total: 7 });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await priced(ctx)).toBeNull();
    await save(ctx, { id: "mp_2", modelName: "acme-4", pricingTiers: [tier({ input_tokens: 9 })] });
    expect(await priced(ctx)).toMatchObject({ total: 9 });
  });

  test("caches the book while nothing changes", async () => {
    const { ctx } = await testProject();
    expect(await currentPriceBook(ctx)).toBe(await currentPriceBook(ctx));
  });
});
