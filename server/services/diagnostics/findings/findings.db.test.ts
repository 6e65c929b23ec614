import { and, eq, inArray, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversations, jobEvents } from "@/db/schema";
import { asOwner } from "@/db/testing/as-owner";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import {
  conversationFacets,
  conversationHistogram,
  countConversations,
  listConversations,
} from "@/server/services/telemetry";
import {
  createRuleRuns,
  downloadFindings,
  executeRuleRuns,
  failRuleRuns,
  getFinding,
  getRuleRun,
  listFindings,
  listOccurrences,
  listRuleRuns,
  recountDueFindings,
  scheduleInactiveConversations,
  updateDiagnosticSettings,
  updateFinding,
} from "..";
import { RULES } from "../rules";
import { failingToolCall, storedConversation } from "../testing";
import { forgetConversations } from "./forget-conversations";

const NOT_FOUND = "Error: order 4821 not found";

async function diagnosed(ctx: Ctx, options: Parameters<typeof storedConversation>[2] = {}, error = NOT_FOUND) {
  const conversation = await storedConversation(ctx, failingToolCall("get_order", error), options);
  const { runs } = await createRuleRuns(ctx, {
    conversationId: conversation.id,
    lastActivityAt: conversation.lastActivityAt,
  });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  return { conversation, runs };
}
const toolErrors = async (ctx: Ctx) =>
  (await listFindings(ctx, { ruleId: "tool-failure" })).findings.filter((finding) => finding.signal === "tool_error");

test("a failing tool becomes a Finding whose title has the tool and the reason", async () => {
  const { ctx } = await testProject();
  const { conversation } = await diagnosed(ctx);

  const [found] = await toolErrors(ctx);
  expect(found).toMatchObject({ reviewStatus: "unreviewed", resolutionStatus: null, occurrenceCount: 1 });
  expect(found!.title).toContain("get_order");
  const { finding } = await getFinding(ctx, { findingId: found!.id });
  expect(finding.latestOccurrence).toMatchObject({ conversationId: conversation.id });
  expect(finding.latestOccurrence!.evidence[0]).toMatchObject({ messageIndex: 2 });
  expect(finding.share).toEqual({ affected: 1, conversations: 1, since: found!.firstDetectedAt });
});

test("Rule Runs are listed by whether they found something, and none of another project is", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  const { runs } = await diagnosed(ctx);
  await diagnosed(other);
  const listed = async (outcome: "found" | "nothing") => {
    const { runs: found } = await listRuleRuns(ctx, { outcome });
    return found.map(({ id, resultCount }) => ({ id, found: resultCount! > 0 }));
  };
  const [found, nothing] = [await listed("found"), await listed("nothing")];
  expect(found).not.toEqual([]);
  expect(found.every((run) => run.found)).toBe(true);
  expect(nothing.some((run) => run.found)).toBe(false);
  const completed = (await listRuleRuns(ctx, { status: "completed" })).runs.map(({ id }) => id);
  expect([...found, ...nothing].map(({ id }) => id).sort()).toEqual(completed.sort());
  expect(runs.map(({ id }) => id)).toEqual(expect.arrayContaining(completed));
});

test("the same cause in several conversations is one Finding with an occurrence each", async () => {
  const { ctx } = await testProject();
  await diagnosed(ctx, { userId: "ann" });
  await diagnosed(ctx, { userId: "ann" }, "Error: order 9917 not found");
  await diagnosed(ctx, { userId: "bob" }, "Error: order 5 not found");

  const found = await toolErrors(ctx);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ occurrenceCount: 3, userCount: 2 });
  expect((await listOccurrences(ctx, { findingId: found[0]!.id })).occurrences).toHaveLength(3);
});

test("conversations are listed, counted and put in facets by the Finding that occurred in them", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const { conversation } = await diagnosed(ctx);
  await diagnosed(ctx, {}, "Error: seat 14 is taken by another passenger");
  await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  const findingId = (await toolErrors(ctx)).find(({ title }) => title.includes("not found"))!.id;

  const { conversations: listed } = await listConversations(ctx, { findingId });
  expect(listed.map(({ id }) => id)).toEqual([conversation.id]);
  expect(await countConversations(ctx, { findingId })).toEqual({ count: 1, more: false });
  expect((await listConversations(ctx, { findingId, sort: "cost" })).conversations).toHaveLength(1);
  expect((await conversationFacets(ctx, { findingId })).facets).toMatchObject({ total: 1, withFindings: 1 });
  expect((await conversationHistogram(ctx, { findingId })).buckets.map(({ count }) => count)).toEqual([1]);
  expect((await listConversations(other, { findingId })).conversations).toEqual([]);
});

test("a Finding has the cost of its conversations and the number of calls that it excludes", async () => {
  const { ctx } = await testProject();
  const { conversation } = await diagnosed(ctx, {});
  const costs = async () => {
    const [found] = await toolErrors(ctx);
    const { finding } = await getFinding(ctx, { findingId: found!.id });
    expect(finding).toMatchObject(found!);
    return [finding.affectedCost, finding.costComplete, finding.unpricedCallCount];
  };
  const costing = ({ id }: { id: string }, cost: string | null, unpricedCallCount: number) =>
    ctx.db.update(conversations).set({ cost, unpricedCallCount }).where(eq(conversations.id, id));
  expect(await costs()).toEqual([null, true, 0]);
  await costing(conversation, "0.1", 0);
  const second = await diagnosed(ctx, {}, "Error: order 9917 not found");
  await costing(second.conversation, "0.2", 0);
  const third = await diagnosed(ctx, {}, "Error: order 5 not found");
  expect(await costs()).toEqual([0.3, true, 0]);

  await costing(second.conversation, "0.2", 2);
  await costing(third.conversation, null, 3);
  const fourth = await diagnosed(ctx, {}, "Error: order 7 not found");
  expect(await costs()).toEqual([0.3, false, 5]);
  await inTransaction(ctx, (tx) => forgetConversations(tx, [third.conversation.id], async () => {}));
  expect(await costs()).toEqual([0.3, false, 2]);
  await inTransaction(ctx, (tx) => forgetConversations(tx, [conversation.id, second.conversation.id], async () => {}));
  expect(await costs()).toEqual([null, true, 0]);
  expect(fourth.runs.length).toBeGreaterThan(0);
});

test("with very many conversations the share covers only the newest, and partly counted days have no total", async () => {
  const { ctx } = await testProject();
  const day = 86_400_000;
  const monday = Date.UTC(2026, 1, 2);
  await diagnosed(ctx, { startedAt: monday });
  await diagnosed(ctx, { startedAt: monday + 2 * day }, "Error: order 5 not found");
  await ctx.db.execute(sql`
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at, diagnosed_received_at)
    select ${ctx.projectId}::text, 'many_' || n, 'many_' || n, t.at, t.at, t.at, t.at
    from generate_series(1, 60000) n cross join lateral (select ${monday + 60_000}::bigint + n * 4000::bigint as at) t`);
  const [found] = await toolErrors(ctx);
  const { share, days } = (await getFinding(ctx, { findingId: found!.id })).finding;
  expect(share).toMatchObject({ affected: 1, conversations: 50_000 });
  expect(share.since).toBeGreaterThan(found!.firstDetectedAt);
  expect(days).toEqual([
    { day: monday, occurrences: 1, conversations: null },
    { day: monday + 2 * day, occurrences: 1, conversations: expect.any(Number) },
  ]);
  const [whole] = await ctx.db.execute(sql`
    select count(*)::int as count from conversations
    where project_id = ${ctx.projectId} and last_activity_at / ${day} = ${(monday + 2 * day) / day}`);
  expect(days[1]!.conversations).toBe(whole!.count);
});

const MANY = 250;

/** Stores a Finding with `MANY` + 1 occurrences, of seven users, the first of them at Unix ms 1. */
async function largeFinding(project: Ctx) {
  await diagnosed(project);
  await project.db.execute(sql`
    with made as (
      insert into conversations (project_id, id, key, user_id, started_at, last_activity_at, received_at)
      select ${project.projectId}::text, 'many_' || n, 'many_' || n, 'user-' || n % 7, n, n, n from generate_series(1, ${MANY - 1}::int) n
      returning id, last_activity_at
    )
    insert into occurrences (project_id, id, finding_id, conversation_id, score, confidence, severity, title, summary, evidence, cause_ids, detected_at, updated_at)
    select o.project_id, o.id || made.id, o.finding_id, made.id, o.score, o.confidence, o.severity, o.title, o.summary, o.evidence, o.cause_ids, made.last_activity_at, o.updated_at
    from occurrences o, made where o.project_id = ${project.projectId}`);
  await diagnosed(project, {}, "Error: order 9917 not found");
  expect((await toolErrors(project))[0]).toMatchObject({ occurrenceCount: MANY + 1, firstDetectedAt: 1 });
}

test("a large Finding's occurrence count and times are current after additions, repeated readings and deletions", async () => {
  const { ctx } = await testProject();
  await largeFinding(ctx);
  const { conversation, runs } = await diagnosed(ctx, { startedAt: Date.now() + 60_000 }, "Error: order 5 not found");
  expect((await toolErrors(ctx))[0]).toMatchObject({
    occurrenceCount: MANY + 2,
    lastDetectedAt: conversation.lastActivityAt,
    firstDetectedAt: 1,
  });
  const again = await createRuleRuns(ctx, {
    conversationId: conversation.id,
    lastActivityAt: conversation.lastActivityAt + 1,
  });
  expect(again.runs).toHaveLength(runs.length);
  await executeRuleRuns(
    ctx,
    again.runs.map((run) => run.id),
  );
  expect((await toolErrors(ctx))[0]).toMatchObject({ occurrenceCount: MANY + 2 });

  const forget = (...ids: string[]) =>
    inTransaction(ctx, (tx) =>
      forgetConversations(tx, ids, async () => {
        await tx.db
          .delete(conversations)
          .where(and(eq(conversations.projectId, tx.projectId), inArray(conversations.id, ids)));
      }),
    );
  await forget("many_1", conversation.id);
  const [fewer] = await toolErrors(ctx);
  expect(fewer).toMatchObject({ occurrenceCount: MANY, firstDetectedAt: 2, recountDueAt: expect.any(Number) });
  expect(fewer!.lastDetectedAt).toBeLessThan(conversation.lastActivityAt);

  // It is no longer large, so the next change recounts everything.
  await forget("many_2");
  await diagnosed(ctx, { userId: "ann" }, "Error: order 6 not found");
  expect((await toolErrors(ctx))[0]).toMatchObject({
    occurrenceCount: MANY,
    firstDetectedAt: 3,
    userCount: 8,
    recountDueAt: null,
  });
});

test("a large Finding's users are recounted later, and only those of its project", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  for (const project of [ctx, other]) await largeFinding(project);

  await diagnosed(ctx, { userId: "ann" }, "Error: order 5 not found");
  // Due in an hour, so that the test does not depend on its speed.
  await ctx.db.execute(sql`update findings set recount_due_at = recount_due_at + 3600000`);
  const [grown] = await toolErrors(ctx);
  expect(grown).toMatchObject({ occurrenceCount: MANY + 2, userCount: 7, recountDueAt: expect.any(Number) });
  await recountDueFindings(ctx.db);
  expect((await toolErrors(ctx))[0]).toEqual(grown);

  await ctx.db.execute(sql`update findings set recount_due_at = recount_due_at - 7200000`);
  expect(await recountDueFindings(ctx.db)).toEqual({ recounted: 1 });
  expect((await toolErrors(ctx))[0]).toMatchObject({ occurrenceCount: MANY + 2, userCount: 8, recountDueAt: null });
  expect((await toolErrors(other))[0]).toMatchObject({ occurrenceCount: MANY + 1, userCount: 7 });
  expect(await recountDueFindings(ctx.db)).toEqual({ recounted: 0 });
});

test("a Finding whose recount fails stays due and does not block others", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  for (const project of [ctx, other]) {
    await diagnosed(project);
    await project.db.execute(sql`
      update findings set recount_due_at = ${project === ctx ? 1 : 2}, occurrence_count = 7
      where project_id = ${project.projectId}`);
  }
  await asOwner(async (owner) => {
    await owner.execute(sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`);
    await owner.execute(
      sql.raw(`create trigger refused before update of occurrence_count on findings for each row
               when (new.project_id = '${ctx.projectId}') execute function refuse()`),
    );
  });

  await expect(recountDueFindings(ctx.db)).rejects.toThrow("1 of 2 Findings could not be recounted.");
  expect((await toolErrors(other))[0]).toMatchObject({ occurrenceCount: 1, recountDueAt: null });
  expect((await toolErrors(ctx))[0]).toMatchObject({ occurrenceCount: 7, recountDueAt: 1 });

  await asOwner((owner) => owner.execute(sql`drop trigger refused on findings`));
  expect(await recountDueFindings(ctx.db)).toEqual({ recounted: 1 });
  expect((await toolErrors(ctx))[0]).toMatchObject({ occurrenceCount: 1, recountDueAt: null });
});

test("reading a conversation again counts it once", async () => {
  const { ctx } = await testProject();
  const { conversation } = await diagnosed(ctx);
  const { runs } = await createRuleRuns(ctx, {
    conversationId: conversation.id,
    lastActivityAt: conversation.lastActivityAt + 1,
  });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  expect((await toolErrors(ctx))[0]).toMatchObject({ occurrenceCount: 1 });
});

test("repeated requests for the same activity queue one Run per Rule, executed once", async () => {
  const { ctx } = await testProject();
  const { conversation, runs } = await diagnosed(ctx);
  const again = await createRuleRuns(ctx, {
    conversationId: conversation.id,
    lastActivityAt: conversation.lastActivityAt,
  });
  expect(again.runs.map((run) => run.id)).toEqual(runs.map((run) => run.id));
  expect(again.runs.map((run) => run.status)).toEqual(RULES.map(() => "completed"));

  expect(
    await executeRuleRuns(
      ctx,
      runs.map((run) => run.id),
    ),
  ).toEqual({ completed: 0 });
  expect((await getRuleRun(ctx, { runId: runs[0]!.id })).run).toMatchObject({ attempts: 1, status: "completed" });
});

test("creating Runs creates one event with their ids", async () => {
  const { ctx } = await testProject();
  const { runs } = await diagnosed(ctx);
  const events = await ctx.db.select().from(jobEvents).where(eq(jobEvents.projectId, ctx.projectId));
  expect(events.map((event) => event.data)).toEqual([
    { projectId: ctx.projectId, origin: "on_demand", runIds: expect.arrayContaining(runs.map((run) => run.id)) },
  ]);
});

test("a conversation can be identified by the client's own id, and non-string entries of traceIds are dropped", async () => {
  const { ctx } = await testProject();
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", NOT_FOUND), {
    externalId: "session-1",
  });
  const { runs } = await createRuleRuns(ctx, {
    conversationId: "session-1",
    lastActivityAt,
    traceIds: ["a", 1, null],
  });
  expect(runs[0]).toMatchObject({ conversationId: id, traceIds: ["a"], origin: "on_demand", status: "queued" });
  expect((await listRuleRuns(ctx, { conversationId: "session-1", status: "queued" })).runs).toHaveLength(RULES.length);
});

test("a Run left running by a crash is retried, and counts its attempts", async () => {
  const { ctx } = await testProject();
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", NOT_FOUND));
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  const { ruleRuns } = await import("@/db/schema");
  await ctx.db.update(ruleRuns).set({ status: "running", attempts: 1 }).where(eq(ruleRuns.id, runs[0]!.id));
  await executeRuleRuns(ctx, [runs[0]!.id]);
  expect((await getRuleRun(ctx, { runId: runs[0]!.id })).run).toMatchObject({ status: "completed", attempts: 2 });
});

test("a failed Run stores its reason", async () => {
  const { ctx } = await testProject();
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", NOT_FOUND));
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await failRuleRuns(ctx, [runs[0]!.id], "The database was away.");
  expect((await getRuleRun(ctx, { runId: runs[0]!.id })).run).toMatchObject({
    status: "failed",
    errorMessage: "The database was away.",
  });
});

test("a conversation without content is skipped with a reason", async () => {
  const { ctx } = await testProject();
  const { id, lastActivityAt } = await storedConversation(ctx, [{ role: "user", text: "x" }]);
  const { conversationMessages } = await import("@/db/schema");
  await ctx.db.delete(conversationMessages).where(eq(conversationMessages.conversationId, id));
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  expect((await getRuleRun(ctx, { runId: runs[0]!.id })).run).toMatchObject({
    status: "skipped",
    skipReason: expect.stringContaining("no messages"),
  });
});

test("dismissing clears the resolution and hides the Finding from its conversations until it is restored", async () => {
  const { ctx } = await testProject();
  const { conversation } = await diagnosed(ctx);
  const findingId = (await toolErrors(ctx))[0]!.id;
  const shown = async () =>
    (
      await ctx.db
        .select()
        .from(conversations)
        .where(and(eq(conversations.projectId, ctx.projectId), eq(conversations.id, conversation.id)))
    )[0]!.findingCount;
  const all = await shown();
  expect(all).toBeGreaterThan(0);

  await updateFinding(ctx, { findingId, resolutionStatus: "resolved" });
  const { finding } = await updateFinding(ctx, { findingId, reviewStatus: "dismissed" });
  expect(finding).toMatchObject({ reviewStatus: "dismissed", resolutionStatus: null, resolvedAt: null });
  expect(await shown()).toBe(all - 1);

  await updateFinding(ctx, { findingId, reviewStatus: "confirmed" });
  expect(await shown()).toBe(all);
});

test("a dismissed Finding can be resolved and stays dismissed; dismissing it again clears the resolution", async () => {
  const { ctx } = await testProject();
  await diagnosed(ctx);
  const findingId = (await toolErrors(ctx))[0]!.id;
  const update = async (change: { reviewStatus?: "dismissed" | "confirmed"; resolutionStatus?: "resolved" }) =>
    (await updateFinding(ctx, { findingId, ...change })).finding;

  await update({ reviewStatus: "dismissed" });
  expect(await update({ resolutionStatus: "resolved" })).toMatchObject({
    reviewStatus: "dismissed",
    resolutionStatus: "resolved",
    resolvedAt: expect.any(Number),
  });
  expect(await update({ reviewStatus: "dismissed" })).toMatchObject({ resolutionStatus: null, resolvedAt: null });

  await update({ resolutionStatus: "resolved" });
  expect(await update({ reviewStatus: "confirmed" })).toMatchObject({ resolutionStatus: "resolved" });
  await expect(update({ reviewStatus: "dismissed", resolutionStatus: "resolved" })).rejects.toMatchObject({
    issues: [{ path: ["resolutionStatus"] }],
  });
});

test("a dismissed Finding that was resolved regresses like any other, and stays dismissed", async () => {
  const { ctx } = await testProject();
  await diagnosed(ctx);
  const findingId = (await toolErrors(ctx))[0]!.id;
  await updateFinding(ctx, { findingId, reviewStatus: "dismissed" });
  await updateFinding(ctx, { findingId, resolutionStatus: "resolved" });
  await diagnosed(ctx, { startedAt: Date.now() + 1000 });
  expect((await getFinding(ctx, { findingId })).finding).toMatchObject({
    reviewStatus: "dismissed",
    resolutionStatus: "unresolved",
    regressedAt: expect.any(Number),
  });
});

test("a resolved Finding regresses on a conversation that started later, and not on an older one", async () => {
  const { ctx } = await testProject();
  await diagnosed(ctx);
  const findingId = (await toolErrors(ctx))[0]!.id;
  await updateFinding(ctx, { findingId, resolutionStatus: "resolved" });

  await diagnosed(ctx, { startedAt: Date.now() - 3_600_000 });
  expect((await getFinding(ctx, { findingId })).finding).toMatchObject({
    resolutionStatus: "resolved",
    regressedAt: null,
  });
  await diagnosed(ctx, { startedAt: Date.now() + 1000 });
  expect((await getFinding(ctx, { findingId })).finding).toMatchObject({
    resolutionStatus: "unresolved",
    resolvedAt: null,
    regressedAt: expect.any(Number),
  });
});

test("the list applies every filter, paginates without duplicates, and is downloaded whole", async () => {
  const { ctx } = await testProject();
  for (const tool of ["alpha", "bravo", "charlie", "delta"]) {
    const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall(tool, "Error: locked"));
    const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
    await executeRuleRuns(
      ctx,
      runs.map((run) => run.id),
    );
  }
  const everything = (await listFindings(ctx, {})).findings;
  const pages = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const page = await listFindings(ctx, { limit: 2, ...(cursor && { cursor }) });
    pages.push(...page.findings);
    cursor = page.pagination.nextCursor ?? undefined;
  }
  expect(pages.map((finding) => finding.id)).toEqual(everything.map((finding) => finding.id));
  const linesOf = async (input: Parameters<typeof downloadFindings>[1]) => {
    const pieces: string[] = [];
    for await (const piece of (await downloadFindings(ctx, input)).body as AsyncIterable<string>) pieces.push(piece);
    return pieces.join("").trimEnd().split(/\r?\n/);
  };
  expect((await linesOf({ format: "jsonl" })).map((line) => JSON.parse(line))).toEqual(everything);
  const [head, ...rows] = await linesOf({ format: "csv", q: "bravo" });
  expect(head).toMatch(/^id,title,summary,severity,/);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain("bravo");

  const [one] = everything;
  await updateFinding(ctx, { findingId: one!.id, reviewStatus: "confirmed", resolutionStatus: "resolved" });
  const ids = async (filter: object) => (await listFindings(ctx, filter)).findings.map((finding) => finding.id);
  expect(await ids({ reviewStatus: "confirmed" })).toEqual([one!.id]);
  expect(await ids({ resolutionStatus: "resolved" })).toEqual([one!.id]);
  const [, two, ...rest] = everything;
  await updateFinding(ctx, { findingId: two!.id, resolutionStatus: "unresolved" });
  const none = rest.map((finding) => finding.id);
  expect(await ids({ resolutionStatus: "unresolved" })).toEqual([two!.id]);
  expect(await ids({ resolutionStatus: "none" })).toEqual(none);
  for (const resolutionStatus of [
    ["unresolved", "none"],
    ["none", "unresolved"],
  ]) {
    expect(await ids({ resolutionStatus })).toEqual([two!.id, ...none]);
  }
  await expect(ids({ resolutionStatus: ["none", "open"] })).rejects.toMatchObject({
    issues: [{ path: ["resolutionStatus", 1] }],
  });
  expect(await ids({ severity: one!.severity })).toContain(one!.id);
  expect(await ids({ minDiagnosticScore: 1 })).toEqual([]);
  for (const least of ["0.18993492829533848", "1e-07"]) {
    expect(await ids({ minDiagnosticScore: least as unknown as number })).toEqual(await ids({}));
  }
  expect(await ids({ lastDetectedAfter: one!.lastDetectedAt })).toContain(one!.id);
  expect(await ids({ lastDetectedBefore: one!.lastDetectedAt })).not.toContain(one!.id);
});

test("occurrences can be filtered by conversation, with our id or the client's", async () => {
  const { ctx } = await testProject();
  const { conversation } = await diagnosed(ctx, { externalId: "session-a" });
  await diagnosed(ctx, { externalId: "session-b" });
  const findingId = (await toolErrors(ctx))[0]!.id;
  for (const conversationId of [conversation.id, "session-a"]) {
    const { occurrences } = await listOccurrences(ctx, { findingId, conversationId });
    expect(occurrences.map((occurrence) => occurrence.conversationId)).toEqual([conversation.id]);
  }
});

test("another project's Finding, Run and conversation do not exist", async () => {
  const ours = await testProject();
  const theirs = await testProject();
  const { conversation, runs } = await diagnosed(theirs.ctx);
  const findingId = (await toolErrors(theirs.ctx))[0]!.id;

  await expect(getFinding(ours.ctx, { findingId })).rejects.toMatchObject({ code: "not_found" });
  await expect(listOccurrences(ours.ctx, { findingId })).rejects.toMatchObject({ code: "not_found" });
  await expect(updateFinding(ours.ctx, { findingId, reviewStatus: "dismissed" })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(getRuleRun(ours.ctx, { runId: runs[0]!.id })).rejects.toMatchObject({ code: "not_found" });
  await expect(createRuleRuns(ours.ctx, { conversationId: conversation.id, lastActivityAt: 1 })).rejects.toMatchObject({
    code: "not_found",
  });
  expect(
    await executeRuleRuns(
      ours.ctx,
      runs.map((run) => run.id),
    ),
  ).toEqual({ completed: 0 });
  expect((await listFindings(ours.ctx, { conversationId: conversation.id })).findings).toEqual([]);
});

test("an inactive conversation is diagnosed automatically, once, and again after it resumes", async () => {
  const { ctx } = await testProject();
  const { id } = await storedConversation(ctx, failingToolCall("get_order", NOT_FOUND));
  const later = Date.now() + 3_600_000;

  await scheduleInactiveConversations(ctx.db, Date.now());
  expect((await listRuleRuns(ctx, {})).runs).toEqual([]);
  await scheduleInactiveConversations(ctx.db, later);
  await scheduleInactiveConversations(ctx.db, later);
  expect((await listRuleRuns(ctx, { origin: "automatic" })).runs).toHaveLength(RULES.length);

  await ctx.db
    .update(conversations)
    .set({ receivedAt: Date.now() + 10, lastActivityAt: Date.now() })
    .where(eq(conversations.id, id));
  await scheduleInactiveConversations(ctx.db, later);
  expect((await listRuleRuns(ctx, {})).runs).toHaveLength(2 * RULES.length);
});

test("with automatic scheduling off, nothing is diagnosed automatically", async () => {
  const { ctx } = await testProject();
  await updateDiagnosticSettings(ctx, { automaticSchedulingEnabled: false });
  await storedConversation(ctx, failingToolCall("get_order", NOT_FOUND));
  await scheduleInactiveConversations(ctx.db, Date.now() + 3_600_000);
  expect((await listRuleRuns(ctx, {})).runs).toEqual([]);
});
