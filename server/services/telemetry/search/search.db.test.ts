import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { failedTool } from "../../diagnostics/work-items/testing";
import {
  conversationFacets,
  conversationHistogram,
  countConversations,
  downloadConversations,
  listConversations,
} from "..";
import { CONVERSATION_TRAITS } from "../schemas";

const START = Date.UTC(2026, 0, 1);
const WORDS = ["order", "refund", "parcel", "invoice"] as const;

type Row = {
  id: string;
  at: number;
  words: string[];
  model: string;
  labels: string[];
  user: string | null;
  findings: number;
  errors: number;
  cost: number | null;
  duration: number;
  feedback: "user" | "thumbs down" | "evaluation" | null;
  traits: string[];
};

/**
 * Every combination of words, models and so on, over days with long gaps between them and several at the same moment; more than
 * a search scans before it uses the index.
 */
const COUNT = 1500;
const ROWS: Row[] = Array.from({ length: COUNT }, (_, n) => ({
  id: `conv_${String((n * 7919) % COUNT).padStart(4, "0")}`,
  at: START + Math.floor(n / 30) ** 2 * DAY_MS + Math.floor((n % 30) / 3) * 60_000,
  words: WORDS.filter((_, bit) => (n >> bit) & 1),
  model: n < 200 ? "gpt-4o" : n % 50 === 0 ? "acme-1" : "gpt-5",
  labels: [["eu"], ["us", "vip"], [], ["eu", "vip"]][n % 4]!,
  user: n % 11 === 0 ? null : `user-${n % 5}`,
  findings: n % 7 === 0 ? 1 : 0,
  errors: n % 3 === 0 ? 2 : 0,
  cost: n % 4 === 0 ? null : (n % 100) / 100,
  duration: (n % 9) * 1000,
  feedback: n % 13 === 0 ? "user" : n % 13 === 1 ? "evaluation" : n % 13 === 2 ? "thumbs down" : null,
  traits: [
    ["language:de", "provider:openai", "version:shop 2.4.0"],
    ["prompt:refund 3", "provider:openai", "tool:get_order", "version:shop 2.5.0"],
    ["provider:azure", "tool:get_order", "tool:refund"],
    [],
    [],
  ][n % 5]!,
}));

async function stored({ db, projectId }: Ctx, rows: readonly Row[]) {
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
    as t(id text, at bigint, words jsonb, model text, labels jsonb, "user" text, findings int, errors int, cost numeric, duration int, feedback text, traits jsonb)`;
  await db.execute(sql`
    insert into conversations (project_id, id, key, external_id, user_id, models, labels, started_at, last_activity_at, received_at, finding_count, error_count, cost, traits)
    select ${projectId}::text, id, 'id:' || id, id, "user", array[model], array(select jsonb_array_elements_text(labels)), at, at + duration, at, findings, errors, cost, array(select jsonb_array_elements_text(traits)) from ${given}`);
  await db.execute(sql`
    insert into feedback (project_id, id, conversation_id, kind, value, given_by_user, source, identity, given_at, created_at)
    select ${projectId}::text, 'fb_' || id, id, case when feedback = 'thumbs down' then 'thumb' else 'score' end,
      case when feedback = 'thumbs down' then '"down"' else '1' end::jsonb, feedback <> 'evaluation', 'api', id, at, at from ${given}
    where feedback is not null`);
  await db.execute(sql`
    insert into conversation_search (project_id, conversation_id, started_at, terms)
    select ${projectId}::text, id, at, array(select jsonb_array_elements_text(words)) || array_remove(array['model:' || model, 'user:' || "user"], null)
        || array(select 'label:' || jsonb_array_elements_text(labels))
        || array(select jsonb_array_elements_text(traits)) from ${given}`);
}

async function everyPage(ctx: Ctx, filters: Parameters<typeof listConversations>[1]) {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listConversations(ctx, { ...filters, cursor });
    ids.push(...page.conversations.map(({ id }) => id));
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor);
  return ids;
}

type Filters = Parameters<typeof countConversations>[1];

const newestFirst = (a: Row, b: Row) => b.at - a.at || (a.id < b.id ? 1 : -1);
const read = (has: (row: Row) => boolean) =>
  ROWS.filter(has)
    .sort(newestFirst)
    .map(({ id }) => id);
const said =
  (...words: string[]) =>
  (row: Row) =>
    words.every((word) => row.words.includes(word));
const [from, to] = [START + DAY_MS, START + 60 * DAY_MS];
const isOfUser = ({ feedback }: Row) => feedback === "user" || feedback === "thumbs down";
const within = (id: string) => (row: Row) => row.id === id && row.at >= from && row.at < to;

test.each([
  [{ q: "refund" }, said("refund")],
  [{ q: "Refund, ORDER!" }, said("refund", "order")],
  [{ q: "zebra" }, () => false],
  [{ q: "?!" }, () => false],
  [{ q: " " }, () => true],
  [{ q: "conv_0007" }, (row: Row) => row.id === "conv_0007"],
  [{ q: "conv_0007", hasFindings: true }, (row: Row) => row.id === "conv_0007" && row.findings > 0],
  [{ q: "conv_0007", model: "gpt-4o" }, (row: Row) => row.id === "conv_0007" && row.model === "gpt-4o"],
  [{ q: "conv_0007", startedAfter: from, startedBefore: to }, within("conv_0007")],
  [{ model: "gpt-4o" }, (row: Row) => row.model === "gpt-4o"],
  [{ model: "gpt-4o", q: "parcel" }, (row: Row) => row.model === "gpt-4o" && said("parcel")(row)],
  [{ model: ["gpt-4o", "acme-1"] }, (row: Row) => row.model !== "gpt-5"],
  [{ model: ["acme-1", "nothing"], q: "parcel" }, (row: Row) => row.model === "acme-1" && said("parcel")(row)],
  [{ label: ["us", "eu"] }, (row: Row) => row.labels.length > 0],
  [
    { model: ["gpt-4o", "acme-1"], label: ["vip", "us"], hasErrors: true },
    (row: Row) => row.model !== "gpt-5" && row.labels.includes("vip") && row.errors > 0,
  ],
  [
    { model: ["gpt-4o", "acme-1"], label: "vip", startedAfter: from, startedBefore: to },
    (row: Row) => row.model !== "gpt-5" && row.labels.includes("vip") && row.at >= from && row.at < to,
  ],
  [{ q: "conv_0007", label: ["us", "eu"] }, (row: Row) => row.id === "conv_0007" && row.labels.length > 0],
  [{ q: "order", userId: "user-2" }, (row: Row) => said("order")(row) && row.user === "user-2"],
  [{ hasUser: false }, (row: Row) => row.user === null],
  [
    { q: "order", hasUser: false, hasErrors: true },
    (row: Row) => said("order")(row) && row.user === null && row.errors > 0,
  ],
  [{ q: "refund", hasUser: true }, (row: Row) => said("refund")(row) && row.user !== null],
  [{ userId: "user-2", hasUser: false }, () => false],
  [{ minCost: 0.25, maxCost: 0.75 }, (row: Row) => row.cost !== null && row.cost >= 0.25 && row.cost <= 0.75],
  [
    { q: "order", minDurationMs: 3000, maxDurationMs: 5000 },
    (row: Row) => said("order")(row) && row.duration >= 3000 && row.duration <= 5000,
  ],
  [
    { hasFeedback: true, model: "gpt-5", maxCost: 0.5 },
    (row: Row) => isOfUser(row) && row.model === "gpt-5" && row.cost !== null && row.cost <= 0.5,
  ],
  [{ hasFeedback: false, hasErrors: true }, (row: Row) => !isOfUser(row) && row.errors > 0],
  [{ hasThumbsDown: true, hasErrors: false }, (row: Row) => row.feedback === "thumbs down" && row.errors === 0],
  [{ tool: "get_order" }, (row: Row) => row.traits.includes("tool:get_order")],
  [
    { tool: ["refund", "nothing"], provider: "azure", q: "order" },
    (row: Row) => row.traits.includes("tool:refund") && said("order")(row),
  ],
  [
    { version: ["shop 2.4.0", "shop 2.5.0"], hasThumbsDown: false, userId: "user-2" },
    (row: Row) =>
      row.traits.some((trait) => trait.startsWith("version:")) &&
      row.feedback !== "thumbs down" &&
      row.user === "user-2",
  ],
  [{ prompt: "refund 3", provider: "azure" }, () => false],
  [{ language: ["de", "fr"] }, (row: Row) => row.traits.includes("language:de")],
  [{ q: "order", hasFindings: true }, (row: Row) => said("order")(row) && row.findings > 0],
  [
    { model: "gpt-5", hasFindings: false, hasErrors: true },
    (row: Row) => row.model === "gpt-5" && row.findings === 0 && row.errors > 0,
  ],
  [
    { q: "invoice", startedAfter: from, startedBefore: to },
    (row: Row) => said("invoice")(row) && row.at >= from && row.at < to,
  ],
  [{ q: "order", externalId: "conv_0001" }, (row: Row) => said("order")(row) && row.id === "conv_0001"],
] as const)("a search for %j finds the same as checking every conversation, page by page", async (filters, has) => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  await stored(ctx, ROWS);
  await stored(
    other,
    ROWS.slice(0, 100).map((row) => ({ ...row, id: `other_${row.id}` })),
  );
  for (const limit of [7, 41, 500]) expect(await everyPage(ctx, { ...filters, limit })).toEqual(read(has));
});

test("the downloaded list has every conversation that matches, of all pages, and no other project's", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  await stored(ctx, ROWS);
  await stored(
    other,
    ROWS.slice(0, 100).map((row) => ({ ...row, id: `other_${row.id}` })),
  );
  const linesOf = async (input: Parameters<typeof downloadConversations>[1]) => {
    const file = await downloadConversations(ctx, input);
    expect(file.fileName).toBe(`conversations.${input.format}`);
    const pieces: string[] = [];
    for await (const piece of file.body as AsyncIterable<string>) pieces.push(piece);
    return pieces.join("").trimEnd().split(/\r?\n/);
  };
  expect((await linesOf({ format: "jsonl" })).map((line) => JSON.parse(line).id)).toEqual(read(() => true));
  const [first] = (await listConversations(ctx, { q: "refund", limit: 1 })).conversations;
  const found = await linesOf({ format: "jsonl", q: "refund" });
  expect(JSON.parse(found[0]!)).toEqual(first);
  expect(found).toHaveLength(ROWS.filter(said("refund")).length);
  const [head, ...rows] = await linesOf({ format: "csv", model: "acme-1", order: "asc" });
  expect(head).toMatch(/^id,externalId,userId,startedAt,.*,costUsd,costComplete,unpricedCallCount$/);
  expect(rows.map((row) => row.split(",")[0])).toEqual(read(({ model }) => model === "acme-1").reverse());
  expect(rows[0]).toContain('"[""acme-1""]"');
});

test("the histogram counts what the list returns, in buckets of one width within the time range", async () => {
  const { ctx } = await testProject();
  const other = (await testProject()).ctx;
  await stored(ctx, ROWS);
  await stored(other, ROWS.slice(0, 10));
  for (const filters of [
    {},
    { startedAfter: from, startedBefore: to },
    { q: "order refund", hasFindings: true },
    { q: "conv_0007" },
    { userId: "user-3", model: "gpt-5", hasErrors: false, startedAfter: from },
    { model: ["gpt-4o", "acme-1"], label: ["vip", "us"] },
    { hasUser: false, q: "order" },
  ]) {
    const { width, buckets } = await conversationHistogram(ctx, filters);
    expect(buckets.length).toBeLessThanOrEqual(48);
    expect(buckets.every(({ sampled }) => !sampled)).toBe(true);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe((await everyPage(ctx, filters)).length);
    for (const [index, bucket] of buckets.entries()) {
      expect(bucket.from).toBe(buckets[0]!.from + index * width!);
      const within = { ...filters, startedAfter: Math.max(bucket.from, "startedAfter" in filters ? from : 0) };
      const inIt = await everyPage(ctx, {
        ...within,
        startedBefore: Math.min(bucket.from + width!, "startedBefore" in filters ? to : Number.MAX_SAFE_INTEGER),
      });
      expect(bucket.count).toBe(inIt.length);
    }
  }
  expect(await conversationHistogram((await testProject()).ctx, {})).toEqual({ width: null, buckets: [] });
  expect(await conversationHistogram(ctx, { startedAfter: to + 10_000 * DAY_MS })).toEqual({
    width: null,
    buckets: [],
  });
});

test("a bucket with more conversations than are counted is marked as sampled", async () => {
  const { ctx } = await testProject();
  await stored(
    ctx,
    Array.from({ length: 600 }, (_, n) => ({ ...ROWS[0]!, id: `conv_busy_${n}`, at: START + n })),
  );
  expect((await conversationHistogram(ctx, {})).buckets).toEqual([{ from: START, count: 500, sampled: true }]);
});

test("a facet's counts match the list with that value under the other filters", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  await stored(ctx, ROWS);
  await stored(
    other,
    ROWS.slice(0, 50).map((row) => ({ ...row, id: `other_${row.id}` })),
  );
  for (const filters of [
    {},
    { tool: ["get_order"], provider: ["azure"] },
    { version: ["shop 2.5.0"], tool: ["refund"], hasThumbsDown: false },
    { model: ["gpt-4o"] },
    { model: ["gpt-4o", "acme-1"], label: ["vip"], hasErrors: true },
    { label: ["eu", "us"], hasFindings: false, startedAfter: from, startedBefore: to },
    { q: "order", model: ["gpt-5"], hasFindings: true },
    { userId: "user-2", label: ["vip"] },
    { hasUser: false, label: ["vip"], minCost: 0.3 },
    { hasFeedback: true, hasErrors: true, maxDurationMs: 4000 },
    { q: "zebra", model: ["gpt-5"] },
  ] as Filters[]) {
    const { facets } = await conversationFacets(ctx, filters);
    const count = async (instead: object) => (await countConversations(ctx, { ...filters, ...instead })).count;
    expect(facets).toMatchObject({
      sampled: false,
      total: await count({}),
      withFindings: await count({ hasFindings: true }),
      withoutFindings: await count({ hasFindings: false }),
      withErrors: await count({ hasErrors: true }),
      withoutErrors: await count({ hasErrors: false }),
      withFeedback: await count({ hasFeedback: true, hasThumbsDown: undefined }),
      withoutFeedback: await count({ hasFeedback: false, hasThumbsDown: undefined }),
      withThumbsDown: await count({ hasFeedback: undefined, hasThumbsDown: true }),
      withUser: await count({ hasUser: true }),
      withoutUser: await count({ hasUser: false }),
    });
    for (const { value, count: counted } of facets.models) expect(counted).toBe(await count({ model: value }));
    for (const { value, count: counted } of facets.labels) expect(counted).toBe(await count({ label: value }));
    for (const dimension of CONVERSATION_TRAITS)
      for (const { value, count: counted } of facets[`${dimension}s`])
        expect(counted).toBe(await count({ [dimension]: value }));
    const listed = facets.models.map(({ value }) => value).sort();
    const occurring = await Promise.all(
      ["acme-1", "gpt-4o", "gpt-5"].map(async (value) => ((await count({ model: value })) > 0 ? [value] : [])),
    );
    expect(listed).toEqual(occurring.flat());
  }
});

test("a chosen value is listed with its count even if fifty others are more frequent", async () => {
  const { ctx } = await testProject();
  const many = Array.from({ length: 60 }, (_, n) => ({ ...ROWS[0]!, id: `m_${n}`, model: `model-${n % 59}` }));
  await stored(ctx, many);
  const { facets } = await conversationFacets(ctx, { model: ["model-58"] });
  expect(facets.models).toHaveLength(50);
  expect(facets.models).toContainEqual({ value: "model-58", count: 1 });
  expect((await conversationFacets(ctx, {})).facets.models).not.toContainEqual({ value: "model-58", count: 1 });
});

test("a Finding's facet counts the conversations that match, without dismissed Findings, for those who may read them", async () => {
  const [{ ctx, asKey }, { ctx: other }] = [await testProject(), await testProject()];
  await stored(ctx, ROWS);
  const failing = await failedTool(ctx, {});
  const dismissed = await failedTool(ctx, { tool: "search" });
  await ctx.db.execute(sql`
    update findings set review_status = 'dismissed' where project_id = ${ctx.projectId} and id = ${dismissed.findingId}`);
  const { facets } = await conversationFacets(ctx, {});
  expect(facets.findings).toEqual([{ id: failing.findingId, title: expect.any(String), count: 1 }]);
  expect((await conversationFacets(ctx, { model: "acme-1" })).facets.findings).toEqual([]);
  expect((await conversationFacets(other, {})).facets.findings).toEqual([]);
  expect((await conversationFacets(asKey("project:data:read"), {})).facets.findings).toBeNull();
});
