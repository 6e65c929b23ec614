import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "./pool";
import { conversationSearch, conversations, modelCalls, projects } from "./schema";
import { insertRows, type RowOf, updateOf } from "./sets";

type Call = Omit<RowOf<typeof modelCalls>, "project_id">;

const BEFORE: Call = {
  trace_id: "t1",
  span_id: "s1",
  conversation_id: "conv_1",
  type: "llm",
  name: "chat",
  provider: "acme",
  requested_model: "acme-large",
  response_model: "acme-large-1",
  response_id: "r1",
  usage: { input: 1 },
  raw_usage: { prompt_tokens: 1 },
  usage_rule: "openai",
  finish_reasons: ["stop"],
  status: "ok",
  error: null,
  started_at: 1,
  ended_at: 2,
  place: 0,
  digest: "d1",
  cost_total: "0.000000000000000123456789",
  cost: { total: 1 },
  reported_cost: 1e-7,
  prompt_name: "refund",
  prompt_version: "3",
  labels: ["beta"],
};
const AFTER: Call = {
  trace_id: "t1",
  span_id: "s1",
  conversation_id: "conv_2",
  type: "embedding",
  name: "embed",
  provider: null,
  requested_model: null,
  response_model: 'it\'s "quoted", {listed}',
  response_id: null,
  usage: null,
  raw_usage: { prompt_tokens: 2 },
  usage_rule: null,
  finish_reasons: ["a,b", '"', ""],
  status: "error",
  error: { type: null, message: "away" },
  started_at: 1_789_000_000_000,
  ended_at: 1_789_000_000_001,
  place: 3,
  digest: "d2",
  cost_total: null,
  cost: null,
  reported_cost: "12345678901234567890.5",
  prompt_name: null,
  prompt_version: null,
  labels: [],
};

const ours = { project_id: "prj_1" };
const theirs = { project_id: "prj_2" };
const stored = async ({ project_id }: typeof ours) => {
  const rows = await db().execute(sql`select * from model_calls where project_id = ${project_id} order by span_id`);
  return [...rows].map(({ project_id: _, ...row }) => row);
};
const asStored = (call: Call) => ({
  ...call,
  started_at: String(call.started_at),
  ended_at: String(call.ended_at),
  reported_cost: call.reported_cost === 1e-7 ? "0.0000001" : call.reported_cost,
});

beforeAll(async () => {
  const ids = [ours, theirs].map(({ project_id }) => project_id);
  await db()
    .insert(projects)
    .values(ids.map((id) => ({ id, name: id })));
  const times = { startedAt: 1, lastActivityAt: 1, receivedAt: 1 };
  await db()
    .insert(conversations)
    .values(ids.flatMap((projectId) => ["conv_1", "conv_2"].map((id) => ({ projectId, id, key: id, ...times }))));
});
afterAll(() => db().delete(projects));

test("an existing row takes every column of the written one, and another project's row is unchanged", async () => {
  for (const same of [ours, theirs]) await insertRows(db(), modelCalls, { same, rows: [BEFORE], onConflict: {} });
  expect(await stored(ours)).toEqual([asStored(BEFORE)]);
  const differing = Object.keys(BEFORE).filter((name) => BEFORE[name as keyof Call] !== AFTER[name as keyof Call]);
  expect(differing).toEqual(Object.keys(BEFORE).filter((name) => name !== "trace_id" && name !== "span_id"));
  await insertRows(db(), modelCalls, { same: ours, rows: [AFTER], onConflict: {} });
  expect(await stored(ours)).toEqual([asStored(AFTER)]);
  expect(await stored(theirs)).toEqual([asStored(BEFORE)]);
});

test("a row that lacks a column of the table does not compile", () => {
  const { digest: _, ...forgetful } = BEFORE;
  // @ts-expect-error a column that is forgotten here would keep its old value for ever
  const refused = () => insertRows(db(), modelCalls, { same: ours, rows: [forgetful], onConflict: {} });
  // @ts-expect-error no such column
  const unknown = () => updateOf(modelCalls, [{ trace_id: "t1", span_id: "s1", colour: "red" }]);
  // @ts-expect-error a number where the column has text
  const mistyped = () => updateOf(modelCalls, [{ trace_id: "t1", span_id: "s1", name: 1 }]);
  expect([refused, unknown, mistyped]).toHaveLength(3);
});

test("more rows than fit one statement are all written, once", async () => {
  const rows = Array.from({ length: 4500 }, (_, n) => ({ ...AFTER, trace_id: "t2", span_id: String(n) }));
  for (let turn = 0; turn < 2; turn += 1) await insertRows(db(), modelCalls, { same: ours, rows, onConflict: {} });
  const [count] = await db().execute(sql`
    select count(*)::int as calls from model_calls where project_id = 'prj_1' and trace_id = 't2'`);
  expect(count).toEqual({ calls: 4500 });
});

test("an update writes the given fields to the rows with the given keys", async () => {
  const rows = [
    { trace_id: "t1", span_id: "s1", cost_total: "0.1", labels: ["x"] },
    { trace_id: "t1", span_id: "nowhere", cost_total: "1", labels: [] },
  ];
  const change = updateOf(modelCalls, rows);
  await db().execute(sql`
    update model_calls set ${change.set} from ${change.rows} where model_calls.project_id = 'prj_1' and ${change.matches}`);
  const [row] = (await stored(ours)).filter(({ trace_id }) => trace_id === "t1");
  expect(row).toEqual({ ...asStored(AFTER), cost_total: "0.1", labels: ["x"] });
  expect(await stored(theirs)).toEqual([asStored(BEFORE)]);
});

test("an unchanged row is not written again with `changedOnly`", async () => {
  const write = (terms: string[]) =>
    insertRows(db(), conversationSearch, {
      same: ours,
      rows: [{ conversation_id: "conv_1", started_at: 1, terms }],
      onConflict: { changedOnly: true },
    });
  const version = async () => {
    const mine = and(eq(conversationSearch.projectId, "prj_1"), eq(conversationSearch.conversationId, "conv_1"));
    return (
      await db().select({ terms: conversationSearch.terms, at: sql`xmin::text` }).from(conversationSearch).where(mine)
    )[0];
  };
  await write(["a", "b"]);
  const before = await version();
  await write(["a", "b"]);
  expect(await version()).toEqual(before);
  await write(["b"]);
  expect(await version()).toMatchObject({ terms: ["b"] });
});
