import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { getFinding, listFindings } from "../..";
import { fingerprint } from "../../rules";
import { failingToolCall, storedConversation } from "../../testing";
import { placeCausesAgain } from "./place-causes-again";

type Former = { id: string; ruleId: string; signal: string; cause: string; title: string; review?: string };

/** Stores a Finding with one occurrence as the last release left it after its migration. */
async function former(ctx: Ctx, { id, ruleId, signal, cause, title, review = "unreviewed" }: Former) {
  const { id: conversationId } = await storedConversation(ctx, failingToolCall("get", "Error: gone"));
  const causeId = fingerprint(ruleId, signal, cause);
  await ctx.db.execute(sql`
    insert into findings (project_id, id, rule_id, signal, title, summary, severity, detected_severity, diagnostic_score,
      diagnostic_score_parts, review_status, occurrence_count, first_detected_at, last_detected_at, updated_at)
    values (${ctx.projectId}, ${id}, ${ruleId}, ${signal}, ${title}, '', 'high', 'high', 0,
      '{"severity":0,"confidence":0,"spread":0}', ${review}, 1, 1000, 1000, 1000)`);
  await ctx.db.execute(sql`
    insert into finding_causes (project_id, id, finding_id, rule_id, signal, cause, occurrence_count)
    values (${ctx.projectId}, ${causeId}, ${id}, ${ruleId}, ${signal}, ${cause}, 1)`);
  await ctx.db.execute(sql`
    insert into occurrences (project_id, id, finding_id, conversation_id, score, confidence, severity, title, summary,
      evidence, cause_ids, detected_at, updated_at)
    values (${ctx.projectId}, ${`occ_${id}`}, ${id}, ${conversationId}, 1, 1, 'high', ${title}, '', '[]',
      ${sql.param([causeId])}::text[], 1000, 1000)`);
}

const asked = (id: string, words: string, review?: string): Former => ({
  ...{ id, ruleId: "user-dissatisfaction", signal: "rephrased_request", cause: `asks again: ${words}` },
  ...{ title: `The user has to ask again: “${words} and so on and so…”`, ...(review && { review }) },
});
const failed = (id: string, signal: string, cause: string, ruleId = "tool-failure"): Former => ({
  ...{ id, ruleId, signal, cause, title: `\`book\` fails: “…”` },
});

const conversationsOf = async (ctx: Ctx) => {
  const rows = await ctx.db.execute<{ conversation_id: string }>(
    sql`select conversation_id from occurrences where project_id = ${ctx.projectId} order by 1`,
  );
  return [...rows].map((row) => row.conversation_id);
};
const pending = async (ctx: Ctx) => {
  const [row] = await ctx.db.execute<{ n: number }>(
    sql`select count(*)::int as n from finding_causes where project_id = ${ctx.projectId} and keys is null`,
  );
  return row!.n;
};

test("Findings of the last release that are one cause now are merged, by a job that may be interrupted", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  for (let n = 0; n < 60; n++) await former(ctx, asked(`fnd_${String(n).padStart(2, "0")}`, `word${n} other${n}`));
  await former(other, asked("fnd_other", "word1 other1"));
  const before = await conversationsOf(ctx);

  // Other tests' projects have causes to place too, so one transaction may be for them.
  while ((await pending(ctx)) > 10) await placeCausesAgain(ctx.db, { transactions: 1 });
  expect(await pending(ctx)).toBe(10);
  while ((await placeCausesAgain(ctx.db)).left);

  const { findings } = await listFindings(ctx, {});
  expect(findings).toMatchObject([
    { title: "The user has to ask again", occurrenceCount: 60, signal: "rephrased_request" },
  ]);
  expect(await conversationsOf(ctx)).toEqual(before);
  const merged = await getFinding(ctx, { findingId: findings[0]!.id === "fnd_07" ? "fnd_08" : "fnd_07" });
  expect(merged.finding.mergedIntoId).toBe(findings[0]!.id);
  expect((await listFindings(other, {})).findings).toMatchObject([{ id: "fnd_other", occurrenceCount: 1 }]);
});

test("what people decided about a Finding of the last release stays", async () => {
  const { ctx } = await testProject();
  await former(ctx, asked("fnd_a", "invoice missing"));
  await former(ctx, asked("fnd_b", "parcel lost", "dismissed"));
  await former(ctx, asked("fnd_c", "refund late", "confirmed"));
  while ((await placeCausesAgain(ctx.db)).left);
  const { findings } = await listFindings(ctx, {});
  expect(findings.map(({ id, reviewStatus }) => [id, reviewStatus]).sort()).toEqual([
    ["fnd_b", "dismissed"],
    ["fnd_c", "confirmed"],
  ]);
  expect(findings.reduce((sum, { occurrenceCount }) => sum + occurrenceCount, 0)).toBe(3);
});

test("Findings of the last release that differ in the user's language become one", async () => {
  const { ctx } = await testProject();
  const wrongLanguage = (id: string, cause: string) =>
    former(ctx, { id, ruleId: "broken-response", signal: "language_mismatch", cause, title: "Wrong language" });
  await wrongLanguage("fnd_a", "spoke german, answered in english");
  await wrongLanguage("fnd_b", "asked for spanish or french, answered in english");
  await wrongLanguage("fnd_c", "spoke english, answered in german");
  while ((await placeCausesAgain(ctx.db)).left);
  const { findings } = await listFindings(ctx, {});
  expect(findings.map(({ occurrenceCount }) => occurrenceCount).sort()).toEqual([1, 2]);
});

test("Findings of tools that miss the same become one, and what people decided about them stays", async () => {
  const { ctx } = await testProject();
  await former(ctx, failed("fnd_a", "tool_error", "book: error: payment method <id> not found"));
  await former(ctx, failed("fnd_b", "tool_error", "add_bags: error: payment method not found"));
  await former(ctx, {
    ...failed("fnd_c", "repeated_tool_call", "pay: no such payment method", "agent-loop"),
    review: "confirmed",
  });
  await former(ctx, failed("fnd_d", "tool_error", "book: error: seat <n> is taken"));
  const before = await conversationsOf(ctx);
  while ((await placeCausesAgain(ctx.db)).left);
  const { findings } = await listFindings(ctx, {});
  expect(findings.map(({ id, reviewStatus, occurrenceCount }) => [id, reviewStatus, occurrenceCount]).sort()).toEqual([
    ["fnd_c", "confirmed", 3],
    ["fnd_d", "unreviewed", 1],
  ]);
  expect((await getFinding(ctx, { findingId: "fnd_a" })).finding.mergedIntoId).toBe("fnd_c");
  expect(await conversationsOf(ctx)).toEqual(before);
});

test("one failure that the last release told in three Findings becomes one", async () => {
  const { ctx } = await testProject();
  await former(ctx, failed("fnd_a", "tool_error", "book: error: seat <n> is taken"));
  await former(ctx, failed("fnd_b", "repeated_tool_call", "book: error: seat <n> is taken", "agent-loop"));
  await former(
    ctx,
    failed("fnd_c", "unresolved_request", "book: error last: error: seat <n> is taken", "task-failure"),
  );
  while ((await placeCausesAgain(ctx.db)).left);
  expect((await listFindings(ctx, {})).findings).toMatchObject([{ occurrenceCount: 3 }]);
});
