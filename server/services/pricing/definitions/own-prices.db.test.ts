import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { modelPriceDefinitions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createApiKey } from "@/server/services/api-keys";
import {
  createModelPrice,
  currentPriceBook,
  deleteModelPrice,
  estimateModelPrice,
  listModelPrices,
  listModelPriceVersions,
  matchModelPrice,
  priceCall,
  resetModelPrice,
  updateModelPrice,
} from "..";

const standard = (perToken: number) => ({
  name: "Standard",
  isDefault: true,
  priority: 0,
  prices: { input_tokens: perToken },
});
const acme = { provider: "external" as const, modelName: "acme-large", pricingTiers: [standard(0.000002)] };
const overriding = {
  provider: "openai" as const,
  modelName: "gpt-4o",
  pricingTiers: [standard(0.5)],
  baseModelPriceId: "openai:gpt-4o",
};
const find = async (ctx: Ctx, id: string) => (await listModelPrices(ctx, {})).models.find((model) => model.id === id);
const costIn = async (ctx: Ctx, model: string) =>
  priceCall(await currentPriceBook(ctx), {
    requestedModel: model,
    responseModel: null,
    provider: null,
    usage: { input_tokens: 10 },
  }).cost;

describe("an override", () => {
  test("replaces its default under the same id, for one project only, until it is reset", async () => {
    const { ctx } = await testProject();
    const { ctx: theirs } = await testProject();
    const before = await find(ctx, "openai:gpt-4o");
    const { model } = await createModelPrice(ctx, overriding);
    expect(model).toMatchObject({ id: "openai:gpt-4o", source: "project_override", editable: true, resettable: true });
    expect(await find(ctx, "openai:gpt-4o")).toEqual(model);
    expect(await costIn(ctx, "gpt-4o")).toMatchObject({ total: 5, pricesVersion: "openai:gpt-4o@1" });
    expect(await find(theirs, "openai:gpt-4o")).toEqual(before);
    await expect(resetModelPrice(theirs, { modelPriceId: "openai:gpt-4o" })).rejects.toMatchObject({
      code: "not_found",
    });

    expect(await resetModelPrice(ctx, { modelPriceId: "openai:gpt-4o" })).toEqual({ ok: true });
    expect(await find(ctx, "openai:gpt-4o")).toEqual(before);
    await expect(resetModelPrice(ctx, { modelPriceId: "openai:gpt-4o" })).rejects.toMatchObject({ code: "not_found" });
  });

  test("continues its version numbers after a reset, so that the version in a stored cost is unique", async () => {
    const { ctx } = await testProject();
    await createModelPrice(ctx, overriding);
    await resetModelPrice(ctx, { modelPriceId: "openai:gpt-4o" });
    await createModelPrice(ctx, { ...overriding, pricingTiers: [standard(0.25)] });
    expect(await costIn(ctx, "gpt-4o")).toMatchObject({ total: 2.5, pricesVersion: "openai:gpt-4o@2" });
  });

  test("needs an existing default", async () => {
    const { ctx } = await testProject();
    await expect(createModelPrice(ctx, { ...overriding, baseModelPriceId: "openai:gpt-99" })).rejects.toMatchObject({
      code: "unprocessable",
      errors: [{ path: "/baseModelPriceId" }],
    });
  });

  test("has the provider and name of its default", async () => {
    const { ctx } = await testProject();
    const refused = (path: string) => ({ code: "unprocessable", errors: [{ path }] });
    const [provider, modelName] = [{ provider: "external" as const }, { modelName: "gpt-4o-acme" }];
    await expect(createModelPrice(ctx, { ...overriding, ...provider })).rejects.toMatchObject(refused("/provider"));
    await expect(createModelPrice(ctx, { ...overriding, ...modelName })).rejects.toMatchObject(refused("/modelName"));
    expect(await find(ctx, "openai:gpt-4o")).toMatchObject({ source: "default" });

    await createModelPrice(ctx, overriding);
    const change = { ...overriding, modelPriceId: "openai:gpt-4o" };
    await expect(updateModelPrice(ctx, { ...change, ...provider })).rejects.toMatchObject(refused("/provider"));
    await expect(updateModelPrice(ctx, { ...change, ...modelName })).rejects.toMatchObject(refused("/modelName"));
  });

  test("replaces a custom price of the same name, and remains an override when replaced without a base", async () => {
    const { ctx } = await testProject();
    const { baseModelPriceId: _, ...custom } = overriding;
    const first = (await createModelPrice(ctx, custom)).model;
    expect(first.source).toBe("project_custom");
    expect((await createModelPrice(ctx, overriding)).model.id).toBe("openai:gpt-4o");
    expect(await find(ctx, first.id)).toBeUndefined();
    const again = (await createModelPrice(ctx, { ...custom, pricingTiers: [standard(0.25)] })).model;
    expect(again).toMatchObject({ id: "openai:gpt-4o", source: "project_override", resettable: true });
    expect(await costIn(ctx, "gpt-4o")).toMatchObject({ total: 2.5, pricesVersion: "openai:gpt-4o@2" });
    expect((await listModelPrices(ctx, {})).models.filter(({ source }) => source !== "default")).toEqual([again]);
    await resetModelPrice(ctx, { modelPriceId: "openai:gpt-4o" });
    expect((await createModelPrice(ctx, custom)).model.source).toBe("project_custom");
  });

  test("without a pattern matches what its default matches, and nothing of another default", async () => {
    const { ctx } = await testProject();
    const pattern = (await find(ctx, "openai:gpt-4o"))!.matchPattern;
    expect((await createModelPrice(ctx, overriding)).model.matchPattern).toBe(pattern);
    expect(await costIn(ctx, "gpt-4o-2024-11-20")).toMatchObject({ total: 5, source: "project_override" });
    expect(await costIn(ctx, "azure/gpt-4o-2024-08-06")).toMatchObject({ total: 5 });
    expect((await costIn(ctx, "gpt-4o-2024-05-13"))?.model.id).toBe("openai:gpt-4o-2024-05-13");
    const wider = (await createModelPrice(ctx, { ...overriding, matchPattern: "^gpt-4o" })).model;
    expect(wider.matchPattern).toBe("^gpt-4o");
    expect(await costIn(ctx, "gpt-4o-2024-05-13")).toMatchObject({ total: 5 });
    expect((await createModelPrice(ctx, overriding)).model.matchPattern).toBe("^gpt-4o");
  });
});

test("tiers without a default or with several are stored, with a warning", async () => {
  const { ctx } = await testProject();
  const long = {
    ...standard(1),
    name: "Long",
    isDefault: false,
    conditions: [{ usageDetailPattern: "input", operator: "gt" as const, value: 5 }],
  };
  expect(await createModelPrice(ctx, acme)).not.toHaveProperty("warnings");
  const none = await createModelPrice(ctx, { ...acme, pricingTiers: [long] });
  expect(none.warnings).toEqual([expect.stringContaining("No tier is the default")]);
  expect(await costIn(ctx, "acme-large")).toMatchObject({ total: 10, tier: { name: "Long" } });

  const pricingTiers = [{ ...long, isDefault: true, conditions: [] }, standard(2)];
  const both = await updateModelPrice(ctx, { ...acme, pricingTiers, modelPriceId: none.model.id });
  expect(both.warnings).toEqual(["Several tiers are the default. “Long” applies, and “Standard” never does."]);
  expect(await costIn(ctx, "acme-large")).toMatchObject({ total: 10 });
});

test("a price may be any finite number, and a cost beyond what a number holds is unknown", async () => {
  const { ctx } = await testProject();
  await createModelPrice(ctx, { ...acme, pricingTiers: [standard(1e6)] });
  expect(await costIn(ctx, "acme-large")).toMatchObject({ total: 1e7 });
  await createModelPrice(ctx, { ...acme, pricingTiers: [standard(1.7e308)] });
  expect(await costIn(ctx, "acme-large")).toMatchObject({ total: null });
});

describe("a definition as it was listed", () => {
  test("can be sent back unchanged: a default becomes an override, and an override remains one", async () => {
    const { ctx } = await testProject();
    const builtIn = (await listModelPrices(ctx, {})).models;
    for (const listed of builtIn.filter((_, index) => index % 20 === 0)) {
      const { model } = await createModelPrice(ctx, { ...listed, baseModelPriceId: listed.id });
      expect(model).toEqual({ ...listed, source: "project_override", editable: true, resettable: true });
    }
    const { models } = await listModelPrices(ctx, {});
    const overrides = models.filter(({ source }) => source === "project_override");
    expect(overrides.length).toBeGreaterThan(10);
    for (const listed of overrides) {
      expect((await updateModelPrice(ctx, { modelPriceId: listed.id, ...listed })).model).toEqual(listed);
      expect((await createModelPrice(ctx, listed)).model).toEqual(listed);
    }
    expect((await listModelPrices(ctx, {})).models).toEqual(models);
  });

  test("of the catalogue becomes a custom price when sent without a base", async () => {
    const { ctx } = await testProject();
    const listed = (await find(ctx, "openai:gpt-4o"))!;
    const { model } = await createModelPrice(ctx, listed);
    expect(model).toEqual({ ...listed, id: model.id, source: "project_custom", editable: true });
    expect(model.id).toMatch(/^mp_/);
    expect((await costIn(ctx, "gpt-4o-2024-11-20"))?.model.id).toBe(model.id);
    expect((await costIn(ctx, "gpt-4o-2024-05-13"))?.model.id).toBe("openai:gpt-4o-2024-05-13");
    expect((await updateModelPrice(ctx, { modelPriceId: model.id, ...model })).model).toEqual(model);
    expect((await createModelPrice(ctx, model)).model).toEqual(model);
  });

  test("has its id and source ignored, and unknown fields rejected", async () => {
    const { ctx } = await testProject();
    const claims = { id: "openai:gpt-4o", source: "default", editable: null, resettable: "yes" };
    const { model } = await createModelPrice(ctx, { ...acme, ...claims });
    expect(model).toMatchObject({ source: "project_custom", editable: true, resettable: false });
    expect(model.id).toMatch(/^mp_/);
    expect((await updateModelPrice(ctx, { modelPriceId: model.id, ...acme, ...claims })).model.id).toBe(model.id);
    await expect(createModelPrice(ctx, { ...acme, ...claims, version: 3 } as never)).rejects.toMatchObject({
      issues: [{ code: "unrecognized_keys", keys: ["version"] }],
    });
    const draft = { ...acme, id: model.id } as never;
    await expect(estimateModelPrice(ctx, { model: "acme-large", usage: {}, draft })).rejects.toMatchObject({
      issues: [{ path: ["draft"], keys: ["id"] }],
    });
  });
});

describe("a custom price", () => {
  test("is matched by name or pattern, applies from the next call, and can be replaced and deleted", async () => {
    const { ctx } = await testProject();
    const { model } = await createModelPrice(ctx, { ...acme, matchPattern: "^acme-large-\\d+$" });
    expect(model.id).toMatch(/^mp_/);
    expect(model).toMatchObject({ source: "project_custom", editable: true, resettable: false });
    expect(model.pricingTiers[0]).toMatchObject({ id: "standard", conditions: [] });
    expect(await costIn(ctx, "acme-large")).toMatchObject({ total: 0.00002, pricesVersion: `${model.id}@1` });
    expect((await matchModelPrice(ctx, { model: "ACME-large-7" })).match).toMatchObject({ model: { id: model.id } });
    expect((await matchModelPrice(ctx, { model: "acme-large-mini" })).match).toBeNull();

    await updateModelPrice(ctx, { modelPriceId: model.id, ...acme, pricingTiers: [standard(1)] });
    expect(await costIn(ctx, "acme-large")).toMatchObject({ total: 10, pricesVersion: `${model.id}@2` });
    expect(await costIn(ctx, "acme-large-7")).toMatchObject({ total: 10 });
    await createModelPrice(ctx, { ...acme, pricingTiers: [standard(2)] });
    expect(await costIn(ctx, "acme-large-7")).toMatchObject({ total: 20, pricesVersion: `${model.id}@3` });
    await updateModelPrice(ctx, { modelPriceId: model.id, ...acme, matchPattern: "^acme-large$" });
    expect((await matchModelPrice(ctx, { model: "acme-large-7" })).match).toBeNull();

    await expect(resetModelPrice(ctx, { modelPriceId: model.id })).rejects.toMatchObject({ code: "not_found" });
    expect(await deleteModelPrice(ctx, { modelPriceId: model.id })).toEqual({ ok: true });
    expect(await costIn(ctx, "acme-large")).toBeNull();
    await expect(deleteModelPrice(ctx, { modelPriceId: model.id })).rejects.toMatchObject({ code: "not_found" });
  });

  test("is replaced by another with its provider and name", async () => {
    const { ctx } = await testProject();
    const first = (await createModelPrice(ctx, acme)).model;
    const second = (await createModelPrice(ctx, { ...acme, pricingTiers: [standard(3)] })).model;
    expect(second.id).toBe(first.id);
    const own = (await listModelPrices(ctx, {})).models.filter(({ source }) => source !== "default");
    expect(own).toEqual([second]);
  });

  test("cannot take another's name, nor be changed or deleted from another project", async () => {
    const { ctx } = await testProject();
    const { ctx: theirs } = await testProject();
    const { model } = await createModelPrice(ctx, acme);
    const other = (await createModelPrice(ctx, { ...acme, modelName: "acme-small" })).model;
    await expect(updateModelPrice(ctx, { modelPriceId: other.id, ...acme })).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(updateModelPrice(theirs, { modelPriceId: model.id, ...acme })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(deleteModelPrice(theirs, { modelPriceId: model.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(listModelPriceVersions(theirs, { modelPriceId: model.id })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

test("a default itself can be neither changed nor deleted", async () => {
  const { ctx } = await testProject();
  const modelPriceId = "openai:gpt-4o";
  await expect(updateModelPrice(ctx, { modelPriceId, ...acme })).rejects.toMatchObject({ code: "not_found" });
  await expect(deleteModelPrice(ctx, { modelPriceId })).rejects.toMatchObject({ code: "not_found" });
  await createModelPrice(ctx, overriding);
  await expect(deleteModelPrice(ctx, { modelPriceId })).rejects.toMatchObject({ code: "not_found" });
  const { baseModelPriceId: _, ...rest } = overriding;
  expect((await updateModelPrice(ctx, { modelPriceId, ...rest })).model.source).toBe("project_override");
});

test("concurrent price changes are all applied, with one version in force", async () => {
  const { ctx } = await testProject();
  await Promise.all(
    Array.from({ length: 8 }, (_, n) => createModelPrice(ctx, { ...acme, pricingTiers: [standard(n + 1)] })),
  );
  const own = (await listModelPrices(ctx, {})).models.filter(({ source }) => source !== "default");
  expect(own).toHaveLength(1);
  const { versions } = await listModelPriceVersions(ctx, { modelPriceId: own[0]!.id });
  expect(versions.map(({ version }) => version)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  expect(versions.filter(({ supersededAt }) => supersededAt === null).map(({ version }) => version)).toEqual([8]);
});

test("a version has the name of the key that created it, and no email address", async () => {
  const { ctx } = await testProject();
  const key = await createApiKey(ctx, { name: "price robot", capabilities: ["model-pricing:write"] });
  const robot = { kind: "apiKey" as const, keyId: key.apiKey.id, capabilities: ["model-pricing:write" as const] };
  await createModelPrice({ ...ctx, actor: robot }, acme);
  const { model } = await createModelPrice(ctx, { ...acme, pricingTiers: [standard(1)] });
  const { versions } = await listModelPriceVersions(ctx, { modelPriceId: model.id });
  expect(versions).toMatchObject([{ changedByName: null }, { changedByName: "price robot", supersededByName: null }]);
  expect(JSON.stringify(versions)).not.toContain("@");
});

test("the versions of a price have its content, times, and who changed and superseded it", async () => {
  const { ctx, userId } = await testProject();
  await createModelPrice(ctx, overriding);
  await createModelPrice(ctx, { ...overriding, pricingTiers: [standard(0.25)] });
  await resetModelPrice(ctx, { modelPriceId: "openai:gpt-4o" });
  const { versions, catalogue } = await listModelPriceVersions(ctx, { modelPriceId: "openai:gpt-4o" });
  expect(versions).toMatchObject([
    { version: 2, source: "project_override", changedBy: userId, supersededBy: userId },
    { version: 1, pricingTiers: [{ prices: { input_tokens: 0.5 } }], changedBy: userId, supersededBy: userId },
  ]);
  expect(versions[1]!.supersededAt).toBeLessThanOrEqual(versions[0]!.effectiveFrom!);
  expect(catalogue[0]).toMatchObject({ version: null, source: "default", supersededAt: null });
  const page = await listModelPriceVersions(ctx, { modelPriceId: "openai:gpt-4o", limit: 1 });
  const next = await listModelPriceVersions(ctx, {
    modelPriceId: "openai:gpt-4o",
    limit: 1,
    cursor: page.pagination.nextCursor!,
  });
  expect([...page.versions, ...next.versions]).toEqual(versions);
  expect(next.pagination.nextCursor).toBeNull();
});

describe("an estimate", () => {
  test("has the match of a call and its cost with tier and breakdown", async () => {
    const { ctx } = await testProject();
    const { model } = await createModelPrice(ctx, {
      ...acme,
      pricingTiers: [
        standard(0.000002),
        {
          name: "Long context",
          isDefault: false,
          priority: 1,
          conditions: [{ usageDetailPattern: "^input", operator: "gt", value: 1000 }],
          prices: { input_tokens: 0.000004, output_tokens: 0.00001 },
        },
      ],
    });
    const usage = { input_tokens: 1001, output_tokens: 3 };
    const { estimate } = await estimateModelPrice(ctx, { model: "acme-large", usage });
    expect(estimate).toEqual({
      match: {
        model: { id: model.id, provider: "external", modelName: "acme-large" },
        pricingTier: { id: "long-context", name: "Long context" },
        source: "project_custom",
      },
      cost: {
        total: 0.004034,
        currency: "USD",
        breakdown: { input_tokens: 0.004004, output_tokens: 0.00003 },
        unpriced: [],
        unpricedDetails: [],
        model: { id: model.id, provider: "external", modelName: "acme-large" },
        tier: { id: "long-context", name: "Long context" },
        source: "project_custom",
        prices: { input_tokens: 0.000004, output_tokens: 0.00001 },
        pricesVersion: `${model.id}@1`,
      },
    });
  });

  test("is null for an unknown model, and lists the buckets and details without a price", async () => {
    const { ctx } = await testProject();
    await createModelPrice(ctx, acme);
    expect(await estimateModelPrice(ctx, { model: "acme-huge", usage: { input_tokens: 1 } })).toEqual({
      estimate: { match: null, cost: null },
    });
    const { estimate } = await estimateModelPrice(ctx, {
      model: "acme-large",
      usage: { cache_read_input_tokens: 1, web_searches: 1 },
    });
    expect(estimate.cost).toMatchObject({
      total: null,
      unpriced: ["cache_read_input_tokens"],
      unpricedDetails: ["web_searches"],
    });
  });

  test("at a point in time uses the prices of that time: the project's versions and the default's history", async () => {
    const { ctx } = await testProject();
    const usage = { input_tokens: 10 };
    const ask = async (model: string, at?: number) =>
      (await estimateModelPrice(ctx, { model, usage, ...(at === undefined ? {} : { at }) })).estimate.cost;
    const { model } = await createModelPrice(ctx, acme);
    await updateModelPrice(ctx, { modelPriceId: model.id, ...acme, pricingTiers: [standard(1)] });
    await createModelPrice(ctx, overriding);
    await resetModelPrice(ctx, { modelPriceId: "openai:gpt-4o" });
    // Spread changes made within milliseconds over days.
    const day = (n: number) => Date.UTC(2026, 0, n);
    const times = [
      [model.id, 1, day(2), day(4)],
      [model.id, 2, day(4), null],
      ["openai:gpt-4o", 1, day(3), day(5)],
    ] as const;
    for (const [id, version, effectiveFrom, supersededAt] of times) {
      await ctx.db
        .update(modelPriceDefinitions)
        .set({ effectiveFrom, supersededAt })
        .where(
          and(
            eq(modelPriceDefinitions.projectId, ctx.projectId),
            eq(modelPriceDefinitions.id, id),
            eq(modelPriceDefinitions.version, version),
          ),
        );
    }
    expect(await ask("acme-large", day(1))).toBeNull();
    for (const at of [day(2), day(3), day(4) - 1]) {
      expect(await ask("acme-large", at)).toMatchObject({ total: 0.00002, pricesVersion: `${model.id}@1` });
    }
    for (const at of [day(4), day(9), undefined]) {
      expect(await ask("acme-large", at)).toMatchObject({ total: 10, pricesVersion: `${model.id}@2` });
    }
    for (const at of [day(2), day(5), undefined]) {
      expect(await ask("gpt-4o", at)).toMatchObject({ total: 0.000025, source: "default" });
    }
    for (const at of [day(3), day(5) - 1]) {
      expect(await ask("gpt-4o", at)).toMatchObject({ total: 5, pricesVersion: "openai:gpt-4o@1" });
    }
    expect(await ask("o3", Date.UTC(2025, 5, 9))).toMatchObject({ total: 0.0001 });
    expect(await ask("o3", Date.UTC(2025, 5, 10))).toMatchObject({ total: 0.00002 });
    expect(await ask("gemini-3.6-flash", Date.UTC(2027, 0, 1))).toMatchObject({ total: 0.000015 });
    expect(await ask("gemini-3.6-flash", Date.UTC(2026, 11, 31))).toMatchObject({ total: 0.0000075 });

    const { ctx: theirs } = await testProject();
    const other = await estimateModelPrice(theirs, { model: "acme-large", usage, at: day(2) });
    expect(other.estimate).toEqual({ match: null, cost: null });
    for (const at of [-1, 1.5, Number.MAX_SAFE_INTEGER, "2026-01-01"]) {
      await expect(estimateModelPrice(ctx, { model: "o3", usage, at: at as number })).rejects.toMatchObject({
        issues: [{ path: ["at"] }],
      });
    }
  });

  test("at a point in time reflects later changes, including one that supersedes a version of that time", async () => {
    const { ctx } = await testProject();
    const usage = { input_tokens: 10 };
    await createModelPrice(ctx, acme);
    const before = Date.now() - 60_000;
    const ask = async (at: number) => (await estimateModelPrice(ctx, { model: "acme-large", usage, at })).estimate.cost;
    expect(await ask(before)).toBeNull();
    expect(await ask(Date.now() + 60_000)).toMatchObject({ total: 0.00002 });
    await ctx.db.update(modelPriceDefinitions).set({ effectiveFrom: before });
    await createModelPrice(ctx, { ...acme, pricingTiers: [standard(1)] });
    expect(await ask(before)).toMatchObject({ total: 0.00002 });
    expect(await ask(Date.now() + 60_000)).toMatchObject({ total: 10 });
  });

  test("of a draft assumes that the draft is in force, and stores nothing", async () => {
    const { ctx } = await testProject();
    const { model } = await createModelPrice(ctx, { ...acme, matchPattern: "^acme-" });
    const ask = async (name: string, draft?: object) =>
      (await estimateModelPrice(ctx, { model: name, usage: { input_tokens: 10 }, draft: draft as never })).estimate;
    const dearer = { ...acme, matchPattern: "^acme-", pricingTiers: [standard(0.5)], modelPriceId: model.id };
    expect((await ask("acme-small", dearer)).cost).toMatchObject({ total: 5, pricesVersion: `${model.id}@0` });
    expect((await ask("acme-small")).cost).toMatchObject({ total: 0.00002, pricesVersion: `${model.id}@1` });
    expect((await ask("gpt-4o", overriding)).cost).toMatchObject({ total: 5, source: "project_override" });
    expect(
      (await ask("gpt-4o", { ...overriding, modelName: "gpt-4o", baseModelPriceId: undefined })).match,
    ).toMatchObject({
      source: "project_custom",
    });
    // Fields omitted in a draft are filled in as when stored: its pattern, and that it is an override.
    const { matchPattern: _, ...pricesOnly } = dearer;
    expect((await ask("acme-small", pricesOnly)).cost).toMatchObject({ total: 5 });
    expect((await ask("acme-small", { ...acme, pricingTiers: [standard(0.5)] })).cost).toMatchObject({ total: 5 });
    expect((await ask("gpt-4o-2024-11-20", overriding)).cost).toMatchObject({ total: 5, source: "project_override" });
    // The project already has a more specific one: a draft has precedence only where a stored definition would.
    const wide = { ...acme, modelName: "everything", matchPattern: "^a", pricingTiers: [standard(1)] };
    expect((await ask("acme-small", wide)).cost?.model.id).toBe(model.id);
    expect((await ask("a-small", wide)).cost?.total).toBe(10);

    await expect(ask("acme-small", { ...acme, matchPattern: "(" })).rejects.toMatchObject({
      issues: [{ path: ["draft", "matchPattern"] }],
    });
    expect((await listModelPriceVersions(ctx, { modelPriceId: model.id })).versions).toHaveLength(1);
  });
});

describe("an invalid definition", () => {
  const refusal = async (fields: object) => {
    const { ctx } = await testProject();
    const refused = await createModelPrice(ctx, { ...acme, ...fields } as never).catch((error) => error);
    return refused.issues?.map(({ path, message }: { path: string[]; message: string }) => [path.join("."), message]);
  };
  const conditional = { name: "Other", isDefault: false, priority: 1, prices: {} };
  const condition = { usageDetailPattern: "^input", operator: "gt", value: 1 };

  test("is rejected with all of its problems and their paths", async () => {
    const problems = await refusal({
      provider: "nobody",
      matchPattern: "x(?=y)",
      pricingTiers: [
        { ...standard(-1), conditions: [condition] },
        { ...conditional, name: "Standard", priority: 0, conditions: [{ ...condition, usageDetailPattern: "(" }] },
      ],
    });
    expect(problems.map(([path]: [string]) => path)).toEqual(
      expect.arrayContaining([
        "provider",
        "matchPattern",
        "pricingTiers.0.prices.input_tokens",
        "pricingTiers.1.conditions.0.usageDetailPattern",
      ]),
    );
    expect(Object.fromEntries(problems).matchPattern).toMatch(/^At character 2: RE2 has no lookaround/);
  });

  test.each([
    ["no tier", []],
    ["a default tier with conditions", [{ ...standard(1), conditions: [condition] }]],
    ["another tier without conditions", [standard(1), conditional]],
    ["two tiers of one name", [standard(1), { ...conditional, name: "Standard", conditions: [condition] }]],
    [
      "two conditional tiers of one priority",
      [
        standard(1),
        { ...conditional, conditions: [condition] },
        { ...conditional, name: "Third", conditions: [condition] },
      ],
    ],
    ["a price that is no number", [{ ...standard(1), prices: { input_tokens: "1" } }]],
    ["a price without end", [{ ...standard(1), prices: { input_tokens: Number.POSITIVE_INFINITY } }]],
    ["a price of the total", [{ ...standard(1), prices: { total_tokens: 1 } }]],
    ["an operator that is none", [standard(1), { ...conditional, conditions: [{ ...condition, operator: "like" }] }]],
    ["an unknown field", [{ ...standard(1), currency: "EUR" }]],
  ])("is rejected for %s", async (_, pricingTiers) => {
    const problems = await refusal({ pricingTiers });
    expect(problems?.length).toBeGreaterThan(0);
    for (const [path] of problems) expect(path).toMatch(/^pricingTiers/);
  });

  test("is not one whose default tier has another tier's priority, which is ignored", async () => {
    const { ctx } = await testProject();
    const long = { ...conditional, priority: 0, conditions: [condition], prices: { input_tokens: 7 } };
    await createModelPrice(ctx, { ...acme, pricingTiers: [standard(1), long] as never });
    expect(await costIn(ctx, "acme-large")).toMatchObject({ total: 70, tier: { name: "Other" } });
    await createModelPrice(ctx, {
      ...acme,
      pricingTiers: [
        { ...long, priority: 5 },
        { ...standard(1), priority: 5 },
      ] as never,
    });
    expect(await costIn(ctx, "acme-large")).toMatchObject({ total: 70, tier: { name: "Other" } });
  });

  test("price keys beyond the common ones are preserved", async () => {
    const { ctx } = await testProject();
    const prices = { input_tokens: 0, web_searches: 0.01, input_audio_tokens: 3e-7 };
    const { model } = await createModelPrice(ctx, { ...acme, pricingTiers: [{ ...standard(0), prices }] });
    expect((await find(ctx, model.id))!.pricingTiers[0]!.prices).toEqual(prices);
    expect(await costIn(ctx, "acme-large")).toMatchObject({ total: 0, unpriced: [] });
  });
});

test("only callers with model-pricing:write can change a price", async () => {
  const { asKey } = await testProject();
  const reader = asKey("model-pricing:read");
  await expect(createModelPrice(reader, acme)).rejects.toMatchObject({ code: "forbidden" });
  const { model } = await createModelPrice(asKey("model-pricing:write"), acme);
  await expect(updateModelPrice(reader, { modelPriceId: model.id, ...acme })).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(deleteModelPrice(reader, { modelPriceId: model.id })).rejects.toMatchObject({ code: "forbidden" });
  await expect(estimateModelPrice(reader, { model: "acme-large", usage: {} })).resolves.toBeDefined();
});
