import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { decodeTraces, listConversations, projectPending, storeTraces } from "..";
import { reportedBody } from "../otlp/testing/reports";
import { chatSpan, ingest } from "../testing";

const said = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });

function talk(ctx: Ctx, id: string, ask: string, answer: string) {
  const span = chatSpan({
    traceId: Buffer.from(id.padEnd(16)).toString("hex"),
    spanId: Buffer.from(id.padEnd(8).slice(0, 8)).toString("hex"),
    attributes: {
      "gen_ai.conversation.id": id,
      "gen_ai.input.messages": JSON.stringify([said("user", ask)]),
      "gen_ai.output.messages": JSON.stringify([said("assistant", answer)]),
    },
  });
  return ingest(ctx, [span]);
}

const matchOf = async (ctx: Ctx, q: string) => {
  const { conversations } = await listConversations(ctx, { q });
  return Object.fromEntries(conversations.map(({ externalId, match }) => [`${externalId}`, match] as const));
};

test("a search returns its longest word as written in the message, with the text around it", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  await talk(ctx, "first", "Where is it?", `${"x".repeat(60)} It is in the\n  Warehouse of Köln, at 50 % off.`);
  await talk(ctx, "second", "The WAREHOUSE lost it", "Sorry.");
  await talk(other.ctx, "third", "A warehouse of somebody else", "No.");
  expect(await matchOf(ctx, "the warehouse")).toEqual({
    first: {
      messageIndex: 1,
      before: `${"x".repeat(24)} It is in the `,
      found: "Warehouse",
      after: " of Köln, at 50 % off.",
    },
    second: { messageIndex: 0, before: "The ", found: "WAREHOUSE", after: " lost it" },
  });
  expect((await matchOf(ctx, "köln")).first).toMatchObject({ found: "Köln" });
  // Found by its id, and by characters that are wildcards elsewhere.
  expect(await matchOf(ctx, "second")).toEqual({ second: null });
  expect(await matchOf(ctx, "50 % off")).toMatchObject({ first: { found: "off" } });
  expect((await listConversations(ctx, {})).conversations.map(({ match }) => match)).toEqual([null, null]);
});

test.each([
  ["%", ["c"], "%"],
  ["_", ["a"], "_"],
  ["\\", ["e"], "\\"],
  ["(", ["f"], "("],
  ["🧪", ["j"], "🧪"],
  ["5_000", ["a"], "000"],
  ["100%", ["c"], "100"],
  ["++", ["g"], "++"],
  ["%%", [], undefined],
])("%s finds what holds it and nothing else", async (q, sessions, found) => {
  const { ctx } = await testProject();
  await storeTraces(ctx, decodeTraces(reportedBody("symbols"), "json"));
  while ((await projectPending(ctx.db)) > 0);
  const matches = await matchOf(ctx, q);
  expect(Object.keys(matches)).toEqual(sessions.map((session) => `search-${session}`));
  for (const match of Object.values(matches)) expect(match?.found).toBe(found);
});
