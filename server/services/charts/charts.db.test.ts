import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { getCosts } from "@/server/services/costs";
import { createRuleRuns, executeRuleRuns, findingTimeline, listFindings } from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { conversationFacets, countConversations, createFeedback, listConversations } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { downloadChart, queryChart } from ".";
import { CHART_GROUPS, type ChartGroup } from "./schemas";

const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** The last full week. */
const WEEK = { from: TODAY - 7 * DAY_MS, to: TODAY };

let spans = 0;
type Call = { model?: string; user?: string; labels?: string[]; error?: string; ms?: number; version?: string };

/** Stores a conversation of one call, and returns the client's id of it: made some hours into a day of the week. */
async function call(ctx: Ctx, day: number, { model = "gpt-4o", user, labels, version, ms = 100, ...span }: Call = {}) {
  const n = ++spans;
  const hex = (length: number) => n.toString(16).padStart(length, "0");
  const session = `session-${n}`;
  const attributes = {
    "session.id": session,
    ...(user && { "user.id": user }),
    ...(labels && { "langfuse.trace.tags": labels }),
  };
  const startMs = WEEK.from + day * DAY_MS + 9 * HOUR_MS + n;
  const sent = chatSpan(
    { traceId: hex(32), spanId: hex(16), startMs, durationMs: ms, attributes, ...span },
    { model, tokens: [1000, 100] },
  );
  await ingest(ctx, [sent], version);
  return session;
}

async function busyProject() {
  const { ctx, asKey } = await testProject();
  const { ctx: other } = await testProject();
  const liked = await call(ctx, 0, { user: "ann", labels: ["eu", "web"], version: "2.0.0", ms: 100 });
  const disliked = await call(ctx, 0, { user: "bob", labels: ["eu"], version: "2.0.0", ms: 200 });
  await call(ctx, 2, { model: "gpt-4o-mini", user: "ann", error: "Timed out", ms: 9000 });
  await call(ctx, 2, { model: "nobody-knows", labels: ["web"], ms: 300 });
  await call(ctx, 4, { version: "2.1.0", ms: 400 });
  await call(other, 2, { user: "ann" });
  for (const [conversationId, value] of [
    [liked, "up"],
    [disliked, "down"],
  ] as const)
    await createFeedback(ctx, { conversationId, kind: "thumb", value });
  return { ctx, other, asKey, liked };
}

let shared: Awaited<ReturnType<typeof busyProject>>;
beforeAll(async () => {
  shared = await busyProject();
});

test("costs by day, model, provider and label are those of the page of costs", async () => {
  const { ctx } = shared;
  const { costs } = await getCosts(ctx, WEEK);
  expect(costs.total.calls).toBe(5);
  const { chart } = await queryChart(ctx, { measure: "cost", ...WEEK });
  expect(chart).toMatchObject({ unit: "usd", ...WEEK, at: costs.days, countedFrom: null, series: [] });
  expect(chart.totals.map(({ value }) => value)).toEqual(costs.totals);
  expect(chart.totals.map(({ unpricedCalls }) => unpricedCalls)).toEqual(costs.totalsUnpricedCalls);
  expect(chart.total).toMatchObject({ exact: costs.total.exactCost, unpricedCalls: 1, n: 5 });
  for (const group of ["model", "provider", "label"] as const) {
    const { costs: by } = await getCosts(ctx, { ...WEEK, groupBy: group });
    const { chart: grouped } = await queryChart(ctx, { measure: "cost", group, ...WEEK });
    expect(grouped.series.map(({ key, points }) => ({ key, values: points.map(({ value }) => value) }))).toEqual(
      by.series.map(({ key, values }) => ({ key, values })),
    );
    expect(grouped.series.map(({ total }) => total.exact)).toEqual(by.rows.map(({ exactCost }) => exactCost));
  }
});

test("what the daily sums have is the same when read call by call", async () => {
  const { ctx } = shared;
  const groups: (ChartGroup | undefined)[] = [undefined, "model", "provider", "label"];
  for (const measure of ["calls", "tokens", "cost"] as const)
    for (const group of groups) {
      const ask = { measure, group, ...WEEK };
      const { chart: daily } = await queryChart(ctx, ask);
      // A filter that every call passes.
      expect((await queryChart(ctx, { ...ask, minDurationMs: 0 })).chart).toEqual(daily);
    }
});

test("costs by user are those of the page of costs", async () => {
  const { ctx } = shared;
  const { costs } = await getCosts(ctx, { ...WEEK, groupBy: "user" });
  const { chart } = await queryChart(ctx, { measure: "cost", group: "user", ...WEEK });
  const sorted = (rows: { key: string | null; cost: string | null; calls: number | null }[]) =>
    rows.toSorted((a, b) => (a.key ?? "").localeCompare(b.key ?? ""));
  expect(sorted(chart.series.map(({ key, total }) => ({ key, cost: total.exact, calls: total.n })))).toEqual(
    sorted(costs.rows.map(({ key, exactCost, calls }) => ({ key, cost: exactCost, calls }))),
  );
});

test("conversations are as many as the list has with the same filters, by day and in total", async () => {
  const { ctx, liked } = shared;
  const filters = [
    {},
    { externalId: liked },
    { model: ["gpt-4o"] },
    { label: ["eu", "web"] },
    { version: ["shop 2.0.0"] },
    { userId: "ann" },
    { hasUser: false },
    { hasErrors: true },
    { hasFeedback: true },
    { hasThumbsDown: true },
    { provider: ["openai"], label: ["eu"] },
    { maxCost: 1 },
    { q: "nothing-like-it" },
  ];
  for (const filter of filters) {
    const { chart } = await queryChart(ctx, { measure: "conversations", ...WEEK, ...filter });
    const inTime = { ...filter, startedAfter: WEEK.from, startedBefore: WEEK.to };
    expect(chart.total.n, JSON.stringify(filter)).toBe((await countConversations(ctx, inTime)).count);
    for (const [n, at] of chart.at.entries()) {
      const { conversations } = await listConversations(ctx, {
        ...filter,
        startedAfter: at,
        startedBefore: at + DAY_MS,
      });
      expect(chart.totals[n]?.value).toBe(conversations.length);
    }
  }
});

test("a conversation counts in each of its values, with the numbers of the facets", async () => {
  const { ctx } = shared;
  const { facets } = await conversationFacets(ctx, { startedAfter: WEEK.from, startedBefore: WEEK.to });
  const ofGroup = { model: facets.models, label: facets.labels, version: facets.versions, provider: facets.providers };
  for (const [group, values] of Object.entries(ofGroup)) {
    const { chart } = await queryChart(ctx, { measure: "conversations", group: group as ChartGroup, ...WEEK });
    const counted = chart.series
      .filter(({ key }) => key !== null)
      .map(({ key, total }) => ({ value: key, count: total.n }));
    expect(counted).toEqual(values);
    expect(chart.total.n).toBe(5);
  }
  const { chart: byUser } = await queryChart(ctx, { measure: "conversations", group: "user", ...WEEK });
  expect(byUser.series.map(({ key, total }) => [key, total.n])).toEqual([
    [null, 2],
    ["ann", 2],
    ["bob", 1],
  ]);
  const { chart: failing } = await queryChart(ctx, { measure: "thumbs_down_share", ...WEEK });
  expect(failing.total).toMatchObject({ value: 0.5, n: facets.withFeedback });
  expect(failing.totals[1]).toMatchObject({ value: null, n: 0, low: null });
});

test("latency and error rate of a step are of its calls, and unknown without any", async () => {
  const { ctx } = shared;
  const valuesOf = async (measure: "latency_p50" | "latency_p95" | "error_rate" | "calls", model?: string[]) =>
    (await queryChart(ctx, { measure, ...WEEK, ...(model && { model }) })).chart.totals.map(({ value }) => value);
  expect(await valuesOf("calls")).toEqual([2, 0, 2, 0, 1, 0, 0]);
  expect(await valuesOf("latency_p50")).toEqual([100, null, 300, null, 400, null, null]);
  expect(await valuesOf("latency_p95")).toEqual([200, null, 9000, null, 400, null, null]);
  expect(await valuesOf("error_rate")).toEqual([0, null, 0.5, null, 0, null, null]);
  // The model is that of the call.
  expect(await valuesOf("error_rate", ["gpt-4o-mini"])).toEqual([null, null, 1, null, null, null, null]);
  const { newestCalls } = (await getCosts(ctx, WEEK)).costs;
  const { chart } = await queryChart(ctx, { measure: "latency_p95", ...WEEK });
  expect(chart.total).toMatchObject({ value: newestCalls.p95Ms, n: newestCalls.counted });
});

test("hours and weeks are whole, weeks begin on Monday, and more than 400 steps are refused", async () => {
  const { ctx } = shared;
  const { chart: hours } = await queryChart(ctx, { measure: "calls", ...WEEK, step: "hour" });
  expect(hours.at).toHaveLength(168);
  expect(hours.totals[9]?.value).toBe(2);
  expect(hours.total.value).toBe(5);
  const { chart: weeks } = await queryChart(ctx, { measure: "calls", ...WEEK, step: "week" });
  expect(weeks.at.map((at) => new Date(at).getUTCDay())).toEqual(weeks.at.map(() => 1));
  expect(weeks.total.value).toBe(5);
  const tooMany = { from: TODAY - 401 * HOUR_MS, to: TODAY, step: "hour" as const };
  await expect(queryChart(ctx, { measure: "calls", ...tooMany })).rejects.toMatchObject({ code: "unprocessable" });
  await expect(queryChart(ctx, { measure: "calls", from: TODAY, to: TODAY })).rejects.toMatchObject({
    errors: [{ path: "/to" }],
  });
});

test("beyond ten values the others are one series, in which each conversation counts once", async () => {
  const { ctx } = await testProject();
  for (let n = 0; n < 12; n++) await call(ctx, 1, { labels: [`l${String(n).padStart(2, "0")}`, "all"] });
  await call(ctx, 1, { labels: ["l10", "l11"] });
  const { chart } = await queryChart(ctx, { measure: "conversations", group: "label", ...WEEK });
  expect(chart.series.map(({ key }) => key)).toEqual([
    "all",
    "l10",
    "l11",
    "l00",
    "l01",
    "l02",
    "l03",
    "l04",
    "l05",
    "l06",
    null,
  ]);
  expect(chart.series.at(-1)).toMatchObject({ others: true, total: { n: 3 } });
  expect(chart.groupsInOthers).toBe(3);
  expect(chart.total.n).toBe(13);
});

async function read(ctx: Ctx, said: Parameters<typeof storedConversation>[1], startedAt: number) {
  const { id, lastActivityAt } = await storedConversation(ctx, said, { startedAt });
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
}

test("a Finding’s share and occurrences by day are those of its timeline, and a Signal’s count all its Findings", async () => {
  const { ctx, asKey } = await testProject();
  const failing = (at: number, tool = "alpha") => read(ctx, failingToolCall(tool, "Error: not found"), at);
  const healthy = (at: number) => read(ctx, [{ role: "user", text: "Hello" }], at);
  await failing(TODAY - 3 * DAY_MS + 1000);
  for (let n = 0; n < 3; n++) await healthy(TODAY - 3 * DAY_MS + 2000);
  await failing(TODAY - 2 * DAY_MS + 1000, "book_room");
  await healthy(TODAY - 2 * DAY_MS + 2000);
  await storedConversation(ctx, [{ role: "user", text: "Not read" }], { startedAt: TODAY - 2 * DAY_MS + 3000 });
  const { findings } = await listFindings(ctx, { signal: "tool_error" });
  expect(findings).toHaveLength(2);
  for (const { id } of findings) {
    const { days } = await findingTimeline(ctx, { findingId: id });
    const window = { from: days[0]!.day, to: days.at(-1)!.day + DAY_MS };
    const { chart } = await queryChart(ctx, { measure: "finding_share", ofFinding: id, ...window });
    expect(chart.at).toEqual(days.map(({ day }) => day));
    expect(chart.totals.map(({ value, low, high, n }) => [value, low, high, n])).toEqual(
      days.map(({ rate, read: n }) => [rate?.rate ?? null, rate?.low ?? null, rate?.high ?? null, n]),
    );
    const { chart: count } = await queryChart(ctx, { measure: "occurrences", ofFinding: id, ...window });
    expect(count.totals.map(({ value }) => value)).toEqual(days.map(({ affected }) => affected));
  }
  const { chart: all } = await queryChart(ctx, { measure: "occurrences", group: "finding", ...WEEK });
  expect(all.series.map(({ key, name, total }) => [key, name, total.value])).toEqual(
    findings.map(({ id, title }) => [id, title, 1]).toSorted(),
  );
  const { chart: signal } = await queryChart(ctx, { measure: "signal_share", ofSignal: "tool_error", ...WEEK });
  expect(signal.totals.slice(4).map(({ value, n }) => [value, n])).toEqual([
    [0.25, 4],
    [0.5, 2],
    [null, 0],
  ]);
  const { ctx: stranger } = await testProject();
  const theirs = { measure: "finding_share" as const, ofFinding: findings[0]!.id, ...WEEK };
  await expect(queryChart(stranger, theirs)).rejects.toMatchObject({ code: "not_found" });
  await expect(queryChart(stranger, { ...theirs, measure: "occurrences" })).rejects.toMatchObject({
    code: "not_found",
  });
  const withoutFindings = asKey("project:data:read");
  await expect(queryChart(withoutFindings, theirs)).rejects.toMatchObject({ code: "forbidden" });
  await expect(queryChart(withoutFindings, { measure: "cost", ...WEEK })).rejects.toMatchObject({ code: "forbidden" });
});

test("every group can be asked of every measure that has it, and another project has nothing", async () => {
  const { other } = shared;
  const { ctx: empty } = await testProject();
  for (const group of CHART_GROUPS) {
    const measures =
      group === "finding" ? (["occurrences"] as const) : (["calls", "latency_p95", "failing_share"] as const);
    for (const measure of measures) {
      const { chart } = await queryChart(empty, { measure, group, ...WEEK });
      expect(chart).toMatchObject({ series: [], groupsInOthers: 0, total: { n: 0 } });
    }
  }
  await expect(queryChart(empty, { measure: "calls", group: "finding", ...WEEK })).rejects.toMatchObject({
    errors: [{ path: "/group" }],
  });
  expect((await queryChart(other, { measure: "calls", ...WEEK })).chart.total.value).toBe(1);
});

test("steps from before the newest 100,000 calls are unknown, and the others exact", async () => {
  const { ctx } = await testProject();
  for (const day of [1, 3, 5]) await call(ctx, day);
  // Copies of the newest calls, as many as are counted.
  await ctx.db.execute(sql`
    insert into model_calls (project_id, trace_id, span_id, conversation_id, type, name, finish_reasons, status, started_at,
      ended_at, digest)
    select project_id, trace_id, 'a' || lpad(to_hex(n), 15, '0'), conversation_id, type, name, finish_reasons, status, started_at + 1,
      ended_at + 1, digest
    from (select * from model_calls where project_id = ${ctx.projectId} order by started_at desc limit 1) m,
      generate_series(1, 99999) n`);
  const { chart } = await queryChart(ctx, { measure: "error_rate", ...WEEK });
  expect(chart.countedFrom).toBe(WEEK.from + 4 * DAY_MS);
  expect(chart.totals.map(({ n }) => n)).toEqual([null, null, null, null, 0, 100_000, 0]);
  expect(chart.total.n).toBe(100_000);
  const { chart: calls } = await queryChart(ctx, { measure: "calls", ...WEEK });
  expect(calls.totals.map(({ value }) => value)).toEqual([0, 1, 0, 1, 0, 100_000, 0]);
});

test("the file has the chart's numbers, exact costs, and nothing for what is unknown", async () => {
  const { ctx } = shared;
  const ask = { measure: "cost", group: "model", ...WEEK } as const;
  const { chart } = await queryChart(ctx, ask);
  const { body, fileName } = await downloadChart(ctx, ask);
  expect(fileName).toMatch(/^cost-by-model-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv$/);
  const [header, ...lines] = String(body).trimEnd().split("\r\n");
  expect(header).toBe("start,series,key,name,value,unit,n,low,high,unpricedCalls");
  expect(lines).toHaveLength(chart.at.length * (1 + chart.series.length));
  const first = new Date(WEEK.from).toISOString();
  expect(lines.slice(0, 2)).toEqual([
    `${first},all,,,${chart.totals[0]!.exact},usd,2,,,0`,
    `${first},group,${chart.series[0]!.key},,${chart.series[0]!.points[0]!.exact},usd,2,,,0`,
  ]);
  expect(lines.find((line) => line.includes("nobody-knows"))).toBe(`${first},group,nobody-knows,,,usd,0,,,0`);
});
