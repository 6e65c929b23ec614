import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { queryChart } from "@/server/services/charts";
import { deleteConversation } from "@/server/services/deletion";
import { foldDailyCosts } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { exportCosts, getCosts, recountUserDays } from ".";

const DAY = Date.UTC(2026, 10, 1);
const RANGE = { from: DAY, to: DAY + 3 * DAY_MS };
const NOW_SETTLED = { forMs: 60_000, settledMs: 0 };
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");

let spans = 0;
type Sent = { user?: string | undefined; session?: string | undefined; day?: number; model?: string; tokens?: number };

/** Returns a call in a new trace. */
function call({ user, session, day = 0, model = "gpt-4o", tokens = 100 }: Sent) {
  const n = ++spans;
  const attributes = { ...(user !== undefined && { "user.id": user }), ...(session && { "session.id": session }) };
  const at = DAY + day * DAY_MS + n;
  return chatSpan(
    { traceId: hex(n, 32), spanId: hex(n, 16), startMs: at, attributes },
    { model, tokens: [tokens, 20] },
  );
}

/** Returns all that is read by user. */
async function reads(ctx: Ctx) {
  const chart = async (measure: "cost" | "tokens" | "calls", filters = {}) =>
    (await queryChart(ctx, { measure, ...RANGE, ...filters })).chart;
  return {
    costs: (await getCosts(ctx, { ...RANGE, groupBy: "user" })).costs,
    csv: (await exportCosts(ctx, { ...RANGE, groupBy: "user" })).csv,
    charts: [
      await chart("cost", { group: "user" }),
      await chart("tokens", { group: "user" }),
      await chart("calls", { userId: "ann" }),
      await chart("cost", { userId: "ann", group: "user" }),
    ],
  };
}

const counted = async ({ projectId }: Ctx) => [
  ...(await db().execute(sql`
    select day::float8 as day, user_id, calls::int from daily_user_costs where project_id = ${projectId} order by 1, 2`)),
];
const staleDays = async ({ projectId }: Ctx) => [
  ...(await db().execute(
    sql`select distinct day::float8 as day from stale_user_days where project_id = ${projectId} order by 1`,
  )),
];
const markAll = ({ projectId }: Ctx) =>
  db().execute(sql`
    insert into stale_user_days (project_id, day)
    select ${projectId}, ${DAY}::bigint + d * ${DAY_MS}::bigint from generate_series(0, 2) d`);

/** Returns the calls and costs by user as their calls have them. */
const fromCalls = async ({ projectId }: Ctx) => [
  ...(await db().execute(sql`
    select nullif(coalesce(c.user_id, ''), '') as key, count(*)::int as calls,
           count(*) filter (where m.cost_total is null)::int as "unpricedCalls", trim_scale(sum(m.cost_total))::text as "exactCost"
    from model_calls m join conversations c on c.project_id = m.project_id and c.id = m.conversation_id
    where m.project_id = ${projectId} group by c.user_id
    order by coalesce(sum(m.cost_total), 0) desc, count(*) desc, coalesce(c.user_id, '')`)),
];

const users = fc.constantFrom(undefined, "ann", "bob", "eve");
const step = fc.oneof(
  fc.record({
    send: fc.record({
      user: users,
      session: fc.constantFrom(undefined, "a", "b", "c"),
      day: fc.nat(2),
      model: fc.constantFrom("gpt-4o", "nobody-knows"),
      tokens: fc.nat(1000),
    }),
  }),
  fc.record({ reprice: fc.nat(5), cost: fc.constantFrom(null, "0", "0.1", "0.000000000000000123") }),
  fc.record({ user: users, of: fc.nat(5) }),
  fc.record({ delete: fc.nat(5) }),
  fc.constant({ recount: true }),
);

/** Changes a project's calls or their users as the product does: through the tables that the triggers watch. */
async function take(ctx: Ctx, one: Record<string, unknown>) {
  const { projectId } = ctx;
  const nth = (n: unknown) =>
    sql`(select id from conversations where project_id = ${projectId} order by id limit 1 offset ${n}::int)`;
  if ("send" in one) await ingest(ctx, [call(one.send as Sent)]);
  else if ("cost" in one)
    await db().execute(sql`
      update model_calls set cost_total = ${one.cost}::numeric
      where project_id = ${projectId} and conversation_id = ${nth(one.reprice)}`);
  else if ("of" in one)
    await db().execute(sql`
      update conversations set user_id = ${one.user ?? null} where project_id = ${projectId} and id = ${nth(one.of)}`);
  else if ("delete" in one) {
    const [row] = await db().execute<{ id: string | null }>(sql`select ${nth(one.delete)} as id`);
    if (row?.id) await deleteConversation(ctx, { conversationId: row.id });
  } else await recountUserDays(db(), NOW_SETTLED);
}

test("costs by user are those of the calls, whether a day was counted, has changed since or is counted again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
      const { ctx } = await testProject();
      for (const one of steps) await take(ctx, one);
      const mixed = await reads(ctx);
      expect(mixed.costs.rows).toMatchObject(await fromCalls(ctx));
      await markAll(ctx);
      expect(await reads(ctx)).toEqual(mixed);
      await recountUserDays(db(), NOW_SETTLED);
      expect(await staleDays(ctx)).toEqual([]);
      await foldDailyCosts(db());
      expect(await reads(ctx)).toEqual(mixed);
    }),
    { numRuns: amount(6, 100) },
  );
}, 600_000);

test("a day is counted once it has settled, and only if there are users", async () => {
  const { ctx } = await testProject();
  const nobody = await testProject();
  await ingest(ctx, [call({ user: "ann" }), call({}), call({ user: "bob", day: 1 }), call({ day: 2 })]);
  await ingest(nobody.ctx, [call({})]);
  await recountUserDays(db(), { forMs: 60_000 });
  expect(await counted(ctx)).toEqual([]);
  await recountUserDays(db(), NOW_SETTLED);
  expect(await counted(ctx)).toEqual([
    { day: DAY, user_id: "", calls: 1 },
    { day: DAY, user_id: "ann", calls: 1 },
    { day: DAY + DAY_MS, user_id: "bob", calls: 1 },
  ]);
  expect(await counted(nobody.ctx)).toEqual([]);
  const { costs } = await getCosts(nobody.ctx, { ...RANGE, groupBy: "user" });
  expect(costs.rows).toMatchObject([{ key: null, calls: 1, exactCost: "0.00045" }]);
});

test("a conversation whose user becomes known later counts for that user", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ session: "a" }), call({ session: "a", day: 1 })]);
  await recountUserDays(db(), NOW_SETTLED);
  await ingest(ctx, [call({ session: "a", user: "ann", day: 2 })]);
  expect(await staleDays(ctx)).toEqual([0, 1, 2].map((n) => ({ day: DAY + n * DAY_MS })));
  const { costs } = await getCosts(ctx, { ...RANGE, groupBy: "user" });
  expect(costs.rows).toMatchObject([{ key: "ann", calls: 3 }]);
});

test("what changes while its day is counted leaves that day stale", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ user: "ann" })]);
  await db().transaction(async (tx) => {
    await tx.execute(sql`update model_calls set cost_total = 7 where project_id = ${ctx.projectId}`);
    await recountUserDays(db(), NOW_SETTLED);
    expect(await counted(ctx)).toHaveLength(1);
  });
  expect(await staleDays(ctx)).toEqual([{ day: DAY }]);
  const { costs } = await getCosts(ctx, { ...RANGE, groupBy: "user" });
  expect(costs.rows).toMatchObject([{ key: "ann", calls: 1, exactCost: "7" }]);
});
