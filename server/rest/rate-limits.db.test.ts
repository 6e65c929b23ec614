import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { verb } from "@/server/platform/verb";
import { createRateLimiter, type Limit } from "@/server/services/rate-limits";
import { receiveTraces } from "@/server/services/telemetry";
import { createDispatcher } from "./dispatcher";
import type { Operation } from "./operation";
import { expectSpent, keyFor, requestTo } from "./testing";

/** In a separate file, because the environment is read only once. */
Object.assign(process.env, {
  RATE_LIMIT_KEY_REQUESTS: "20",
  RATE_LIMIT_PROJECT_REQUESTS: "30",
  RATE_LIMIT_KEY_INGEST_MIB: "0.05",
  RATE_LIMIT_PROJECT_INGEST_MIB: "1",
});

const look = verb(
  {
    name: "things.look",
    summary: "Looks.",
    description: "",
    capability: "workspace:read",
    effect: "read",
    input: z.strictObject({}),
    reply: z.object({}),
  },
  async () => ({}),
);
const operations: Operation[] = [
  { heading: "Things", method: "GET", path: "/projects/:projectId/things", verb: look },
  {
    heading: "Ingest",
    method: "POST",
    path: "/otlp/v1/traces",
    stream: receiveTraces,
  },
];
const processes = [createDispatcher(operations), createDispatcher(operations), createDispatcher(operations)] as const;

async function visitor() {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "workspace:read", "telemetry:write");
  const get = (as = key, process: number = 0) =>
    (processes[process] as (typeof processes)[0])(
      requestTo("GET", `/v1/projects/${ctx.projectId}/things`, { key: as }),
    );
  return { ctx, key, get };
}
/** Stops the refill within the process; the database's clock continues. */
const stopClock = () => vi.useFakeTimers({ toFake: ["performance"] });
afterEach(() => void vi.useRealTimers());
/** The numbers of a `RateLimit` header: `"key";r=19;t=3` → `{key: {r: 19, t: 3}}`. */
const parsed = (header: string | null) =>
  Object.fromEntries(
    [...(header ?? "").matchAll(/"(\w+)";r=(\d+);t=(\d+)/g)].map(([, name, r, t]) => [
      name,
      { r: Number(r), t: Number(t) },
    ]),
  );

test("every response has the remaining quota of the key and the project, and the policy", async () => {
  const { ctx: of, get } = await visitor();
  stopClock();
  const first = await get();
  expect(first.headers.get("ratelimit-policy")).toBe('"key";q=20;w=60, "project";q=30;w=60');
  expect(parsed(first.headers.get("ratelimit"))).toMatchObject({ key: { r: 19, t: 3 }, project: { r: 29, t: 2 } });
  await db().execute(sql`update rate_buckets set refilled_at = refilled_at + 60000 where project_id = ${of.projectId}`);
  expect(parsed((await get()).headers.get("ratelimit"))).toMatchObject({ key: { r: 18 } });
  const { ctx } = await visitor();
  const poor = await keyFor(ctx, "telemetry:write");
  const refused = await processes[0](requestTo("GET", `/v1/projects/${ctx.projectId}/things`, { key: poor }));
  expect([refused.status, parsed(refused.headers.get("ratelimit")).key?.r]).toEqual([403, 19]);
});

test("a key over its limit gets Retry-After, and is served again after that time", async () => {
  const { ctx, get } = await visitor();
  stopClock();
  const begun = Date.now();
  const replies: Response[] = [];
  while (replies.at(-1)?.status !== 429) replies.push(await get());
  expectSpent(replies, 20, begun, 0);
  const last = replies.at(-1) as Response;
  expect(last.headers.get("retry-after")).toMatch(/^[1-3]$/);
  expect(last.headers.get("content-type")).toBe("application/problem+json");
  expect(parsed(last.headers.get("ratelimit")).key?.r).toBe(0);
  expect(await last.json()).toMatchObject({
    status: 429,
    code: "rate_limited",
    detail: expect.stringContaining('"key"'),
  });
  // One token refills every three seconds.
  await db().execute(sql`update rate_buckets set refilled_at = refilled_at - 3000 where project_id = ${ctx.projectId}`);
  const again = await (processes[1] as (typeof processes)[0])(
    requestTo("GET", `/v1/projects/${ctx.projectId}/things`, { key: await keyFor(ctx, "workspace:read") }),
  );
  expect(again.status).toBe(200);
});

test("a key and a project each have one limit across all processes and concurrent requests", async () => {
  const { ctx, key, get } = await visitor();
  const begun = Date.now();
  const ofKey = await Promise.all(Array.from({ length: 90 }, (_, n) => get(key, n % 3)));
  expectSpent(ofKey, 20, begun, processes.length);
  const second = await keyFor(ctx, "workspace:read");
  const ofProject = await Promise.all(Array.from({ length: 60 }, (_, n) => get(second, n % 3)));
  expectSpent([...ofKey, ...ofProject], 30, begun, processes.length);
  expect(await (ofProject.find(({ status }) => status === 429) as Response).json()).toMatchObject({
    detail: expect.stringContaining('"project"'),
  });
});

test("one project's requests do not use up another's limit", async () => {
  const [busy, quiet] = [await visitor(), await visitor()];
  await Promise.all(Array.from({ length: 100 }, () => busy.get()));
  expect((await quiet.get()).status).toBe(200);
});

test("telemetry is limited by its bytes, separately from ordinary requests", async () => {
  const { ctx, key } = await visitor();
  const send = (bytes: number) =>
    processes[0](
      requestTo("POST", "/v1/otlp/v1/traces", { key, body: `{"resourceSpans":[]${" ".repeat(bytes - 20)}}` }),
    );
  const first = await send(30_000);
  expect(first.status).toBe(200);
  expect(first.headers.get("ratelimit-policy")).toContain(`"key";q=52428;w=60;qu="content-bytes"`);
  const refused = await send(30_000);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1);
  // Ordinary requests are counted separately.
  expect((await processes[0](requestTo("GET", `/v1/projects/${ctx.projectId}/things`, { key }))).status).toBe(200);
});

test("a batch larger than the whole limit passes when nothing else was sent, and its excess delays the next one", async () => {
  const { key } = await visitor();
  const send = (bytes: number) =>
    processes[0](
      requestTo("POST", "/v1/otlp/v1/traces", { key, body: `{"resourceSpans":[]${" ".repeat(bytes - 20)}}` }),
    );
  const limiter = createRateLimiter({ clock: () => 0 });
  const { ctx } = await testProject();
  const limit: Limit = { name: "key", id: "debt", quota: 100, windowSeconds: 60, unit: "content-bytes" };
  await limiter.spend(db(), ctx.projectId, [limit], 250);
  await expect(limiter.spend(db(), ctx.projectId, [limit], 1)).rejects.toMatchObject({ retryAfter: 91 });
  expect((await send(60_000)).status).not.toBe(500);
});

test("a busy key rarely queries the database, and a refused one hardly ever", async () => {
  const { ctx } = await testProject();
  const limiter = createRateLimiter();
  const limit: Limit = { name: "key", id: "busy", quota: 60_000, windowSeconds: 60, unit: "requests" };
  const asked = vi.spyOn(db(), "execute");
  for (let n = 0; n < 20_000; n++) await limiter.spend(db(), ctx.projectId, [limit], 1);
  expect(asked.mock.calls.length).toBeLessThan(60);
  const small = { ...limit, id: "small", quota: 5 };
  for (let n = 0; n < 5; n++) await limiter.spend(db(), ctx.projectId, [small], 1);
  const before = asked.mock.calls.length;
  for (let n = 0; n < 1000; n++) await limiter.spend(db(), ctx.projectId, [small], 1).catch(() => {});
  expect(asked.mock.calls.length - before).toBeLessThan(3);
  asked.mockRestore();
});

test("unspent tokens of a process are returned, and a clock that is set back does not block requests", async () => {
  const { ctx } = await testProject();
  let now = 1_000_000;
  const limiter = createRateLimiter({ clock: () => now });
  const limit: Limit = { name: "key", id: "back", quota: 1000, windowSeconds: 1_000_000, unit: "requests" };
  for (let n = 0; n < 100; n++) await limiter.spend(db(), ctx.projectId, [limit], 1);
  now += 5000;
  await limiter.spend(db(), ctx.projectId, [limit], 1);
  const other = createRateLimiter();
  await other.spend(db(), ctx.projectId, [limit], 1);
  const standing = other.stateOf(ctx.projectId, limit);
  // 102 spent; the first process keeps no more than its share of the rest.
  expect(standing.remaining).toBeLessThanOrEqual(898);
  expect(standing.remaining).toBeGreaterThanOrEqual(848);

  await db().execute(
    sql`update rate_buckets set tokens = 0, refilled_at = refilled_at + 3600000 where project_id = ${ctx.projectId}`,
  );
  const third = createRateLimiter();
  await expect(third.spend(db(), ctx.projectId, [limit], 1)).rejects.toMatchObject({ code: "rate_limited" });
  await db().execute(
    sql`update rate_buckets set refilled_at = refilled_at - 1500000 where project_id = ${ctx.projectId}`,
  );
  const fourth = createRateLimiter();
  await fourth.spend(db(), ctx.projectId, [limit], 1);
});

test("spending in a project that was just deleted does not throw", async () => {
  const limit: Limit = { name: "key", id: "gone", quota: 5, windowSeconds: 60, unit: "requests" };
  await createRateLimiter().spend(db(), "prj_gone", [limit], 1);
});
