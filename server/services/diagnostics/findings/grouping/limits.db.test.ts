import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { fingerprint } from "../../rules";
import { failingToolCall, storedConversation } from "../../testing";
import { lockFindings, recordOccurrences } from "../record-occurrences";
import { placeCauses } from "./place-causes";

const RULE = "tool-failure";
const reported = (cause: string) => ({
  id: fingerprint(RULE, "tool_error", cause),
  ruleId: RULE,
  signal: "tool_error",
  cause,
  origin: "automatic" as const,
  first: { severity: "high" as const, title: cause, summary: cause, detectedAt: 1000 },
});

/** A word that no other number has. */
const word = (n: number) => `w${[...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("")}x`;
const windowOf = (from: number, length: number) => Array.from({ length }, (_, at) => word(from + at)).join(" ");

const place = (ctx: Ctx, causes: readonly string[]) =>
  inTransaction(ctx, async (tx) => {
    await lockFindings(tx, [RULE]);
    const counted = countingRows(tx);
    await placeCauses(counted.ctx, causes.map(reported));
    return counted.work;
  });

/**
 * Returns a context that counts the statements it executes, and the rows that they return. How many rows the database reads for
 * them depends on its statistics, and on other tests' rows.
 */
function countingRows(ctx: Ctx) {
  const work = { statements: 0, rows: 0 };
  const db = new Proxy(ctx.db, {
    get(target, name) {
      const own = Reflect.get(target, name, target);
      if (name !== "execute") return typeof own === "function" ? own.bind(target) : own;
      return async (...args: Parameters<Ctx["db"]["execute"]>) => {
        const rows = await target.execute(...args);
        work.statements++;
        work.rows += rows.length;
        return rows;
      };
    },
  });
  return { ctx: { ...ctx, db }, work };
}

/** Joins Findings of 20 occurrences each in one transaction, and returns the work of that. */
async function workToJoin(findings: number) {
  const { ctx } = await testProject();
  // Neighbours share five of nine words, and the causes between them six of eight with both.
  const causes = Array.from({ length: findings }, (_, n) => `get: ${windowOf(n * 2, 7)}`);
  const between = Array.from({ length: findings - 1 }, (_, n) => `get: ${windowOf(n * 2 + 1, 7)}`);
  await place(ctx, causes);
  const conversations = await Promise.all(
    Array.from({ length: 20 }, () => storedConversation(ctx, failingToolCall("get", "Error: gone"))),
  );
  await ctx.db.execute(sql`
    insert into occurrences (project_id, id, finding_id, conversation_id, score, confidence, severity, title, summary,
      evidence, cause_ids, detected_at, updated_at)
    select c.project_id, c.id || k.id, c.finding_id, k.id, 1, 1, 'high', 't', 's', '[]', array[c.id], 1000, 1000
    from finding_causes c join conversations k on k.project_id = c.project_id
    where c.project_id = ${ctx.projectId}`);
  await ctx.db.execute(sql`analyze occurrences, finding_causes, findings`);
  const work = await place(ctx, between);
  const [left] = await ctx.db.execute<{ findings: number; occurrences: number }>(sql`
    select count(distinct finding_id)::int as findings, count(*)::int as occurrences from occurrences
    where project_id = ${ctx.projectId}`);
  expect(left).toEqual({ findings: 1, occurrences: conversations.length });
  return work;
}

test("joining four times as many Findings in one transaction takes four times the work, and loses no conversation", async () => {
  const few = await workToJoin(7);
  const many = await workToJoin(28);
  expect(many.statements / few.statements).toBeLessThan(4);
  expect(many.rows / few.rows).toBeLessThan(4);
});

test("thousands of unlike causes of one tool are as many Findings as a person reads, and one that gathers the rest", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const causes = Array.from({ length: 3000 }, (_, n) => `get: ${windowOf(n * 5, 5)}`);
  const works: { statements: number; rows: number }[] = [];
  for (let from = 0; from < causes.length; from += 500) works.push(await place(ctx, causes.slice(from, from + 500)));
  await place(other, causes.slice(0, 1));
  const [counted] = await ctx.db.execute(sql`
    select (select count(*)::int from findings where project_id = ${ctx.projectId}) as findings,
      (select title from findings where project_id = ${ctx.projectId} and gathers_rest) as rest,
      (select count(*)::int from finding_causes where project_id = ${ctx.projectId}) as causes`);
  expect(counted).toEqual({ findings: 31, rest: "`get` fails in many more ways", causes: 3000 });
  // Placing 500 causes takes the same beside 2,500 stored ones as beside 500.
  expect(works.at(-1)).toEqual(works[1]);
});

test("a conversation with a cause that is known joins the Finding that gathers the rest", async () => {
  const { ctx } = await testProject();
  const causes = Array.from({ length: 40 }, (_, n) => `get: ${windowOf(n * 5, 5)}`);
  await place(ctx, causes);
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get", "Error: gone"));
  await inTransaction(ctx, async (tx) => {
    await lockFindings(tx, [RULE]);
    await recordOccurrences(tx, [
      {
        run: { id: "run_1", ruleId: RULE, ruleVersion: 1, configurationRevision: 1, traceIds: [], origin: "automatic" },
        conversation: { id, lastActivityAt },
        occurrences: [39, 38].map((n) => ({
          ...{ signal: "tool_error", severity: "high", score: 1, confidence: 0.9, verdict: "match" },
          ...{ evidence: [], cause: causes.toSorted((a, b) => (reported(a).id < reported(b).id ? -1 : 1))[n]! },
          ...{ title: "`get` fails: gone", summary: "It is gone." },
        })) as never,
      },
    ]);
  });
  const rows = await ctx.db.execute(sql`
    select title, occurrence_count from findings where project_id = ${ctx.projectId} and occurrence_count > 0`);
  expect([...rows]).toEqual([{ title: "`get` fails in many more ways", occurrence_count: 1 }]);
});
