import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor, requestTo } from "../testing";

const dispatch = createDispatcher(OPERATIONS);
const definition = {
  provider: "openai",
  modelName: "gpt-4o",
  pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 0.5 } }],
};

async function client() {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "model-pricing:read", "model-pricing:write");
  const send = async (method: string, path: string, body?: object) => {
    const reply = await dispatch(requestTo(method, path, { key, ...(body ? { body: JSON.stringify(body) } : {}) }));
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  return { ctx, send };
}

test.each(["by its key", "by the path"])(
  "a project %s overrides a default, has its calls priced by the override, and resets it",
  async (by) => {
    const { ctx, send } = await client();
    const of = by === "by its key" ? "/v1" : `/v1/projects/${ctx.projectId}`;
    const usage = { input_tokens: 2 };

    const created = await send("POST", `${of}/model-prices`, { ...definition, baseModelPriceId: "openai:gpt-4o" });
    expect(created).toMatchObject({
      status: 201,
      body: { model: { id: "openai:gpt-4o", source: "project_override" } },
    });
    const { body } = await send("GET", `${of}/model-prices`);
    expect((body.models as { id: string }[]).filter(({ id }) => id === "openai:gpt-4o")).toEqual([created.body.model]);
    expect(await send("GET", `${of}/model-price-matches?model=gpt-4o`)).toMatchObject({
      body: { match: { model: { id: "openai:gpt-4o" }, source: "project_override" } },
    });
    expect(await send("POST", `${of}/model-price-estimates`, { model: "gpt-4o", usage })).toMatchObject({
      status: 200,
      body: { estimate: { cost: { total: 1, pricesVersion: "openai:gpt-4o@1" } } },
    });
    const id = encodeURIComponent("openai:gpt-4o");
    const cheaper = {
      ...definition,
      pricingTiers: [{ ...definition.pricingTiers[0], prices: { input_tokens: 0.25 } }],
    };
    expect(await send("PATCH", `${of}/model-prices/${id}`, cheaper)).toMatchObject({ status: 200 });
    expect(await send("GET", `${of}/model-prices/${id}/versions`)).toMatchObject({
      body: { versions: [{ version: 2 }, { version: 1 }] },
    });
    expect(await send("DELETE", `${of}/model-prices/${id}`)).toMatchObject({ status: 404 });
    expect(await send("DELETE", `${of}/model-prices/${id}/override`)).toEqual({ status: 200, body: { ok: true } });
    expect(await send("DELETE", `${of}/model-prices/${id}/override`)).toMatchObject({ status: 404 });
    expect(await send("GET", `${of}/model-price-matches?model=gpt-4o`)).toMatchObject({
      body: { match: { source: "default" } },
    });
  },
);

test("a custom price is created, changed and deleted, and another project cannot use it", async () => {
  const { send } = await client();
  const stranger = await client();
  const acme = { ...definition, provider: "external", modelName: "acme-1" };
  const { body } = await send("POST", "/v1/model-prices", acme);
  const { id } = body.model as { id: string };
  expect(await stranger.send("PATCH", `/v1/model-prices/${id}`, acme)).toMatchObject({ status: 404 });
  expect(await stranger.send("DELETE", `/v1/model-prices/${id}`)).toMatchObject({ status: 404 });
  expect(await stranger.send("GET", "/v1/model-price-matches?model=acme-1")).toMatchObject({ body: { match: null } });
  expect(await send("PATCH", `/v1/model-prices/${id}`, acme)).toMatchObject({ status: 200, body: { model: { id } } });
  expect(await send("DELETE", `/v1/model-prices/${id}`)).toEqual({ status: 200, body: { ok: true } });
});

test("all problems of a definition are reported together, each by its pointer", async () => {
  const { send } = await client();
  const { status, body } = await send("POST", "/v1/model-prices", {
    provider: "openai",
    matchPattern: "gpt(?!-4)",
    currency: "EUR",
    pricingTiers: [{ ...definition.pricingTiers[0], prices: { input_tokens: -1 } }],
  });
  expect(status).toBe(400);
  const errors = body.errors as { path: string; message: string }[];
  expect(errors.map(({ path }) => path).sort()).toEqual([
    "/currency",
    "/matchPattern",
    "/modelName",
    "/pricingTiers/0/prices/input_tokens",
  ]);
  expect(errors.find(({ path }) => path === "/matchPattern")?.message).toMatch(
    /^At character 4: RE2 has no lookaround/,
  );
});

test("a definition can be sent back as it was listed, changed or not", async () => {
  const { send } = await client();
  type Listed = {
    id: string;
    source: string;
    matchPattern: string;
    pricingTiers: { prices: Record<string, number> }[];
  };
  const listed = async (id: string) =>
    ((await send("GET", "/v1/model-prices")).body.models as Listed[]).find((model) => model.id === id)!;
  const dearer = (model: Listed) => ({
    ...model,
    pricingTiers: model.pricingTiers.map((tier) => ({ ...tier, prices: { ...tier.prices, input_tokens: 0.5 } })),
  });
  for (const id of ["openai:gpt-4o", "openai:gpt-5.4", "anthropic:claude-sonnet-4-5", "google:gemini-2.5-pro"]) {
    const path = `/v1/model-prices/${encodeURIComponent(id)}`;
    const byDefault = await listed(id);
    expect(await send("PATCH", path, byDefault)).toMatchObject({ status: 404 });
    expect((await send("POST", "/v1/model-prices", { ...byDefault, baseModelPriceId: id })).status).toBe(201);
    const override = await listed(id);
    expect(await send("PATCH", path, override)).toEqual({ status: 200, body: { model: override } });
    expect(await send("POST", "/v1/model-prices", override)).toEqual({ status: 201, body: { model: override } });
    const changed = dearer(override);
    expect(await send("PATCH", path, changed)).toEqual({ status: 200, body: { model: changed } });
    expect(await listed(id)).toEqual(changed);
    expect(await send("PATCH", path, { ...changed, version: 1 })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "/version" }] },
    });
    const { matchPattern: _, ...withoutPattern } = changed;
    expect(await send("PATCH", path, withoutPattern)).toEqual({ status: 200, body: { model: changed } });
  }
});

test("a match and an estimate need a model name", async () => {
  const { send } = await client();
  const pointing = { status: 400, body: { errors: [{ path: "/model" }] } };
  for (const query of ["", "?model=", "?model=%20", "?model=&provider=openai"]) {
    expect(await send("GET", `/v1/model-price-matches${query}`), query).toMatchObject(pointing);
  }
  for (const model of ["", "  "]) {
    expect(await send("POST", "/v1/model-price-estimates", { model, usage: {} })).toMatchObject(pointing);
  }
});

test("an estimate uses the prices at the time `at`", async () => {
  const { send } = await client();
  const estimate = async (at?: number | string) =>
    send("POST", "/v1/model-price-estimates", {
      model: "o3",
      usage: { input_tokens: 10 },
      ...(at === undefined ? {} : { at }),
    });
  expect(await estimate(Date.UTC(2025, 5, 9))).toMatchObject({ body: { estimate: { cost: { total: 0.0001 } } } });
  expect(await estimate()).toMatchObject({ body: { estimate: { cost: { total: 0.00002 } } } });
  expect(await estimate("yesterday")).toMatchObject({ status: 400, body: { errors: [{ path: "/at" }] } });
});

test("a provider that is not a vendor matches no vendor's price, and a router matches every vendor's", async () => {
  const { send } = await client();
  const matchOf = async (provider: string) =>
    (await send("GET", `/v1/model-price-matches?model=gpt-4o&provider=${provider}`)).body.match;
  for (const provider of ["external", "acme"]) expect(await matchOf(provider)).toBeNull();
  for (const provider of ["openai", "azure", "openrouter"]) {
    expect(await matchOf(provider)).toMatchObject({ model: { id: "openai:gpt-4o" } });
  }
});

test("creating a price is a 401 without a key and a 403 with a read-only one", async () => {
  const { ctx } = await testProject();
  const body = JSON.stringify(definition);
  expect((await dispatch(requestTo("POST", "/v1/model-prices", { body }))).status).toBe(401);
  const key = await keyFor(ctx, "model-pricing:read");
  expect((await dispatch(requestTo("POST", "/v1/model-prices", { key, body }))).status).toBe(403);
  expect((await dispatch(requestTo("DELETE", "/v1/model-prices/mp_1", { key }))).status).toBe(403);
});
