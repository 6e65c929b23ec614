import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { getCosts } from "@/server/services/costs";
import { countedTwice } from "@/server/services/costs/testing";
import {
  conversationFacets,
  decodeTraces,
  getConversation,
  listConversations,
  projectPending,
  setLabels,
  storeTraces,
} from ".";
import { chatSpan, ingest, otlpJson } from "./testing";

const DAY = Date.UTC(2026, 10, 1);
const RANGE = { from: DAY, to: DAY + 86_400_000 };
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");

let spans = 0;
function call({ session, trace, tags }: { session?: string; trace?: number; tags?: string[] }) {
  const n = ++spans;
  const attributes = {
    ...(tags && { "tag.tags": tags }),
    ...(session !== undefined && { "session.id": session }),
  };
  return chatSpan({ traceId: hex(trace ?? n, 32), spanId: hex(n, 16), startMs: DAY + n, attributes });
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
  const { kept, fresh } = await countedTwice(ctx);
  expect(kept).toEqual(fresh);
}

test("people's labels stand beside the client's, are found, counted and taken away again", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web"] }), call({ session: "a" }), call({ session: "b" })]);
  const { conversation } = await setLabels(ctx, {
    conversationId: "a",
    labels: ["vip", " vip ", "web", "Réclamation"],
  });
  expect(conversation).toMatchObject({
    labels: ["Réclamation", "vip", "web"],
    ownLabels: ["Réclamation", "vip", "web"],
  });
  expect(await found(ctx, "vip")).toBe(1);
  expect((await listConversations(ctx, { q: "Hello", label: "vip" })).conversations).toHaveLength(1);
  expect((await conversationFacets(ctx, {})).facets.labels).toContainEqual({ value: "vip", count: 1 });
  expect(await callsByLabel(ctx)).toEqual({ vip: 2, web: 2, Réclamation: 2, "": 1 });
  await addsUp(ctx);

  await setLabels(ctx, { conversationId: conversation.id, labels: [] });
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["web"], ownLabels: [] });
  expect(await found(ctx, "vip")).toBe(0);
  expect(await found(ctx, "web")).toBe(1);
  expect(await callsByLabel(ctx)).toEqual({ web: 2, "": 1 });
  await addsUp(ctx);
  const [entry] = await db().execute<{ before: object; after: object }>(sql`
    select before, after from audit_log
    where project_id = ${ctx.projectId} and action = 'conversations.setLabels' order by created_at desc, id desc limit 1`);
  expect(entry).toEqual({ before: { labels: ["Réclamation", "vip", "web"] }, after: { labels: [] } });
});

test("they outlive what arrives later, and what arrives later outlives them", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a", tags: ["web"] })]);
  await setLabels(ctx, { conversationId: "a", labels: ["vip"] });
  await ingest(ctx, [call({ session: "a", tags: ["beta"] })]);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["beta", "vip", "web"], ownLabels: ["vip"] });
  expect(await callsByLabel(ctx)).toEqual({ beta: 2, vip: 2, web: 2 });
  // The client says by itself what somebody had said and taken back.
  await setLabels(ctx, { conversationId: "a", labels: [] });
  await ingest(ctx, [call({ session: "a", tags: ["vip"] })]);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["beta", "vip", "web"], ownLabels: [] });
  expect(await callsByLabel(ctx)).toEqual({ beta: 3, vip: 3, web: 3 });
  await addsUp(ctx);
});

test("conversations that become one keep the labels of both", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a" }), call({ trace: 950 })]);
  const alone = (await listConversations(ctx, {})).conversations.find(({ externalId }) => externalId === null)!;
  await setLabels(ctx, { conversationId: "a", labels: ["vip"] });
  await setLabels(ctx, { conversationId: alone.id, labels: ["odd"] });
  await ingest(ctx, [
    { spanId: hex(0xabe, 16), traceId: hex(950, 32), startMs: DAY, attributes: { "session.id": "a" } },
  ]);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["odd", "vip"], ownLabels: ["odd", "vip"] });
  expect(await callsByLabel(ctx)).toEqual({ odd: 2, vip: 2 });
  await addsUp(ctx);
});

test("labelled while it grows, a conversation has what was said last, and so have its calls", async () => {
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
    for (let n = 0; n < 10; n++) await setLabels(ctx, { conversationId: "a", labels: [`own${n}`] });
  };
  await Promise.all([grow(), label()]);
  while ((await projectPending(db())) > 0);
  const sent = Array.from({ length: 10 }, (_, n) => `t${n}`);
  expect(await labelsOf(ctx, "a")).toEqual({ labels: ["own9", ...sent, "web"], ownLabels: ["own9"] });
  expect(await callsByLabel(ctx)).toEqual(Object.fromEntries(["own9", ...sent, "web"].map((label) => [label, 11])));
  await addsUp(ctx);
});

test("nobody labels another project's, nor with what is no label", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await ingest(theirs.ctx, [call({ session: "a" })]);
  await expect(setLabels(ctx, { conversationId: "a", labels: ["x"] })).rejects.toMatchObject({ code: "not_found" });
  const refused = [[""], ["  "], ["x".repeat(201)], Array.from({ length: 21 }, (_, n) => `l${n}`), ["a\u0000b"]];
  for (const labels of refused) {
    await expect(setLabels(theirs.ctx, { conversationId: "a", labels })).rejects.toThrow();
  }
  expect(await labelsOf(theirs.ctx, "a")).toEqual({ labels: [], ownLabels: [] });
});
