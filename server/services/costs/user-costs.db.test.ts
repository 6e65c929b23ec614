import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { deleteConversation } from "@/server/services/deletion";
import { getConversation } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { exportCosts, getCosts } from ".";

const DAY = Date.UTC(2026, 10, 1);
const RANGE = { from: DAY, to: DAY + 2 * DAY_MS };
const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");

let spans = 0;
type Sent = { user?: string; session?: string; at?: number; model?: string; tokens?: [number, number] };

/** Returns a call in a new trace; 100 input and 20 output tokens of gpt-4o cost $0.00045. */
function call({ user, session, at = DAY, model = "gpt-4o", tokens = [100, 20] }: Sent) {
  const n = ++spans;
  const attributes = { ...(user !== undefined && { "user.id": user }), ...(session && { "session.id": session }) };
  return chatSpan({ traceId: hex(n, 32), spanId: hex(n, 16), startMs: at, attributes }, { model, tokens });
}

const byUser = async (ctx: Ctx, range = RANGE) => (await getCosts(ctx, { ...range, groupBy: "user" })).costs;

test("costs by user are exact, split by the UTC day of the call, have one row for calls without a user and exclude other projects", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  await ingest(ctx, [
    call({ user: "ada", session: "a" }),
    // The last millisecond of the day, and the first of the next, in a conversation that began before.
    call({ user: "ada", session: "a", at: DAY + DAY_MS - 1 }),
    call({ user: "ada", session: "a", at: DAY + DAY_MS, tokens: [1, 0] }),
    call({ user: "bob", model: "nobody-knows" }),
    call({ tokens: [10, 0] }),
    call({ user: "ada", at: DAY - 1 }),
    call({ user: "ada", at: DAY + 2 * DAY_MS }),
  ]);
  await ingest(theirs.ctx, [call({ user: "ada" }), call({ user: "eve" })]);
  const costs = await byUser(ctx);
  expect(costs.rows).toEqual([
    {
      key: "ada",
      calls: 3,
      unpricedCalls: 0,
      cost: 0.0009025,
      exactCost: "0.0009025",
      costComplete: true,
      usage: { input_tokens: 201, output_tokens: 40 },
    },
    {
      key: null,
      calls: 1,
      unpricedCalls: 0,
      cost: 0.000025,
      exactCost: "0.000025",
      costComplete: true,
      usage: { input_tokens: 10 },
    },
    {
      key: "bob",
      calls: 1,
      unpricedCalls: 1,
      cost: null,
      exactCost: null,
      costComplete: false,
      usage: { input_tokens: 100, output_tokens: 20 },
    },
  ]);
  expect(costs.series).toEqual([
    { key: "ada", others: false, values: [0.0009, 0.0000025], unpricedCalls: [0, 0] },
    { key: null, others: false, values: [0.000025, null], unpricedCalls: [0, 0] },
    { key: "bob", others: false, values: [null, null], unpricedCalls: [1, 0] },
  ]);
  expect(costs).toMatchObject({ rest: null, rowsLeftOut: 0, total: { calls: 5, exactCost: "0.0009275" } });

  const { csv } = await exportCosts(ctx, { ...RANGE, groupBy: "user" });
  expect(csv.fileName).toBe("costs-by-user-2026-11-01-2026-11-02.csv");
  expect(csv.text.split("\r\n").map((line) => line.split(",").slice(0, 5).join())).toEqual([
    "day,user_id,calls,unpriced_calls,cost_usd",
    "2026-11-01,,1,0,0.000025",
    "2026-11-01,ada,2,0,0.0009",
    "2026-11-01,bob,1,1,",
    "2026-11-02,ada,1,0,0.0000025",
    "",
  ]);

  const { id } = (await getConversation(ctx, { conversationId: "a" })).conversation;
  await deleteConversation(ctx, { conversationId: id });
  expect((await byUser(ctx)).rows.map(({ key }) => key)).toEqual([null, "bob"]);
  expect((await byUser(theirs.ctx)).rows.map(({ key }) => key).sort()).toEqual(["ada", "eve"]);
});

test("users are conversation data: a caller who may only read prices gets no costs by user", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [call({ user: "ada" })]);
  const as = (...capabilities: ("model-pricing:read" | "project:data:read")[]): Ctx => ({
    ...ctx,
    actor: { kind: "apiKey", keyId: "key_1", capabilities },
  });
  await expect(byUser(as("model-pricing:read"))).rejects.toMatchObject({ code: "forbidden" });
  await expect(exportCosts(as("model-pricing:read"), { ...RANGE, groupBy: "user" })).rejects.toMatchObject({
    code: "forbidden",
  });
  expect((await byUser(as("model-pricing:read", "project:data:read"))).rows).toMatchObject([{ key: "ada" }]);
  expect((await getCosts(as("model-pricing:read"), RANGE)).costs.total.calls).toBe(1);
});

test("the costs of groups beyond the first 500 are summed exactly", async () => {
  const { ctx } = await testProject();
  await db().execute(sql`
    insert into daily_costs (project_id, day, model, provider, model_price_id, vendor, calls, unpriced_calls, cost, usage)
    select ${ctx.projectId}, ${DAY}::bigint, 'model ' || n, '', '', '', 2, (n = 2)::int, n + 0.000000000000000001,
           '{"audio_seconds": 0.1}'
    from generate_series(1, 503) n`);
  const { costs } = await getCosts(ctx, RANGE);
  expect(costs.rows).toHaveLength(500);
  expect(costs.rowsLeftOut).toBe(3);
  expect(costs.rest).toEqual({
    calls: 6,
    unpricedCalls: 1,
    cost: 6,
    exactCost: "6.000000000000000003",
    costComplete: false,
    usage: { audio_seconds: 0.3 },
  });
  expect(costs.total).toMatchObject({ calls: 1006, exactCost: `${(503 * 504) / 2}.000000000000000503` });
});
