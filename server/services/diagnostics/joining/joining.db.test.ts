import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import { changeLabels, findContinued, getConversation, listConversations } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { getFinding, joinConversation, listFindings, listOccurrences } from "..";
import { failedTool } from "../work-items/testing";

const NOW = Date.now() - HOUR_MS;
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
let spans = 0;
type Said = readonly [role: string, content: string];
type Sent = { at?: number; user?: string; session?: string; service?: string };

/** Sends a call in a trace of its own, with the messages before it. Returns the conversation that it became. */
async function turn(ctx: Ctx, said: readonly Said[], { at = NOW, user, session, service = "shop" }: Sent = {}) {
  const n = ++spans;
  const messages = said.map(([role, content]) => ({ role, content }));
  const attributes = {
    "gen_ai.input.messages": JSON.stringify(messages.slice(0, -1)),
    "gen_ai.output.messages": JSON.stringify(messages.slice(-1)),
    ...(user && { "user.id": user }),
    ...(session && { "session.id": session }),
  };
  const traceId = hex(n + 0xabc000, 32);
  await ingest(ctx, [chatSpan({ traceId, spanId: hex(n, 16), startMs: at, attributes }, {})], undefined, {
    "service.name": service,
  });
  const { conversations } = await listConversations(ctx, { limit: 100 });
  return conversations.find(({ traceIds }) => traceIds.includes(traceId))!.id;
}

const HELLO: Said[] = [
  ["user", "Where is my order 1042?"],
  ["assistant", "It arrives tomorrow."],
];
const MORE: Said[] = [
  ["user", "And 1043?"],
  ["assistant", "On Friday."],
];
const THANKS: Said[] = [
  ["user", "Thanks!"],
  ["assistant", "You are welcome."],
];
const continued = async (ctx: Ctx, conversationId: string) => (await findContinued(ctx, { conversationId })).continued;

test("a turn sent without an id is found to continue the one before, and joined keeps what both had", async () => {
  const { ctx } = await testProject();
  const first = await turn(ctx, [["system", "Be brief."], ...HELLO]);
  const second = await turn(ctx, [["system", "Be kind."], ...HELLO, ...MORE], { at: NOW + MINUTE_MS });
  const third = await turn(ctx, [...HELLO, ...MORE, ...THANKS], { at: NOW + 2 * MINUTE_MS });
  expect(await continued(ctx, first)).toBeNull();
  expect(await continued(ctx, second)).toMatchObject({ conversationId: first, messages: 2, startedAt: NOW });
  expect(await continued(ctx, third)).toMatchObject({ conversationId: second, messages: 4 });

  await changeLabels(ctx, { conversationId: third, add: ["vip"] });
  expect(await joinConversation(ctx, { conversationId: third, into: second })).toEqual({ conversationId: second });
  await joinConversation(ctx, { conversationId: second, into: first });
  await ingest(ctx, []);
  const { conversation } = await getConversation(ctx, { conversationId: first });
  expect(conversation.traceIds).toHaveLength(3);
  expect(conversation.modelCalls).toHaveLength(3);
  expect(conversation.labels).toEqual(["vip"]);
  const said = conversation.messages.filter(({ role }) => role !== "system");
  expect(said.map(({ parts }) => ("text" in parts[0]! ? parts[0].text : null))).toEqual(
    [...HELLO, ...MORE, ...THANKS].map(([, text]) => text),
  );
  await expect(getConversation(ctx, { conversationId: second })).rejects.toMatchObject({ code: "not_found" });
});

test("what begins alike by chance, or elsewhere, is not continued", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await turn(theirs.ctx, HELLO);
  await turn(ctx, HELLO.slice(0, 1));
  await turn(ctx, [HELLO[0]!, ["assistant", "Never."]]);
  await turn(ctx, HELLO, { at: NOW - 25 * HOUR_MS });
  await turn(ctx, HELLO, { at: NOW + 2 * MINUTE_MS });
  await turn(ctx, HELLO, { service: "another" });
  await turn(ctx, HELLO, { user: "bob" });
  const last = await turn(ctx, [...HELLO, ...MORE], { at: NOW + MINUTE_MS });
  expect(await continued(ctx, last)).toBeNull();
  const named = await turn(ctx, [...HELLO, ...MORE], { at: NOW + 3 * MINUTE_MS, session: "s" });
  expect(await continued(ctx, named)).toBeNull();
  await expect(joinConversation(ctx, { conversationId: named, into: last })).rejects.toMatchObject({
    code: "conflict",
  });
  await expect(joinConversation(ctx, { conversationId: last, into: last })).rejects.toMatchObject({
    code: "unprocessable",
  });
  await expect(joinConversation(theirs.ctx, { conversationId: last, into: named })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("Findings of a joined conversation stay, and count the two as one", async () => {
  const { ctx } = await testProject();
  const [one, other] = [await failedTool(ctx, {}), await failedTool(ctx, {})];
  const elsewhere = await failedTool(ctx, { tool: "cancel_order" });
  expect(other.findingId).toBe(one.findingId);
  await ctx.db.execute(sql`
    insert into traces (project_id, id, conversation_id) select project_id, 'trace of ' || id, id from conversations
    where project_id = ${ctx.projectId}`);
  await joinConversation(ctx, { conversationId: other.conversationId, into: one.conversationId });
  await joinConversation(ctx, { conversationId: elsewhere.conversationId, into: one.conversationId });
  const of = async (findingId: string) => (await getFinding(ctx, { findingId })).finding.occurrenceCount;
  expect([await of(one.findingId), await of(elsewhere.findingId)]).toEqual([1, 1]);
  const { occurrences } = await listOccurrences(ctx, { findingId: elsewhere.findingId });
  expect(occurrences).toMatchObject([{ conversationId: one.conversationId }]);
  expect((await listFindings(ctx, { conversationId: one.conversationId })).findings.length).toBeGreaterThanOrEqual(2);
  expect((await listConversations(ctx, {})).conversations).toMatchObject([{ findingCount: 2 }]);
});
