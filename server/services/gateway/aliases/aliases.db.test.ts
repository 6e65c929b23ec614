import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection, deleteConnection } from "@/server/services/connections";
import {
  createGatewayAlias,
  deleteGatewayAlias,
  getGatewayAlias,
  listGatewayAliases,
  updateGatewayAlias,
} from "../aliases";

const modelOf = async (ctx: Ctx) =>
  (await createConnection(ctx, { kind: "model", name: "A provider", baseUrl: "https://models.example.com/v1" }))
    .connection.id;

test("an alias is created with defaults, changed field by field, listed and deleted", async () => {
  const { ctx } = await testProject();
  const connectionId = await modelOf(ctx);
  const { alias } = await createGatewayAlias(ctx, {
    name: "gpt-4o:fast",
    targets: [{ connectionId, model: " gpt-4o " }, { deployment: "shop-agent" }],
  });
  expect(alias).toMatchObject({
    targets: [
      { connectionId, model: "gpt-4o", deployment: null, callable: true },
      { connectionId: null, model: null, deployment: "shop-agent", callable: false },
    ],
    retries: 0,
    firstTokenSeconds: null,
    totalSeconds: null,
    maxOutputTokens: null,
  });
  const gatewayAliasId = alias.id;
  const changed = await updateGatewayAlias(ctx, { gatewayAliasId, retries: 2, totalSeconds: 60 });
  expect(changed.alias).toMatchObject({ name: "gpt-4o:fast", retries: 2, totalSeconds: 60, targets: alias.targets });
  await updateGatewayAlias(ctx, { gatewayAliasId, totalSeconds: null });
  expect((await getGatewayAlias(ctx, { gatewayAliasId })).alias).toMatchObject({ retries: 2, totalSeconds: null });
  await createGatewayAlias(ctx, { name: "newer", targets: [{ connectionId, model: "m" }] });
  expect((await listGatewayAliases(ctx, {})).aliases.map(({ name }) => name)).toEqual(["newer", "gpt-4o:fast"]);
  await deleteGatewayAlias(ctx, { gatewayAliasId });
  await expect(getGatewayAlias(ctx, { gatewayAliasId })).rejects.toMatchObject({ code: "not_found" });
});

test("names are unique, also when several are created or renamed at once", async () => {
  const { ctx } = await testProject();
  const targets = [{ deployment: "a" }];
  const create = (name: string) => createGatewayAlias(ctx, { name, targets });
  const outcomes = await Promise.allSettled([create("fast"), create("fast"), create("fast")]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const one of outcomes) if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "conflict" });
  const others = await Promise.all(["b", "c"].map(async (name) => (await create(name)).alias.id));
  const renamed = await Promise.allSettled(
    others.map((gatewayAliasId) => updateGatewayAlias(ctx, { gatewayAliasId, name: "slow" })),
  );
  expect(renamed.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const [id] = others;
  await expect(updateGatewayAlias(ctx, { gatewayAliasId: id!, name: "fast" })).rejects.toMatchObject({
    code: "conflict",
  });
});

test("a target must be a model connection of the project, and stays when that is deleted", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  const [connectionId, foreign] = [await modelOf(ours), await modelOf(theirs)];
  const targets = [
    { connectionId, model: "m" },
    { connectionId: foreign, model: "m" },
  ];
  await expect(createGatewayAlias(ours, { name: "fast", targets })).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/targets/1/connectionId" }],
  });
  const { alias } = await createGatewayAlias(ours, { name: "fast", targets: targets.slice(0, 1) });
  const gatewayAliasId = alias.id;
  await expect(updateGatewayAlias(ours, { gatewayAliasId, targets })).rejects.toMatchObject({ code: "unprocessable" });
  await expect(getGatewayAlias(theirs, { gatewayAliasId })).rejects.toMatchObject({ code: "not_found" });
  await expect(deleteGatewayAlias(theirs, { gatewayAliasId })).rejects.toMatchObject({ code: "not_found" });
  expect((await listGatewayAliases(theirs, {})).aliases).toEqual([]);
  await deleteConnection(ours, { connectionId });
  expect((await getGatewayAlias(ours, { gatewayAliasId })).alias.targets).toMatchObject([
    { connectionId, model: "m", callable: false },
  ]);
});
