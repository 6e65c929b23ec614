import { eq } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import { findingEvents, fixes, memberships, ruleRuns, workItems } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import { newId } from "@/server/platform/ids";
import { summariseBackgroundJobs } from "@/server/services/background-jobs";
import { storedJob } from "@/server/services/background-jobs/testing";
import { getCosts, priceUsage } from "@/server/services/costs";
import { listReviewQueue } from "@/server/services/datasets";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { storedCandidate } from "@/server/services/datasets/review/testing";
import {
  countFindings,
  countForReview,
  listFindings,
  listFixes,
  listRuleRuns,
  updateFinding,
} from "@/server/services/diagnostics";
import { FINDING_QUEUES } from "@/server/services/diagnostics/findings/schemas";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { failedTool } from "@/server/services/diagnostics/work-items/testing";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { listEvaluations } from "@/server/services/proof";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { conversationFacets, createFeedback } from "@/server/services/telemetry";
import { chatSpan, ingest, type TestSpan } from "@/server/services/telemetry/testing";
import { storedJob as storedTraining } from "@/server/services/training/testing/stored-job";
import { getHome, lastVisit } from ".";

const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;

let spans = 0;
async function calls(ctx: Ctx, daysAgo: number, model: string, more: Partial<TestSpan> = {}) {
  const n = ++spans;
  const hex = (length: number) => n.toString(16).padStart(length, "0");
  const startMs = TODAY - daysAgo * DAY_MS + HOUR_MS + n;
  await ingest(ctx, [
    chatSpan({ traceId: hex(32), spanId: hex(16), startMs, ...more }, { model, tokens: [1000, 100] }),
  ]);
}

const visitedBefore = (ctx: Ctx, at: number) =>
  ctx.db.update(memberships).set({ visitedBeforeAt: at }).where(eq(memberships.projectId, ctx.projectId));

/** Fills a project with something of everything that Home counts. */
async function busyProject() {
  const { ctx, asKey } = await testProject();
  for (const daysAgo of [20, 10, 3, 3, 1, 0]) await calls(ctx, daysAgo, daysAgo < 7 ? "gpt-4o" : "gpt-4o-mini");
  await calls(ctx, 2, "nobody-knows");
  const [first, second] = [
    (await failedTool(ctx, { tool: "get_order", startedAt: TODAY - 2 * DAY_MS })).findingId,
    (await failedTool(ctx, { tool: "book_room", error: "Error: no room", startedAt: TODAY - 12 * DAY_MS })).findingId,
  ];
  await storedCandidate(ctx, await storedDataset(ctx));
  await storedJob(ctx, { state: "failed" });
  await storedJob(ctx, { state: "completed" });
  const { runs } = await listRuleRuns(ctx, { limit: 1 });
  const failed = { status: "failed" as const, errorMessage: "An error.", resultCount: null, readUntil: null };
  await ctx.db.update(ruleRuns).set(failed).where(eq(ruleRuns.id, runs[0]!.id));
  return { ctx, asKey, first, second };
}

/** For tests that change nothing. */
let shared: Awaited<ReturnType<typeof busyProject>>;
beforeAll(async () => {
  shared = await busyProject();
});

test("every number of Home is that of the page behind it, and another project has none of them", async () => {
  const { ctx } = shared;
  const { ctx: other } = await testProject();
  const { home } = await getHome(ctx, {});

  for (const name of ["review", "regressed", "escalating"] as const) {
    expect(home.findings[name]).toEqual(await countFindings(ctx, copied(FINDING_QUEUES[name])));
  }
  expect(home.findings.review.count).toBe((await countForReview(ctx, {})).forReview);
  expect(home.findings.review.count).toBeGreaterThan(0);
  expect(home.work).toMatchObject({
    candidates: (await listReviewQueue(ctx, {})).counter.waiting,
    failedJobs: { count: (await summariseBackgroundJobs(ctx, {})).summary.counts.failed, more: false },
  });
  expect(home.work).toMatchObject({ candidates: 1, failedJobs: { count: 1 } });
  expect(home.failedRuns.count).toBe((await listRuleRuns(ctx, { status: "failed" })).runs.length);
  expect(home.failedRuns.count).toBe(1);

  const { period, before, month, unpricedModels } = home.costs!;
  expect(unpricedModels).toBe((await priceUsage(ctx, {})).unpriced.length);
  expect(unpricedModels).toBe(1);
  for (const part of [period, before!, month]) {
    const { total } = (await getCosts(ctx, { from: part.from, to: part.to })).costs;
    const { usage: _, ...sums } = total;
    expect(part).toMatchObject(sums);
  }
  expect(period).toMatchObject({ from: TODAY - 7 * DAY_MS, to: TODAY, calls: 4, unpricedCalls: 1 });
  expect(before).toMatchObject({ calls: 1 });
  expect(home.costs!.drivers.map(({ model }) => model)).toEqual(["gpt-4o", "gpt-4o-mini", "nobody-knows"]);

  for (const part of [home.conversations.period, home.conversations.before!]) {
    const range = { startedAfter: part.from, startedBefore: part.to };
    const { facets } = await conversationFacets(ctx, range);
    expect(part).toMatchObject({
      conversations: facets.total,
      withFindings: facets.withFindings,
      withErrors: facets.withErrors,
      sampled: false,
    });
  }
  expect(home.conversations.period).toMatchObject({ conversations: 5, withFindings: 1 });
  expect(home.conversations.limits.withFindings).toMatchObject({ rate: 0.2 });
  expect(home.pulse.spansPerMinute).toBe(7);
  expect(home.pulse.receivedAt).toBeGreaterThan(Date.now() - MINUTE_MS);
  expect(home.missing).toEqual([]);
  expect(home.steps.map(({ state }) => state)).toEqual(["done", "done", "waiting", "waiting", "missing", "to_do"]);

  const { home: empty } = await getHome(other, {});
  expect(empty.findings).toMatchObject({ review: { count: 0 }, urgent: [], changed: [] });
  expect(empty).toMatchObject({
    failedRuns: { count: 0 },
    closedTickets: { count: 0, newest: [] },
    pulse: { receivedAt: null, spansPerMinute: 0 },
    costs: { period: { calls: 0, cost: null }, before: null, unpricedModels: 0, month: { projection: null } },
    conversations: { period: { conversations: 0 }, before: null, limits: { withFindings: null } },
    work: { candidates: 0, failedJobs: { count: 0 }, evaluations: { count: 0 } },
  });
  expect(empty.steps.map(({ state }) => state)).toEqual(["to_do", "to_do", "to_do", "to_do", "missing", "to_do"]);
});

/** Filters as a caller sends them. */
const copied = <T extends object>(filters: T) => structuredClone(filters) as never;

test("errors and latency of calls and thumbs down are those of the pages of the same days, in this project only", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  const named = (id: string) => ({ attributes: { "gen_ai.conversation.id": id } });
  expect((await getHome(ctx, {})).home.calls).toEqual({
    period: { counted: 0, sampled: false, errors: 0, p95Ms: null },
    before: null,
  });

  for (const at of [14, 12]) await calls(ctx, at, "gpt-4o", { ...named(`before ${at}`), durationMs: 700 });
  for (let n = 1; n <= 20; n++) await calls(ctx, 3, "gpt-4o", { ...named(`call ${n}`), durationMs: n * 100 });
  await calls(ctx, 2, "gpt-4o", { ...named("call 21"), durationMs: 50, error: "rate limit" });
  await calls(other, 2, "gpt-4o", { ...named("call 21"), durationMs: 60_000, error: "rate limit" });
  await createFeedback(ctx, { conversationId: "before 12", kind: "thumb", value: "down" });
  await createFeedback(ctx, { conversationId: "call 1", kind: "thumb", value: "down" });
  await createFeedback(ctx, { conversationId: "call 1", kind: "comment", value: "No" });
  await createFeedback(ctx, { conversationId: "call 2", kind: "thumb", value: "up" });
  await createFeedback(other, { conversationId: "call 21", kind: "thumb", value: "down" });

  const { home } = await getHome(ctx, {});
  expect(home.calls).toEqual({
    period: { counted: 21, sampled: false, errors: 1, p95Ms: 1900 },
    before: { counted: 2, sampled: false, errors: 0, p95Ms: 700 },
  });
  const { period, before } = home.conversations;
  expect(period).toMatchObject({ withFeedback: 2, withThumbsDown: 1 });
  expect(before).toMatchObject({ withFeedback: 1, withThumbsDown: 1 });
  for (const [days, seen] of [
    [period, home.calls.period],
    [before!, home.calls.before],
  ] as const) {
    expect((await getCosts(ctx, { from: days.from, to: days.to })).costs.newestCalls).toEqual(seen);
    const { facets } = await conversationFacets(ctx, { startedAfter: days.from, startedBefore: days.to });
    expect(days).toMatchObject({ withFeedback: facets.withFeedback, withThumbsDown: facets.withThumbsDown });
  }
});

test("Home is read with five statements", async () => {
  const { ctx } = shared;
  const [execute, select] = [vi.spyOn(ctx.db, "execute"), vi.spyOn(ctx.db, "select")];
  await getHome(ctx, {});
  expect(execute).toHaveBeenCalledTimes(5);
  expect(select).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test("what changed is what changed since the member's last visit, as the list of Findings finds it", async () => {
  const { ctx, asKey, first, second } = await busyProject();
  const at = (hoursAgo: number) => Date.now() - hoursAgo * HOUR_MS;
  const happened = (findingId: string, kind: "created" | "regressed", when: number) =>
    ctx.db.insert(findingEvents).values({
      projectId: ctx.projectId,
      id: newId("fev"),
      findingId,
      kind,
      at: when,
      actorKind: "job",
      detail: {},
    });
  await ctx.db
    .update(findingEvents)
    .set({ at: at(50) })
    .where(eq(findingEvents.projectId, ctx.projectId));
  expect((await lastVisit(ctx, {})).lastVisit.at).toBeNull();
  const unseen = (await getHome(ctx, {})).home;
  expect(unseen.since.isLastVisit).toBe(false);
  expect(unseen.findings.changed).toEqual([]);

  await visitedBefore(ctx, at(72));
  await happened(first, "regressed", at(2));
  const since = (await lastVisit(ctx, {})).lastVisit.at!;
  const { home } = await getHome(ctx, {});
  expect(home.since).toEqual({ at: since, isLastVisit: true });
  for (const { event, count, more } of home.findings.since) {
    const filters = { event, eventAfter: since };
    expect(await countFindings(ctx, filters)).toEqual({ count, more });
    expect((await listFindings(ctx, filters)).findings).toHaveLength(count);
  }
  expect(home.findings.since.map(({ event, count }) => [event, count > 0])).toEqual([
    ["created", true],
    ["returned", false],
    ["regressed", true],
    ["escalating", false],
  ]);
  expect(home.findings.changed[0]).toMatchObject({ id: first, event: "regressed" });
  expect(home.findings.changed.map(({ id }) => id)).toContain(second);

  // A key has no visits.
  const byKey = (await getHome(asKey("diagnostics:read"), {})).home;
  expect(byKey.since.isLastVisit).toBe(false);
  expect(byKey.findings.changed.map(({ id }) => id)).toEqual([first]);
});

test("regressed Findings come first, and a dismissed one needs nobody", async () => {
  const { ctx, first, second } = await busyProject();
  const urgent = async () => (await getHome(ctx, {})).home.findings.urgent;
  await updateFinding(ctx, { findingId: first, reviewStatus: "dismissed" });
  expect((await urgent()).map(({ id }) => id)).not.toContain(first);
  await updateFinding(ctx, { findingId: second, resolutionStatus: "resolved" });
  expect((await urgent()).map(({ id }) => id)).not.toContain(second);
  // Later than the resolution, so it regresses.
  const again = await failedTool(ctx, {
    tool: "book_room",
    error: "Error: no room",
    startedAt: Date.now() + MINUTE_MS,
  });
  expect(again.findingId).toBe(second);
  const [top] = await urgent();
  expect(top).toMatchObject({ id: second, trend: "regressed", occurrenceCount: 2 });
  expect(top!.recentDays).toEqual((await listFindings(ctx, {})).findings.find(({ id }) => id === second)!.recentDays);
});

test("a fix that is watched is counted, and one that conversations decided since the last visit is told", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  const { findingId } = await failedTool(ctx, {});
  await updateFinding(ctx, { findingId, resolutionStatus: "resolved" });
  const none = { count: 0, more: false };
  expect((await getHome(ctx, {})).home.fixes).toEqual({
    watched: { count: 1, more: false },
    judged: { ...none, newest: [] },
  });
  const {
    fixes: [fix],
  } = await listFixes(ctx, {});
  const judged = { verdict: "proven", verdictAt: Date.now() } as const;
  await ctx.db.update(fixes).set(judged).where(eq(fixes.id, fix!.id));
  expect((await getHome(ctx, {})).home.fixes.judged).toMatchObject({
    count: 1,
    newest: [{ id: fix!.id, findingId, findingTitle: fix!.findingTitle, ...judged }],
  });
  await visitedBefore(ctx, Date.now() + HOUR_MS);
  expect((await getHome(ctx, {})).home.fixes.judged.count).toBe(0);
  expect((await getHome(other, {})).home.fixes).toEqual({ watched: none, judged: { ...none, newest: [] } });
});

test("a closed ticket whose Finding is open, and a proof that ended, wait until they are seen to", async () => {
  const { ctx, first, second } = await busyProject();
  const ticket = {
    provider: "github",
    connectionId: "con_1",
    destination: "acme/app",
    actorKind: "job",
    updatedAt: 1,
  } as const;
  for (const [findingId, n] of [
    [first, 1],
    [second, 2],
  ] as const) {
    await ctx.db.insert(workItems).values({
      ...ticket,
      projectId: ctx.projectId,
      id: newId("wi"),
      findingId,
      state: "closed",
      externalId: `${n}`,
      externalKey: `acme/app#${n}`,
      url: `https://tracker.example/${n}`,
      externalState: "closed",
      externalUpdatedAt: n,
    });
  }
  await updateFinding(ctx, { findingId: second, resolutionStatus: "resolved" });
  const { closedTickets } = (await getHome(ctx, {})).home;
  expect(closedTickets).toMatchObject({ count: 1, newest: [{ findingId: first, key: "acme/app#1" }] });

  const checkpointId = await storedCheckpoint(ctx, await storedTraining(ctx));
  const proof = {
    kind: "finding",
    findingId: first,
    ruleId: "tool-failure",
    ruleVersion: 1,
    ruleConfiguration: {},
  } as const;
  const ended = { ...proof, status: "succeeded", verdict: "proven", finishedAt: Date.now() - HOUR_MS } as const;
  const id = await storedEvaluation(ctx, checkpointId, ended);
  await storedEvaluation(ctx, checkpointId, { ...ended, finishedAt: Date.now() - 25 * HOUR_MS });
  const { evaluations } = (await getHome(ctx, {})).home.work!;
  const listed = (await listEvaluations(ctx, {})).evaluations.find((one) => one.id === id)!;
  expect(evaluations).toMatchObject({
    count: 1,
    newest: [{ id, status: "succeeded", verdict: listed.verdict, findingId: first, findingTitle: listed.findingTitle }],
  });
});

test("a caller who may not read a part gets the others", async () => {
  const { home } = await getHome(shared.asKey("diagnostics:read"), {});
  expect(home.costs).toBeNull();
  expect(home.work).toBeNull();
  expect(home.missing).toEqual([
    { part: "costs", reason: "forbidden" },
    { part: "work", reason: "forbidden" },
  ]);
  expect(home.findings.review.count).toBeGreaterThan(0);
  expect(home.steps.map(({ state }) => state)).toEqual(["done", "done", "waiting", null, null, null]);
  await expect(getHome(shared.asKey("model-pricing:read"), {})).rejects.toMatchObject({ code: "forbidden" });
});

test("a project that began today shows today, and compares with nothing", async () => {
  const { ctx } = await testProject();
  await storedConversation(ctx, [{ role: "user", text: "Hello" }], { startedAt: TODAY });
  const { conversations, costs } = (await getHome(ctx, {})).home;
  expect(conversations.period).toMatchObject({ from: TODAY, to: TODAY + DAY_MS, conversations: 1 });
  expect(conversations.before).toBeNull();
  expect(costs?.before).toBeNull();
});
