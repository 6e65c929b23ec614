import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { memberships, savedViews } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Role } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import {
  createSavedView,
  deleteSavedView,
  listPinnedCharts,
  listSavedViews,
  updatePinnedCharts,
  updateSavedView,
} from ".";

/** Adds another member to the project. */
async function member(ctx: Ctx, role: Role): Promise<Ctx> {
  const { userId } = await testProject();
  await ctx.db.insert(memberships).values({ projectId: ctx.projectId, userId, role });
  return { ...ctx, actor: { kind: "user", userId, role } };
}

const on = "conversations" as const;
const names = async (ctx: Ctx) => (await listSavedViews(ctx, { list: on })).savedViews.map(({ name }) => name);
const create = async (ctx: Ctx, name: string, more: { shared?: boolean; query?: string } = {}) =>
  (await createSavedView(ctx, { list: on, name, query: "errors=true", ...more })).savedView;
const NOT_FOUND = { code: "not_found" };

test("a personal view is seen, changed and deleted only by its owner", async () => {
  const { ctx } = await testProject();
  const colleague = await member(ctx, "owner");
  const { ctx: stranger } = await testProject();
  const { id } = await create(ctx, "Mine");
  expect(await names(ctx)).toEqual(["Mine"]);
  for (const other of [colleague, stranger]) {
    expect(await names(other)).toEqual([]);
    await expect(updateSavedView(other, { savedViewId: id, name: "Theirs" })).rejects.toMatchObject(NOT_FOUND);
    await expect(deleteSavedView(other, { savedViewId: id })).rejects.toMatchObject(NOT_FOUND);
  }
  await updateSavedView(ctx, { savedViewId: id, name: "Still mine", query: "q=refund" });
  expect((await listSavedViews(ctx, { list: on })).savedViews).toMatchObject([
    { name: "Still mine", query: "q=refund", shared: false },
  ]);
  await deleteSavedView(ctx, { savedViewId: id });
  expect(await names(ctx)).toEqual([]);
});

test("a shared view is seen by everybody in the project, and changed with the right to change diagnostics", async () => {
  const { ctx } = await testProject();
  const [editor, viewer] = [await member(ctx, "editor"), await member(ctx, "viewer")];
  const { ctx: stranger } = await testProject();
  const { id } = await create(editor, "Ours", { shared: true });
  for (const reader of [ctx, viewer]) expect(await names(reader)).toEqual(["Ours"]);
  expect(await names(stranger)).toEqual([]);
  await expect(updateSavedView(stranger, { savedViewId: id, name: "x" })).rejects.toMatchObject(NOT_FOUND);
  const forbidden = { code: "forbidden" };
  await expect(updateSavedView(viewer, { savedViewId: id, name: "x" })).rejects.toMatchObject(forbidden);
  await expect(updateSavedView(viewer, { savedViewId: id, shared: false })).rejects.toMatchObject(forbidden);
  await expect(deleteSavedView(viewer, { savedViewId: id })).rejects.toMatchObject(forbidden);
  await expect(create(viewer, "Shared by a viewer", { shared: true })).rejects.toMatchObject(forbidden);
  const own = await create(viewer, "A viewer’s own");
  await expect(updateSavedView(viewer, { savedViewId: own.id, shared: true })).rejects.toMatchObject(forbidden);
  await updateSavedView(ctx, { savedViewId: id, name: "Everybody’s" });
  expect(await names(viewer)).toEqual(["A viewer’s own", "Everybody’s"]);
  await updateSavedView(ctx, { savedViewId: id, shared: false });
  expect(await names(editor)).toEqual([]);
});

test("a key has no personal views, and shares views with the right to write", async () => {
  const { ctx } = await testProject();
  await create(ctx, "Mine");
  const key = (...capabilities: ("diagnostics:read" | "diagnostics:write")[]): Ctx => ({
    ...ctx,
    actor: { kind: "apiKey", keyId: "key_1", capabilities },
  });
  expect(await names(key("diagnostics:read"))).toEqual([]);
  await expect(create(key("diagnostics:read"), "x")).rejects.toMatchObject({ code: "unprocessable" });
  await expect(create(key("diagnostics:read"), "x", { shared: true })).rejects.toMatchObject({ code: "forbidden" });
  await create(key("diagnostics:read", "diagnostics:write"), "From a key", { shared: true });
  expect(await names(ctx)).toEqual(["From a key", "Mine"]);
});

test("a name is unique per list among personal and among shared views, regardless of case", async () => {
  const { ctx } = await testProject();
  const { id } = await create(ctx, "Failing");
  const taken = { code: "unprocessable", errors: [{ path: "/name" }] };
  await expect(create(ctx, " failing ")).rejects.toMatchObject(taken);
  const other = await create(ctx, "Other");
  await expect(updateSavedView(ctx, { savedViewId: other.id, name: "FAILING" })).rejects.toMatchObject(taken);
  await create(ctx, "Failing", { shared: true });
  await expect(updateSavedView(ctx, { savedViewId: id, shared: true })).rejects.toMatchObject(taken);
  await create(await member(ctx, "viewer"), "Failing");
  await createSavedView(ctx, { list: "findings", name: "Failing", query: "" });
});

test("a view stores its list's valid parameters in one form, and refuses others", async () => {
  const { ctx } = await testProject();
  const { query } = await create(ctx, "All of it", {
    query: "?user=a%20b&sort=-cost&q=two+words&hide=tokens,models&errors=false&range=24h",
  });
  expect(query).toBe("errors=false&hide=tokens%2Cmodels&q=two+words&range=24h&sort=-cost&user=a+b");
  const { query: several } = await create(ctx, "Several", { query: "model=b&errors=true&model=a&label=x" });
  expect(several).toBe("errors=true&label=x&model=a&model=b");
  for (const wrong of [
    "model=a&model=a",
    "peek=conv_1",
    "cursor=x",
    "errors=maybe",
    "q=",
    "q=a&q=b",
    "sort=1;drop",
    "__proto__=1",
  ]) {
    await expect(create(ctx, wrong, { query: wrong })).rejects.toMatchObject({
      code: "unprocessable",
      errors: [{ path: "/query" }],
    });
  }
});

test("a member has at most a hundred views of a list, which are deleted when the member leaves", async () => {
  const { ctx } = await testProject();
  const viewer = await member(ctx, "viewer");
  for (let n = 0; n < 100; n++) await create(viewer, `View ${n}`);
  await expect(create(viewer, "One more")).rejects.toMatchObject({ code: "unprocessable" });
  await create(ctx, "Somebody else’s");
  const userId = viewer.actor.kind === "user" ? viewer.actor.userId : "";
  await ctx.db.delete(memberships).where(eq(memberships.userId, userId));
  expect(await ctx.db.$count(savedViews, eq(savedViews.projectId, ctx.projectId))).toBe(1);
});

const chart = async (ctx: Ctx, name: string, shared = false) =>
  (await createSavedView(ctx, { list: "charts", name, query: "by=model&measure=cost", shared })).savedView.id;
const pinned = async (ctx: Ctx) => (await listPinnedCharts(ctx, {})).savedViews.map(({ name }) => name);

test("each member pins charts to their own Home, in an order of their own", async () => {
  const { ctx } = await testProject();
  const viewer = await member(ctx, "viewer");
  const [costs, errors] = [await chart(ctx, "Costs", true), await chart(ctx, "Errors", true)];
  const own = await chart(viewer, "A viewer’s own");
  await updatePinnedCharts(ctx, { savedViewIds: [costs, errors] });
  await updatePinnedCharts(viewer, { savedViewIds: [errors, own, costs] });
  expect(await pinned(ctx)).toEqual(["Costs", "Errors"]);
  expect(await pinned(viewer)).toEqual(["Errors", "A viewer’s own", "Costs"]);
  await updatePinnedCharts(viewer, { savedViewIds: [own, errors] });
  expect(await pinned(viewer)).toEqual(["A viewer’s own", "Errors"]);
  await updatePinnedCharts(ctx, { savedViewIds: [] });
  expect(await pinned(ctx)).toEqual([]);
});

test("only charts that the member sees can be pinned, and one that is taken back or deleted leaves each Home", async () => {
  const { ctx } = await testProject();
  const { ctx: stranger } = await testProject();
  const viewer = await member(ctx, "viewer");
  const [costs, errors, mine] = [
    await chart(ctx, "Costs", true),
    await chart(ctx, "Errors", true),
    await chart(ctx, "Mine"),
  ];
  const { id: list } = await create(ctx, "A list", { shared: true });
  const refused = { code: "unprocessable", errors: [{ path: "/savedViewIds" }] };
  for (const id of [mine, list, await chart(stranger, "Theirs", true)])
    await expect(updatePinnedCharts(viewer, { savedViewIds: [costs, id] })).rejects.toMatchObject(refused);
  await updatePinnedCharts(viewer, { savedViewIds: [costs, errors] });
  await updateSavedView(ctx, { savedViewId: costs, shared: false });
  expect(await pinned(viewer)).toEqual(["Errors"]);
  await deleteSavedView(ctx, { savedViewId: errors });
  expect(await pinned(viewer)).toEqual([]);
  const key: Ctx = { ...ctx, actor: { kind: "apiKey", keyId: "key_1", capabilities: ["diagnostics:read"] } };
  expect(await pinned(key)).toEqual([]);
  const { id: shared } = await create(ctx, "Shared", { shared: true });
  await expect(updatePinnedCharts(key, { savedViewIds: [shared] })).rejects.toMatchObject(refused);
  expect(await updatePinnedCharts(key, { savedViewIds: [] })).toEqual({ savedViews: [] });
});
