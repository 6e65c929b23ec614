import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { projects, telemetryRefusals, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { MINUTE_MS } from "@/server/platform/durations";
import { refusals } from "@/server/platform/http/telemetry-refusals";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { revokeApiKey } from "@/server/services/api-keys";
import { getHome } from "@/server/services/home";
import { scheduleHousekeeping } from "@/server/services/retention";
import { listRefusals } from "..";
import { storeRefusals } from "./store-refusals";

const dispatch = createDispatcher(OPERATIONS);
let networks = 0;
/** A network that no other test sends from. */
const newNetwork = () => `2001:db8:${(++networks).toString(16)}:${process.pid.toString(16).slice(-4)}::1`;

afterEach(() => refusals.flush());

type Sent = { key?: string; address?: string; method?: string; headers?: Record<string, string>; body?: BodyInit };
async function send(path: string, { key, address = newNetwork(), method = "POST", headers, body = "{}" }: Sent) {
  const reply = await dispatch(
    new Request(`http://test${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        "x-forwarded-for": address,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(method === "POST" ? { body } : {}),
    }),
  );
  await reply.arrayBuffer();
  return reply.status;
}
const at = (ctx: Ctx, address: string): Ctx => ({ ...ctx, request: { requestId: "r", address, door: "trpc" } });
async function listed(ctx: Ctx) {
  await refusals.flush();
  const { refusals: found } = await listRefusals(ctx, {});
  return Object.fromEntries(found.map(({ reason, from, count }) => [`${reason} ${from}`, count]));
}
const idOf = (key: string) => `key_${key.split("_")[1]}`;
const mistyped = (key: string) => `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`;

test("each way to be refused at a telemetry address is listed with its remedy, in its own project only", async () => {
  const { ctx } = await testProject("editor");
  const { ctx: other } = await testProject("editor");
  const key = await keyFor(ctx, "telemetry:write");
  const reader = await keyFor(ctx, "diagnostics:read");
  const path = "/v1/otlp/v1/traces";

  expect(await send(path, { key: mistyped(key) })).toBe(401);
  expect(await send(path, { key: reader })).toBe(403);
  expect(await send("/v1/otlp/traces", { key })).toBe(404);
  expect(await send("/v1/traces/v1/traces", { key })).toBe(404);
  expect(await send("/v1/logs", { key, method: "GET" })).toBe(405);
  expect(await send(path, { key, headers: { "content-type": "text/plain" } })).toBe(415);
  expect(await send("/v1/traces", { key, headers: { "content-encoding": "br" } })).toBe(415);
  expect(await send("/v1/logs", { key, body: "[" })).toBe(400);
  expect(await send("/v1/metrics", { key, body: " ".repeat(4 * 1024 * 1024 + 1) })).toBe(413);
  expect(await send(path, { key })).toBe(200);

  expect(await listed(ctx)).toEqual({
    "unknown_key project": 1,
    "missing_capability project": 1,
    "wrong_path project": 2,
    "wrong_method project": 1,
    "wrong_content_type project": 2,
    "malformed_body project": 1,
    "too_large project": 1,
  });
  const { refusals: found } = await listRefusals(ctx, {});
  expect(found.find(({ reason }) => reason === "missing_capability")).toMatchObject({
    what: "with a key that may not send telemetry",
    remedy: "Use a key with the capability `telemetry:write`.",
    keyIds: [idOf(reader)],
  });
  expect(await listed(other)).toEqual({});
  expect((await getHome(ctx, {})).home.pulse.refusedRequests).toBe(9);
  expect((await getHome(other, {})).home.pulse.refusedRequests).toBe(0);
});

test("a revoked key is told from a mistyped one", async () => {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "telemetry:write");
  await revokeApiKey(ctx, { keyId: idOf(key) });
  expect(await send("/v1/traces", { key })).toBe(401);
  expect(await listed(ctx)).toMatchObject({ "inactive_key project": 1 });
});

test("metrics are listed as not stored, and Home does not count them as refused", async () => {
  const { ctx } = await testProject("editor");
  const key = await keyFor(ctx, "telemetry:write");
  const body = JSON.stringify({
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "n", sum: { dataPoints: [{ asInt: "1" }] } }] }] }],
  });
  expect(await send("/v1/metrics", { key, body })).toBe(200);
  expect(await listed(ctx)).toEqual({ "metrics_not_stored project": 1 });
  expect((await getHome(ctx, {})).home.pulse.refusedRequests).toBe(0);
});

test("what names no project is shown to people at the sender's network and to owners of the installation", async () => {
  const address = newNetwork();
  const { ctx, asKey } = await testProject();
  expect(await send("/v1/traces", { address })).toBe(401);
  expect(await send("/v1/traces", { address, key: `whet_${"0".repeat(32)}_${"x".repeat(46)}` })).toBe(401);
  expect(await listed(at(ctx, address))).toEqual({ "missing_key own_network": 1, "unknown_key own_network": 1 });
  expect(await listed(at(ctx, newNetwork()))).toEqual({});
  expect(await listed(at(asKey("diagnostics:read"), address))).toEqual({});

  const { ctx: owner, userId } = await testProject();
  await db().update(users).set({ installationOwner: true }).where(eq(users.id, userId));
  const seen = await listed(at(owner, newNetwork()));
  expect(seen["missing_key elsewhere"]).toBeGreaterThanOrEqual(1);
});

test("stored rows contain no key, no address and no path", async () => {
  const { ctx } = await testProject();
  const [key, address] = [await keyFor(ctx, "telemetry:write"), newNetwork()];
  await send("/v1/otlp/traces", { key, address });
  await send("/v1/traces", { key: "sk-another-products-secret", address });
  await refusals.flush();
  const rows = await db().execute<{ row: string }>(sql`select r::text as row from telemetry_refusals r`);
  const text = [...rows].map(({ row }) => row).join("\n");
  expect(text).toContain(idOf(key));
  for (const secret of [key, key.slice(-46), "another-products", "2001:db8", "otlp"])
    expect(text).not.toContain(secret);
});

test("two processes that count the same at once add up in one row", async () => {
  const { ctx } = await testProject("editor");
  const keyId = idOf(await keyFor(ctx, "telemetry:write"));
  const counts = (["wrong_path", "too_large", "malformed_body"] as const).map((reason) => ({
    reason,
    keyId,
    network: null,
    count: 5,
    ageMs: 0,
  }));
  await Promise.all([...Array(8)].map((_, n) => storeRefusals(db(), n % 2 ? counts : [...counts].reverse())));
  expect(await listed(ctx)).toEqual({
    "wrong_path project": 40,
    "too_large project": 40,
    "malformed_body project": 40,
  });
});

test("housekeeping deletes refusals after a day, and a deleted project takes its own with it", async () => {
  const { ctx } = await testProject();
  const keyId = idOf(await keyFor(ctx, "telemetry:write"));
  const aged = (minutes: number) => ({
    reason: "wrong_path" as const,
    keyId,
    network: null,
    count: 1,
    ageMs: minutes * MINUTE_MS,
  });
  await storeRefusals(db(), [aged(24 * 60 + 2), aged(30)]);
  const left = () => db().$count(telemetryRefusals, eq(telemetryRefusals.projectId, ctx.projectId));
  expect(await left()).toBe(2);
  await scheduleHousekeeping(db());
  expect(await left()).toBe(1);
  await db().delete(projects).where(eq(projects.id, ctx.projectId));
  expect(await left()).toBe(0);
});
