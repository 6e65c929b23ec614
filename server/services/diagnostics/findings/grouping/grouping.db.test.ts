import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { createRuleRuns, executeRuleRuns, listFindings, updateFinding } from "../..";
import { failingToolCall, storedConversation } from "../../testing";
import { forgetConversations } from "../forget-conversations";

async function runOn(ctx: Ctx, conversations: readonly { id: string; lastActivityAt: number }[]) {
  for (const { id, lastActivityAt } of conversations) {
    const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
    await executeRuleRuns(
      ctx,
      runs.map((run) => run.id),
    );
  }
}

/** The content of a project's Findings, without their own ids. */
const groups = async (ctx: Ctx) =>
  [
    ...(await ctx.db.execute(sql`
      select f.signal, f.title, f.summary, f.severity, f.occurrence_count, f.user_count, f.first_detected_at, f.last_detected_at,
        (select array_agg(c.external_id order by c.external_id) from occurrences o
         join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
         where o.project_id = f.project_id and o.finding_id = f.id) as conversations,
        (select array_agg(cause || ' ' || occurrence_count order by cause) from finding_causes c
         where c.project_id = f.project_id and c.finding_id = f.id) as causes,
        (select array_agg(day || ' ' || conversations order by day) from finding_days d
         where d.project_id = f.project_id and d.finding_id = f.id) as days
      from findings f where f.project_id = ${ctx.projectId} and f.merged_into_id is null`)),
  ].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const START = Date.UTC(2026, 1, 2);
const store = (ctx: Ctx, errors: readonly (readonly [tool: string, error: string])[]) =>
  Promise.all(
    errors.map(([tool, error], n) =>
      storedConversation(ctx, failingToolCall(tool, error), {
        externalId: `session-${n}`,
        userId: `user-${n % 5}`,
        startedAt: START + n * 7_000_000,
      }),
    ),
  );

/** Errors whose similarities form chains, so that groups depend on every link. */
const WORDS = "index shard replica timeout quota lease cursor mapping segment merge commit flush".split(" ");
const ERRORS = Array.from({ length: 36 }, (_, n) => {
  const some = WORDS.filter((_word, index) => (n * n * 13 + index * index * 7 + n * index * 5) % 11 < 7);
  return [n % 4 === 0 ? "search" : "store", `Error: ${some.join(" ")} could not be written`] as const;
});

const shuffled = <T>(items: readonly T[], seed: number): T[] =>
  [...items]
    .map((item, n) => [((n + 1) * (seed * 7919 + 104_729)) % 1009, item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);

test("conversations in any order, or read twice, give the same Findings", async () => {
  const expected = await (async () => {
    const { ctx } = await testProject();
    await runOn(ctx, await store(ctx, ERRORS));
    return groups(ctx);
  })();
  expect(expected.length).toBeGreaterThan(4);
  expect(expected.length).toBeLessThan(ERRORS.length);
  for (const seed of [1, 2, 3].slice(0, amount(1, 3))) {
    const { ctx } = await testProject();
    const conversations = shuffled(await store(ctx, ERRORS), seed);
    await runOn(ctx, conversations);
    expect(await groups(ctx)).toEqual(expected);
    await ctx.db.execute(
      sql`update rule_runs set status = 'failed', error_message = 'x' where project_id = ${ctx.projectId}`,
    );
    await runOn(ctx, [...conversations].reverse());
    expect(await groups(ctx)).toEqual(expected);
  }
});

test("all conversations in one batch give the same Findings as one at a time", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  await runOn(ctx, await store(ctx, ERRORS));
  const runIds: string[] = [];
  for (const { id, lastActivityAt } of await store(other, ERRORS)) {
    const { runs } = await createRuleRuns(other, { conversationId: id, lastActivityAt });
    runIds.push(...runs.map((run) => run.id));
  }
  await executeRuleRuns(other, runIds);
  expect(await groups(other)).toEqual(await groups(ctx));
});

const [LEFT, RIGHT, BRIDGE] = [
  "Error: alpha bravo charlie delta echo foxtrot golf",
  "Error: charlie delta echo foxtrot golf hotel india",
  "Error: bravo charlie delta echo foxtrot golf hotel",
];

const toolErrors = async (ctx: Ctx) =>
  (await listFindings(ctx, { ruleId: "tool-failure" })).findings.filter(({ signal }) => signal === "tool_error");
const events = (ctx: Ctx, findingId: string) =>
  ctx.db.execute(sql`
    select kind, origin, detail from finding_events
    where project_id = ${ctx.projectId} and finding_id = ${findingId} order by at, id`);

test("a cause that bridges two Findings merges them into the reviewed one, with history", async () => {
  const { ctx } = await testProject();
  const [left, right, bridge] = await store(ctx, [
    ["get", LEFT],
    ["get", RIGHT],
    ["get", BRIDGE],
  ]);
  await runOn(ctx, [left!, right!]);
  const before = await toolErrors(ctx);
  expect(before.map(({ occurrenceCount }) => occurrenceCount)).toEqual([1, 1]);
  const [newer, older] = before;
  await updateFinding(ctx, { findingId: newer!.id, reviewStatus: "confirmed" });

  await runOn(ctx, [bridge!]);
  const after = await toolErrors(ctx);
  expect(after).toMatchObject([{ id: newer!.id, occurrenceCount: 3, reviewStatus: "confirmed" }]);
  expect((await events(ctx, newer!.id)).map(({ kind }) => kind)).toContain("merged");
  expect((await events(ctx, older!.id)).at(-1)).toMatchObject({
    kind: "merged",
    origin: "automatic",
    detail: { into: newer!.id },
  });
});

test("Findings with different reviews are not merged, and a bridging cause joins one of them", async () => {
  const { ctx } = await testProject();
  const [left, right, bridge] = await store(ctx, [
    ["get", LEFT],
    ["get", RIGHT],
    ["get", BRIDGE],
  ]);
  await runOn(ctx, [left!, right!]);
  const [one, two] = await toolErrors(ctx);
  await updateFinding(ctx, { findingId: one!.id, reviewStatus: "confirmed" });
  await updateFinding(ctx, { findingId: two!.id, reviewStatus: "dismissed" });
  await runOn(ctx, [bridge!]);
  const after = await toolErrors(ctx);
  expect(after.map(({ occurrenceCount }) => occurrenceCount).sort()).toEqual([1, 2]);
});

test("a result without a tool's name joins the Finding of its call, by id or by position", async () => {
  const { ctx } = await testProject();
  const call = { id: "call_1", name: "get_order", arguments: '{"order_id":"4821"}' };
  const said = (toolCallId: string | null, id: string | null) => [
    { role: "user", text: "Where is my order?" },
    { role: "assistant", text: "", toolCalls: [{ ...call, id }] },
    { role: "tool", text: "Error: order 4821 not found", toolCallId },
    { role: "assistant", text: "I could not look that up, sorry." },
  ];
  const conversations = [
    await storedConversation(ctx, failingToolCall("get_order", "Error: order 17 not found")),
    await storedConversation(ctx, said("call_1", "call_1")),
    await storedConversation(ctx, said(null, "call_1")),
    await storedConversation(ctx, said(null, null)),
  ];
  await runOn(ctx, conversations);
  expect(await toolErrors(ctx)).toMatchObject([{ occurrenceCount: 4 }]);
});

test("causes of different projects are not grouped", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  await runOn(other, await store(other, [["get", LEFT]]));
  await runOn(ctx, await store(ctx, [["get", BRIDGE]]));
  expect(await toolErrors(ctx)).toMatchObject([{ occurrenceCount: 1 }]);
  expect(await toolErrors(other)).toMatchObject([{ occurrenceCount: 1 }]);
});

test("a cause whose conversations are deleted is removed, and the remaining cause describes the Finding", async () => {
  const { ctx } = await testProject();
  const stored = await store(ctx, [
    ["get", LEFT],
    ["get", BRIDGE],
  ]);
  await runOn(ctx, stored);
  expect((await toolErrors(ctx))[0]!.title).toContain("alpha");
  await inTransaction(ctx, (tx) => forgetConversations(tx, [stored[0]!.id], async () => {}));
  expect((await toolErrors(ctx))[0]!.title).toContain("hotel");
  const causes = await ctx.db.execute(
    sql`select cause, occurrence_count from finding_causes where project_id = ${ctx.projectId} and signal = 'tool_error'`,
  );
  expect([...causes]).toEqual([{ cause: expect.stringContaining("hotel"), occurrence_count: 1 }]);
  expect((await groups(ctx)).find(({ signal }) => signal === "tool_error")!.days).toEqual([
    `${Math.floor((START + DAY_MS / 12.34) / DAY_MS) * DAY_MS} 1`,
  ]);
});
