import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { ZodError } from "zod";
import { db } from "@/db/pool";
import { textArray } from "@/db/rows";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { getCosts } from "@/server/services/costs";
import { storedAndRecomputedCosts } from "@/server/services/costs/testing";
import {
  changeLabels,
  conversationFacets,
  decodeTraces,
  getConversation,
  listConversations,
  projectPending,
  storeTraces,
} from "..";
import { LABEL_CHARACTERS, LABELS_MAX } from "../schemas";
import { chatSpan, ingest, otlpJson } from "../testing";

const DAY = Date.UTC(2026, 10, 1);
const RANGE = { from: DAY, to: DAY + 86_400_000 };
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");

let spans = 0;
type Call = { session?: string; trace?: number; tags?: string[]; scope?: string; attributes?: object };
function call({ session, trace, tags, scope = "test", attributes: more }: Call) {
  const n = ++spans;
  const attributes = {
    ...(tags && { "tag.tags": tags }),
    ...(session !== undefined && { "session.id": session }),
    ...more,
  };
  return chatSpan({ scope, traceId: hex(trace ?? n, 32), spanId: hex(n, 16), startMs: DAY + n, attributes });
}

const labelsOf = async (ctx: Ctx, conversationId: string) => {
  const { labels, ownLabels } = (await getConversation(ctx, { conversationId })).conversation;
  return { labels, ownLabels };
};
const found = async (ctx: Ctx, label: string) => (await listConversations(ctx, { label })).conversations.length;
const callsByLabel = async (ctx: Ctx) =>
  Object.fromEntries(
    (await getCosts(ctx, { ...RANGE, groupBy: "label" })).costs.rows.map(({ key, calls }) => [key ?? "", calls]),
  );

async function addsUp(ctx: Ctx) {
  const { stored, recomputed } = await storedAndRecomputedCosts(ctx);
  expect(stored).toEqual(recomputed);
}

test("people's labels are listed with the client's, and can be searched, counted and removed", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web"] }), call({ session: "a" }), call({ session: "b" })]);
  const all = ["Réclamation", "vip", "web"];
  const { conversation, added } = await changeLabels(ctx, {
    conversationId: "a",
    add: ["vip", " vip ", "web", "Réclamation"],
  });
  expect(conversation).toMatchObject({ labels: all, ownLabels: all });
  expect(added).toEqual(all);
  expect(await found(ctx, "vip")).toBe(1);
  expect((await listConversations(ctx, { q: "Hello", label: "vip" })).conversations).toHaveLength(1);
  expect((await conversationFacets(ctx, {})).facets.labels).toContainEqual({ value: "vip", count: 1 });
  expect(await callsByLabel(ctx)).toEqual({ vip: 2, web: 2, Réclamation: 2, "": 1 });
  await addsUp(ctx);

  const { removed } = await changeLabels(ctx, { conversationId: conversation.id, remove: [...all, "other"] });
  expect(removed).toEqual(all);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["web"], ownLabels: [] });
  expect(await found(ctx, "vip")).toBe(0);
  expect(await found(ctx, "web")).toBe(1);
  expect(await callsByLabel(ctx)).toEqual({ web: 2, "": 1 });
  await addsUp(ctx);
  const [entry] = await db().execute<{ before: object; after: object }>(sql`
    select before, after from audit_log
    where project_id = ${ctx.projectId} and action = 'conversations.changeLabels' order by created_at desc, id desc limit 1`);
  // The audit log outlives the conversation.
  expect(entry).toEqual({ before: { labels: 3 }, after: { labels: 0 } });
});

test("concurrent changes of labels are all applied, and a repeated change has no effect", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a" })]);
  const change = (more: { add?: string[]; remove?: string[] }) => changeLabels(ctx, { conversationId: "a", ...more });
  await Promise.all([change({ add: ["ann"] }), change({ add: ["bob"] })]);
  expect(await change({ add: ["ann", "eve"], remove: ["bob", "zoe"] })).toMatchObject({
    conversation: { ownLabels: ["ann", "eve"] },
    added: ["eve"],
    removed: ["bob"],
  });
  expect(await change({ add: ["ann", "eve"], remove: ["bob", "zoe"] })).toMatchObject({
    conversation: { ownLabels: ["ann", "eve"] },
    added: [],
    removed: [],
  });
  await addsUp(ctx);
});

test("people's labels are limited, and a merged conversation's excess can be removed one by one", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web"] })]);
  const labels = Array.from({ length: LABELS_MAX }, (_, n) => `l${String(n).padStart(2, "0")}`);
  const change = (more: { add?: string[]; remove?: string[] }) => changeLabels(ctx, { conversationId: "a", ...more });
  await change({ add: labels });
  await expect(change({ add: ["more"] })).rejects.toMatchObject({ code: "unprocessable", errors: [{ path: "/add" }] });
  await change({ add: ["more"], remove: ["l00"] });
  await db().execute(sql`update conversations set own_labels = own_labels || ${textArray(["x", "y", "z"])}
    where project_id = ${ctx.projectId}`);
  await change({ add: ["x", "w"], remove: ["y"] });
  await expect(change({ add: ["v"] })).rejects.toMatchObject({ code: "unprocessable" });
  const { conversation } = await change({ remove: ["w"] });
  expect(conversation.ownLabels).toEqual([...labels.slice(1), "more", "x", "z"]);
});

test("people's labels survive later spans, and later spans' labels survive people's changes", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web"] })]);
  await changeLabels(ctx, { conversationId: "a", add: ["vip"] });
  await ingest(ctx, [call({ session: "a", tags: ["beta"] })]);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["beta", "vip", "web"], ownLabels: ["vip"] });
  expect(await callsByLabel(ctx)).toEqual({ beta: 2, vip: 2, web: 2 });
  // The client sends a label that a person had added and removed.
  await changeLabels(ctx, { conversationId: "a", remove: ["vip"] });
  await ingest(ctx, [call({ session: "a", tags: ["vip"] })]);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["beta", "vip", "web"], ownLabels: [] });
  expect(await callsByLabel(ctx)).toEqual({ beta: 3, vip: 3, web: 3 });
  await addsUp(ctx);
});

test("merged conversations keep the labels of both", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a" }), call({ trace: 950 })]);
  const alone = (await listConversations(ctx, {})).conversations.find(({ externalId }) => externalId === null)!;
  await changeLabels(ctx, { conversationId: "a", add: ["vip"] });
  await changeLabels(ctx, { conversationId: alone.id, add: ["odd"] });
  await ingest(ctx, [
    { spanId: hex(0xabe, 16), traceId: hex(950, 32), startMs: DAY, attributes: { "session.id": "a" } },
  ]);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["odd", "vip"], ownLabels: ["odd", "vip"] });
  expect(await callsByLabel(ctx)).toEqual({ odd: 2, vip: 2 });
  await addsUp(ctx);
});

/** One call reported by two instrumentations: in a conversation, and in a trace of its own. */
function tellings() {
  const attributes = { "gen_ai.response.id": `msg_${spans}` };
  return [call({ session: "host", attributes }), call({ scope: "sdk", attributes })] as const;
}
const strayOf = async (ctx: Ctx) =>
  (await listConversations(ctx, {})).conversations.find(({ externalId }) => externalId === null)!;

test("a duplicate trace's labels move with it when it is merged", async () => {
  const { ctx } = await testProject();
  const [told, stray] = tellings();
  await ingest(ctx, [stray]);
  await changeLabels(ctx, { conversationId: (await strayOf(ctx)).id, add: ["odd"] });
  await ingest(ctx, [told]);
  expect(await strayOf(ctx)).toBeUndefined();
  expect(await labelsOf(ctx, "host")).toEqual({ labels: ["odd"], ownLabels: ["odd"] });
  expect(await callsByLabel(ctx)).toEqual({ odd: 1 });
  await addsUp(ctx);
});

test("labelling a duplicate trace that is then merged returns the merged conversation", async () => {
  const { ctx } = await testProject();
  const [told, stray] = tellings();
  await ingest(ctx, [stray]);
  const { id } = await strayOf(ctx);
  // The projector skips locked conversations.
  await db().transaction(async (tx) => {
    await tx.execute(sql`select 1 from conversations where project_id = ${ctx.projectId} and id = ${id} for update`);
    await ingest(ctx, [told]);
  });
  expect((await strayOf(ctx)).id).toBe(id);
  const { conversation, added } = await changeLabels(ctx, { conversationId: id, add: ["odd"] });
  expect(conversation).toMatchObject({ externalId: "host", labels: ["odd"], ownLabels: ["odd"] });
  expect(added).toEqual(["odd"]);
  expect(await strayOf(ctx)).toBeUndefined();
  expect(await callsByLabel(ctx)).toEqual({ odd: 1 });
  await addsUp(ctx);
});

test("a conversation labelled while it grows has the last labels, and so do its calls", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web"] })]);
  const grow = async () => {
    for (let n = 0; n < 10; n++) {
      const body = Buffer.from(JSON.stringify(otlpJson([call({ session: "a", tags: [`t${n}`] })])));
      await storeTraces(ctx, decodeTraces(body, "json"));
      await projectPending(db());
    }
  };
  const label = async () => {
    for (let n = 0; n < 10; n++) {
      await changeLabels(ctx, { conversationId: "a", add: [`own${n}`], remove: [`own${n - 1}`] });
    }
  };
  await Promise.all([grow(), label()]);
  while ((await projectPending(db())) > 0);
  const sent = Array.from({ length: 10 }, (_, n) => `t${n}`);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["own9", ...sent, "web"], ownLabels: ["own9"] });
  expect(await callsByLabel(ctx)).toEqual(Object.fromEntries(["own9", ...sent, "web"].map((label) => [label, 11])));
  await addsUp(ctx);
});

test("another project's conversations cannot be labelled, and invalid labels are rejected", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await ingest(theirs.ctx, [call({ session: "a" })]);
  await expect(changeLabels(ctx, { conversationId: "a", add: ["x"] })).rejects.toMatchObject({ code: "not_found" });
  const many = Array.from({ length: LABELS_MAX + 1 }, (_, n) => `l${n}`);
  const refused = [
    ...[[""], ["  "], ["x".repeat(LABEL_CHARACTERS + 1)], many].map((add) => ({ add })),
    { add: [], remove: [] },
    { add: ["x"], remove: [" x"] },
    {},
  ];
  for (const change of refused) {
    await expect(changeLabels(theirs.ctx, { conversationId: "a", ...change })).rejects.toThrow(ZodError);
  }
  expect(await labelsOf(theirs.ctx, "a")).toEqual({ labels: [], ownLabels: [] });
});
