import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { generateLabelled, snapshotFromLabelled } from "@/bench/labelled";
import { generateVaried } from "@/bench/labelled/generate-varied";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createRuleRuns, executeRuleRuns, listFindings, updateFinding, updateRule } from "../..";
import { DEFAULT_CONFIGURATION, RULES, runDetectors } from "../../rules";
import { storedConversation } from "../../testing";

type Said = Parameters<typeof storedConversation>[1];

async function runOn(ctx: Ctx, { id, lastActivityAt }: { id: string; lastActivityAt: number }) {
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
}

/** The Signals of each Finding's causes, and the titles. */
const findingsOf = async (ctx: Ctx) => {
  const rows = await ctx.db.execute<{ title: string; signal: string; signals: string[]; occurrences: number }>(sql`
    select f.title, f.signal, f.occurrence_count as occurrences, array(
      select distinct c.signal from occurrences o cross join unnest(o.cause_ids) as cause(id)
      join finding_causes c on c.project_id = o.project_id and c.id = cause.id
      where o.project_id = f.project_id and o.finding_id = f.id order by 1) as signals
    from findings f where f.project_id = ${ctx.projectId} and f.merged_into_id is null order by f.title`);
  return [...rows];
};

const call = (id: string, name: string, error: string): Said => [
  { role: "assistant", text: "", toolCalls: [{ id, name, arguments: `{"id":"${id}"}` }] },
  { role: "tool", text: error, toolCallId: id },
];
const failingAgain: Said = [
  { role: "user", text: "Where is my order?" },
  ...["a1", "b2", "c3", "d4"].flatMap((id) => call(id, "get_order", "Error: the order could not be found")),
];

test("a tool's failure, its repetition and a conversation that ends on it are one Finding, named by the failure", async () => {
  const { ctx } = await testProject();
  await runOn(ctx, await storedConversation(ctx, failingAgain));
  expect(await findingsOf(ctx)).toEqual([
    {
      title: "`get_order` fails: the order could not be found",
      signal: "tool_error",
      signals: ["repeated_tool_call", "tool_error", "unresolved_request"],
      occurrences: 1,
    },
  ]);
});

test("a Rule that finds nothing any more takes back its own part of an occurrence only", async () => {
  const { ctx } = await testProject();
  const conversation = await storedConversation(ctx, failingAgain);
  await runOn(ctx, conversation);
  await updateRule(ctx, {
    ruleId: "agent-loop",
    configuration: { signalOverrides: { repeated_tool_call: { enabled: false } } },
  });
  await runOn(ctx, conversation);
  expect(await findingsOf(ctx)).toMatchObject([{ signals: ["tool_error", "unresolved_request"], occurrences: 1 }]);
});

test("arguments that a tool refuses are one Finding for each tool, however the tool says it", async () => {
  const { ctx } = await testProject();
  const errors = [
    "Error: missing required field date",
    "Error: unexpected argument 'day'",
    "ValidationError: bad input",
  ];
  for (const error of errors) {
    await runOn(ctx, await storedConversation(ctx, [{ role: "user", text: "Book it." }, ...call("a1", "book", error)]));
  }
  expect(await findingsOf(ctx)).toMatchObject([
    { title: "`book` refuses the arguments that it is called with", occurrences: 3 },
  ]);
});

test("tools that miss the same thing are one Finding, and its title says so", async () => {
  const { ctx } = await testProject();
  const failing = async (tool: string, error: string) =>
    runOn(ctx, await storedConversation(ctx, [{ role: "user", text: "Who is it?" }, ...call("a1", tool, error)]));
  await failing("find_user_by_email", "Error: User not found");
  await failing("find_user_by_email", "Error: Invalid region");
  expect(await findingsOf(ctx)).toMatchObject([
    { title: "`find_user_by_email` fails: invalid region" },
    { title: "`find_user_by_email` fails: user not found", occurrences: 1 },
  ]);
  await failing("get_user", "No such user: mia_3668");
  await failing("close_order", "Error: Order not found");
  expect(await findingsOf(ctx)).toMatchObject([
    { title: "Several tools fail: user not found", occurrences: 2 },
    { title: "`close_order` fails: order not found" },
    { title: "`find_user_by_email` fails: invalid region" },
  ]);
});

test("an assistant that gives the same answer to the same failure is evidence of the failure", async () => {
  const { ctx } = await testProject();
  const said = "The booking did not work. Let us make sure that all details are right and try once more with these.";
  const turn = (id: string): Said => [
    { role: "user", text: `Yes, please book it ${id}` },
    ...call(id, "book", "Error: Payment method certificate_1 not found"),
    { role: "assistant", text: said },
  ];
  const greeting: Said = [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "Hello, what can I do for you?" },
  ];
  await runOn(ctx, await storedConversation(ctx, [...greeting, ...["a1", "b2", "c3"].flatMap(turn)]));
  expect(await findingsOf(ctx)).toMatchObject([
    { title: "`book` fails: payment method … not found", signals: ["repeated_message", "tool_error"], occurrences: 1 },
  ]);
});

const askedAgain = (subject: string): Said => [
  { role: "user", text: `Please send me the ${subject} of my last purchase` },
  { role: "assistant", text: "Sorry, I could not find that." },
  { role: "user", text: `As I said, send me the ${subject} of my last purchase` },
  { role: "assistant", text: "One moment, it is on its way to you." },
];

test("what a review dismissed stays dismissed when another user says it in other words", async () => {
  const { ctx } = await testProject();
  await runOn(ctx, await storedConversation(ctx, askedAgain("blue printed invoice")));
  const [first] = (await listFindings(ctx, { signal: "rephrased_request" })).findings;
  await updateFinding(ctx, { findingId: first!.id, reviewStatus: "dismissed" });
  await runOn(ctx, await storedConversation(ctx, askedAgain("tracking number and carrier")));
  expect((await listFindings(ctx, { signal: "rephrased_request" })).findings).toMatchObject([
    { id: first!.id, reviewStatus: "dismissed", occurrenceCount: 2 },
  ]);
});

test("a tool's error that a review dismissed stays dismissed when the tool words it otherwise", async () => {
  const { ctx } = await testProject();
  const failing = (error: string) =>
    storedConversation(ctx, [{ role: "user", text: "Book it." }, ...call("a1", "book", error)]);
  await runOn(ctx, await failing("Error: payment method card_77 not found"));
  const [first] = (await listFindings(ctx, {})).findings;
  await updateFinding(ctx, { findingId: first!.id, reviewStatus: "dismissed" });
  await runOn(ctx, await failing("Error: no such payment method: card_81"));
  await runOn(ctx, await failing("The payment method could not be found"));
  expect((await listFindings(ctx, {})).findings).toMatchObject([
    { id: first!.id, reviewStatus: "dismissed", occurrenceCount: 3 },
  ]);
});

test("grouping loses no occurrence: each Signal of each conversation is in a Finding", async () => {
  const { ctx } = await testProject();
  const labelled = [...generateLabelled(1), ...generateVaried(20)];
  const expected = new Set<string>();
  for (const one of labelled) {
    const snapshot = snapshotFromLabelled(one);
    for (const rule of RULES) {
      for (const { signal } of runDetectors(rule, snapshot, DEFAULT_CONFIGURATION).occurrences) {
        expected.add(`${one.id} ${signal}`);
      }
    }
    const said = snapshot.messages.map((message) => ({ ...message, spanId: null }));
    await runOn(ctx, await storedConversation(ctx, said, { externalId: one.id }));
  }
  const stored = await ctx.db.execute<{ pair: string }>(sql`
    select distinct k.external_id || ' ' || c.signal as pair
    from occurrences o cross join unnest(o.cause_ids) as cause(id)
    join finding_causes c on c.project_id = o.project_id and c.id = cause.id and c.finding_id = o.finding_id
    join conversations k on k.project_id = o.project_id and k.id = o.conversation_id
    where o.project_id = ${ctx.projectId}`);
  expect(expected.size).toBeGreaterThan(30);
  expect([...stored].map(({ pair }) => pair).sort()).toEqual([...expected].sort());
});
