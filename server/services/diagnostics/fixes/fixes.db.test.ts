import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { fixes } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import {
  createFix,
  findingTimeline,
  fixEffects,
  getFix,
  listFindingEvents,
  listFixes,
  measureDueFixes,
  mergeFindingsByHand,
  stopFix,
  undoFindingChange,
  updateFindings,
  updateFix,
} from "..";
import { failedTool } from "../work-items/testing";
import { resolved } from "./testing";

const BEFORE: [number, number] = [-27, 0];
const SINCE: [number, number] = [0, 20];
const [OLD, NEW, LATER] = ["shop 2.4.0", "shop 2.5.0", "shop 2.6.0"];

const dueNow = (ctx: Ctx) => ctx.db.update(fixes).set({ dueAt: 0 }).where(sql`due_at is not null`);
const measureAgain = async (ctx: Ctx) => {
  await dueNow(ctx);
  await measureDueFixes(db());
};
const only = async (ctx: Ctx) => {
  const { fixes: found } = await listFixes(ctx, {});
  expect(found).toHaveLength(1);
  return found[0]!;
};
const kindsOf = async (ctx: Ctx, findingId: string) =>
  (await listFindingEvents(ctx, { findingId })).events.map(({ kind }) => kind);

test("a fix in a version is waited for, then compared in its conversations and those of later versions", async () => {
  const { ctx, findingId, stored, fix } = await resolved({ open: true });
  const theirs = await resolved();
  await stored({ affected: 56, conversations: 2800, days: BEFORE, versions: [OLD] });
  const { fix: created } = await createFix(ctx, { findingId, by: "version", value: NEW, note: "Asks first." });
  expect(created).toMatchObject({ kind: "code", startedAt: null, verdict: null, measured: null, avoided: null });
  await measureAgain(ctx);
  expect(await only(ctx)).toMatchObject({ startedAt: null, verdict: null });

  await stored({ conversations: 500, days: SINCE, versions: [NEW] });
  await stored({ conversations: 300, days: [10, 20], versions: [LATER, "mail 1.0"] });
  await stored({ affected: 40, conversations: 400, days: SINCE, versions: [OLD] });
  await theirs.stored({ affected: 100, conversations: 100, days: SINCE, versions: [NEW] });
  await measureAgain(ctx);
  const found = await only(ctx);
  expect(found).toMatchObject({
    id: created.id,
    verdict: "proven",
    measured: {
      before: { affected: 56, conversations: 2800 },
      since: { affected: 0, conversations: 800 },
      withoutFix: 400,
      laterVersions: [LATER],
      cost: { before: expect.closeTo(0.02, 10), since: expect.closeTo(0.02, 10) },
    },
    avoided: { conversations: expect.closeTo(16, 1), low: expect.any(Number), high: expect.any(Number) },
    note: "Asks first.",
  });
  expect(await fix()).toMatchObject({ id: created.id, by: "version", value: NEW, verdict: "proven" });
  expect((await getFix(ctx, { fixId: created.id })).fix).toEqual(found);
});

test("the next version is the first of the affected service that nothing had before", async () => {
  const { ctx, at, findingId, stored } = await resolved({ open: true });
  const next = { findingId, by: "version", value: null } as const;
  await expect(createFix(ctx, next)).rejects.toMatchObject({ code: "unprocessable" });
  await stored({ affected: 56, conversations: 2800, days: BEFORE, versions: [OLD, "edge"] });
  const { fix } = await createFix(ctx, next);
  await ctx.db.update(fixes).set({ createdAt: at }).where(eq(fixes.id, fix.id));
  await stored({ conversations: 10, days: [1, 2], versions: ["mail 9.9"] });
  await stored({ conversations: 10, days: [2, 3], versions: [OLD] });
  await measureAgain(ctx);
  expect(await only(ctx)).toMatchObject({ value: null, startedAt: null });
  await stored({ conversations: 10, days: [3, 4], versions: [NEW] });
  await measureAgain(ctx);
  const found = await only(ctx);
  expect(found).toMatchObject({ value: NEW, verdict: "not_enough", measured: { since: { conversations: 10 } } });
  expect(found.startedAt).toBeGreaterThan(at);
});

test("another model is compared with the models from before", async () => {
  const { ctx, findingId, stored } = await resolved({ open: true });
  await stored({ affected: 280, conversations: 2800, days: BEFORE, models: ["gpt-4o"] });
  await stored({ conversations: 400, days: SINCE, models: ["tuned"] });
  await stored({ affected: 40, conversations: 400, days: SINCE, models: ["gpt-4o"] });
  await createFix(ctx, { findingId, by: "model", value: "tuned", kind: "weights" });
  await measureAgain(ctx);
  expect(await only(ctx)).toMatchObject({
    kind: "weights",
    verdict: "proven",
    measured: { since: { affected: 0, conversations: 400 }, withoutFix: 400, comparedBy: "labels" },
  });
});

test("a verdict is told once, whoever measures, and stays when old conversations are deleted", async () => {
  const { ctx, findingId, stored } = await resolved();
  await stored({ affected: 56, conversations: 2800, days: BEFORE });
  await stored({ conversations: 600, days: SINCE });
  await dueNow(ctx);
  await Promise.all([measureDueFixes(db()), measureDueFixes(db())]);
  await measureAgain(ctx);
  expect((await kindsOf(ctx, findingId)).filter((kind) => kind === "fix_proven")).toHaveLength(1);
  await ctx.db.execute(sql`delete from conversations where project_id = ${ctx.projectId}`);
  await measureAgain(ctx);
  expect(await only(ctx)).toMatchObject({ verdict: "proven", measured: { before: { conversations: 2800 } } });
  expect((await kindsOf(ctx, findingId)).filter((kind) => kind === "fix_proven")).toHaveLength(1);
});

test("a fix that an earlier release knew as a resolution is measured, and not told to its ticket", async () => {
  const { ctx, at, findingId, stored } = await resolved();
  await ctx.db.update(fixes).set({ createdAt: at }).where(eq(fixes.projectId, ctx.projectId));
  await stored({ affected: 56, conversations: 2800, days: BEFORE });
  await stored({ conversations: 600, days: SINCE });
  await measureAgain(ctx);
  await measureAgain(ctx);
  expect(await only(ctx)).toMatchObject({ verdict: "proven", measured: { since: { conversations: 600 } } });
  expect(await kindsOf(ctx, findingId)).not.toContain("fix_proven");
});

test("a resolved Finding is watched, an open one no longer, and undoing goes on as before", async () => {
  const { ctx } = await testProject();
  const { findingId } = await failedTool(ctx, {});
  const set = (resolutionStatus: "resolved" | "unresolved") =>
    updateFindings(ctx, { findingIds: [findingId], set: { resolutionStatus } });
  await set("resolved");
  const { id, startedAt } = await only(ctx);
  expect(startedAt).not.toBeNull();
  const { change } = await set("unresolved");
  expect(await only(ctx)).toMatchObject({ id, endReason: "reopened" });
  await undoFindingChange(ctx, { changeId: change.id });
  expect(await only(ctx)).toMatchObject({ id, startedAt, endedAt: null });

  await failedTool(ctx, { startedAt: startedAt! + 1000 });
  expect(await only(ctx)).toMatchObject({ id, verdict: "regressed", endedAt: null });
  await set("resolved");
  const { fixes: both } = await listFixes(ctx, { findingId });
  expect(both.map(({ endReason }) => endReason)).toEqual([null, "replaced"]);
});

test("a Finding whose fix is out in a model is not watched again once it is resolved", async () => {
  const { ctx, findingId, stored } = await resolved({ open: true });
  await stored({ conversations: 5, days: SINCE, models: ["tuned"] });
  await createFix(ctx, { findingId, by: "model", value: "tuned" });
  await updateFindings(ctx, { findingIds: [findingId], set: { resolutionStatus: "resolved" } });
  expect(await only(ctx)).toMatchObject({ by: "model", value: "tuned", kind: null });
});

test("the fix of a Finding that is merged into another is watched again once they are separate", async () => {
  const { ctx } = await testProject();
  const [{ findingId }, into] = [await failedTool(ctx, {}), await failedTool(ctx, { tool: "cancel_order" })];
  await updateFindings(ctx, { findingIds: [findingId], set: { resolutionStatus: "resolved" } });
  const shown = async () => (await findingTimeline(ctx, { findingId })).fix;
  expect(await shown()).not.toBeNull();
  const { change } = await mergeFindingsByHand(ctx, { findingId: into.findingId, findingIds: [findingId] });
  expect(await only(ctx)).toMatchObject({ endReason: "merged" });
  expect(await shown()).toBeNull();
  await expect(createFix(ctx, { findingId, by: "label", value: "other" })).rejects.toMatchObject({
    code: "unprocessable",
  });
  await undoFindingChange(ctx, { changeId: change.id });
  expect(await only(ctx)).toMatchObject({ endReason: null, endedAt: null });
});

test("a fix ends after 56 days, or when a person stops it", async () => {
  const { ctx, findingId } = await resolved({ open: true });
  const { fix } = await createFix(ctx, { findingId, by: "label", value: "careful" });
  await ctx.db.update(fixes).set({ createdAt: 1 }).where(eq(fixes.id, fix.id));
  await measureAgain(ctx);
  expect(await only(ctx)).toMatchObject({ endReason: "over", verdict: null });
  await expect(stopFix(ctx, { fixId: fix.id })).rejects.toMatchObject({ code: "conflict" });

  const { fix: second } = await createFix(ctx, { findingId, by: "label", value: "careful" });
  const again = createFix(ctx, { findingId, by: "label", value: "careful" });
  await expect(again).rejects.toMatchObject({ code: "conflict" });
  expect((await updateFix(ctx, { fixId: second.id, kind: "prompt" })).fix).toMatchObject({ kind: "prompt", note: "" });
  expect((await stopFix(ctx, { fixId: second.id })).fix).toMatchObject({ endReason: "stopped" });
  const [row] = await ctx.db.select({ dueAt: fixes.dueAt }).from(fixes).where(eq(fixes.id, second.id));
  expect(row).toEqual({ dueAt: null });
});

test("what has been in use for longer than 56 days is no fix that can be watched", async () => {
  const { ctx, findingId, stored } = await resolved({ open: true });
  await stored({ conversations: 5, days: [-40, -39], models: ["gpt-4o"] });
  const late = createFix(ctx, { findingId, by: "model", value: "gpt-4o" });
  await expect(late).rejects.toMatchObject({ code: "unprocessable" });
});

test("what else changed with a fix leaves its own Finding out, and costs for those who may not read them", async () => {
  const { ctx, findingId, stored } = await resolved({ open: true });
  await stored({ affected: 50, conversations: 500, days: BEFORE, models: ["gpt-4o"] });
  await stored({ conversations: 300, days: SINCE, models: ["tuned"] });
  const { fix } = await createFix(ctx, { findingId, by: "model", value: "tuned" });
  const { effects } = await fixEffects(ctx, { fixId: fix.id });
  expect(effects).toMatchObject({ before: 500, since: 300 });
  expect(effects!.rows.map(({ kind }) => kind).sort()).toEqual(["cost", "errors", "latency", "thumbs_down"]);
  const reader: Ctx = { ...ctx, actor: { kind: "apiKey", keyId: "key_1", capabilities: ["diagnostics:read"] } };
  expect((await fixEffects(reader, { fixId: fix.id })).effects!.rows.map(({ kind }) => kind)).not.toContain("cost");
  await measureAgain(ctx);
  expect((await listFixes(reader, {})).fixes[0]).toMatchObject({
    proofCost: null,
    measured: { cost: { before: null, since: null } },
  });
});

test("another project's Findings and fixes do not exist", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  const { findingId } = await failedTool(ctx, {});
  const { fix } = await createFix(ctx, { findingId, by: "label", value: "careful" });
  const refused = { code: "not_found" };
  await expect(createFix(other, { findingId, by: "label", value: "careful" })).rejects.toMatchObject(refused);
  for (const verb of [getFix, stopFix, fixEffects]) {
    await expect(verb(other, { fixId: fix.id })).rejects.toMatchObject(refused);
  }
  await expect(updateFix(other, { fixId: fix.id, note: "Theirs." })).rejects.toMatchObject(refused);
  expect((await listFixes(other, {})).fixes).toEqual([]);
  const [stored] = await ctx.db
    .select({ note: fixes.note, endedAt: fixes.endedAt })
    .from(fixes)
    .where(and(eq(fixes.projectId, ctx.projectId), eq(fixes.id, fix.id)));
  expect(stored).toEqual({ note: "", endedAt: null });
});
