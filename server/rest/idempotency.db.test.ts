import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { z } from "zod";
import { db } from "@/db/pool";
import { newGate } from "@/db/testing/gate";
import { testProject } from "@/db/testing/test-project";
import { ServiceError } from "@/server/platform/errors";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { sweepKeys } from "@/server/services/idempotency";
import { createDispatcher } from "./dispatcher";
import type { Operation } from "./operation";
import { OPERATIONS } from "./operations";
import { cookieFor, keyFor, requestTo } from "./testing";

let calls = 0;
/** What the next call does after its effect. */
let then: () => unknown = () => {};

/** Its effect is a row for each time that it actually ran. */
const order = verb(
  {
    name: "things.order",
    summary: "Orders a thing.",
    description: "",
    capability: "workspace:read",
    effect: "write",
    input: z.strictObject({ what: z.string(), size: z.int().optional() }),
    reply: z.object({ call: z.int(), what: z.string() }),
  },
  async (ctx, { what }) => {
    await emit(ctx.db, { name: "ordered", data: { projectId: ctx.projectId, what } });
    const call = ++calls;
    await then();
    return { call, what };
  },
);
const operations: Operation[] = [
  { heading: "Things", method: "POST", path: "/projects/:projectId/orders", verb: order, status: 201 },
  { heading: "Things", method: "PUT", path: "/projects/:projectId/orders", verb: order },
  { heading: "Things", method: "POST", path: "/projects/:projectId/others", verb: order },
];
/** Two processes on one database. */
const [here, elsewhere] = [createDispatcher(operations), createDispatcher(operations)];

async function shop() {
  then = () => {};
  const { ctx, userId } = await testProject();
  const key = await keyFor(ctx, "workspace:read");
  const path = `/v1/projects/${ctx.projectId}/orders`;
  const post = (idempotencyKey: string, body: unknown, { process = here, to = path, as = key, method = "POST" } = {}) =>
    process(requestTo(method, to, { key: as, body, headers: { "idempotency-key": idempotencyKey } }));
  const effects = async () => {
    const rows = await db().execute(sql`select 1 from job_events where project_id = ${ctx.projectId}`);
    return rows.length;
  };
  return { ctx, userId, key, path, post, effects };
}
const gist = async (reply: Response) => ({
  status: reply.status,
  replayed: reply.headers.get("idempotent-replayed"),
  body: await reply.json(),
});

test("a retried POST gets the first response and has no further effect, in any process", async () => {
  const { post, effects } = await shop();
  const first = await gist(await post("a-1", { what: "ink" }));
  expect(first).toMatchObject({ status: 201, replayed: null, body: { what: "ink" } });
  for (const process of [here, elsewhere]) {
    expect(await gist(await post("a-1", { what: "ink" }, { process }))).toEqual({ ...first, replayed: "true" });
  }
  // The draft's quoted form is the same key.
  expect((await gist(await post('"a-1"', { what: "ink" }))).replayed).toBe("true");
  expect(await effects()).toBe(1);
});

test("a key is refused for another body or another address", async () => {
  const { post, path, effects } = await shop();
  await post("b-1", { what: "ink" });
  expect((await post("b-1", { what: "pen" })).status).toBe(422);
  expect((await post("b-1", { what: "ink" }, { to: path.replace("orders", "others") })).status).toBe(422);
  expect(await effects()).toBe(1);
});

test("keys are separate for each API key, person and project", async () => {
  const { ctx, userId, post, path, effects } = await shop();
  await post("c-1", { what: "ink" });
  const second = await keyFor(ctx, "workspace:read");
  expect((await gist(await post("c-1", { what: "pen" }, { as: second }))).replayed).toBeNull();
  const { cookie } = await cookieFor(userId);
  const byPerson = await here(
    requestTo("POST", path, {
      cookie,
      body: { what: "nib" },
      headers: { "idempotency-key": "c-1", "sec-fetch-site": "same-origin" },
    }),
  );
  expect((await gist(byPerson)).body).toMatchObject({ what: "nib" });
  const theirs = await shop();
  expect((await gist(await theirs.post("c-1", { what: "gum" }))).body).toMatchObject({ what: "gum" });
  expect(await effects()).toBe(3);
});

test("the same request is a 409 with Retry-After while the first one is still running", async () => {
  const { post, effects } = await shop();
  const gate = newGate();
  then = () => gate.promise;
  const before = calls;
  const first = post("d-1", { what: "ink" });
  await expect.poll(() => calls).toBe(before + 1);
  expect((await post("d-1", { what: "ink" }, { process: elsewhere })).status).toBe(409);
  const second = await post("d-1", { what: "ink" });
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
  gate.resolve();
  expect((await first).status).toBe(201);
  expect((await gist(await post("d-1", { what: "ink" }))).replayed).toBe("true");
  expect(await effects()).toBe(1);
});

test("fifty concurrent requests take effect once", async () => {
  const { post, effects } = await shop();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => post("e-1", { what: "ink" }, { process: n % 2 ? here : elsewhere })),
  );
  const statuses = new Set(replies.map(({ status }) => status));
  expect([...statuses].every((status) => status === 201 || status === 409)).toBe(true);
  expect(await effects()).toBe(1);
});

test("a refusal is replayed like a success", async () => {
  const { post, effects } = await shop();
  then = () => {
    throw new ServiceError("unprocessable", "Out of ink.");
  };
  const first = await gist(await post("f-1", { what: "ink" }));
  then = () => {};
  expect(await gist(await post("f-1", { what: "ink" }))).toEqual({ ...first, replayed: "true" });
  expect(first).toMatchObject({ status: 422, body: { detail: "Out of ink." } });
  const wrong = await gist(await post("f-2", { colour: "red" }));
  expect(wrong.status).toBe(400);
  expect(await gist(await post("f-2", { colour: "red" }))).toEqual({ ...wrong, replayed: "true" });
  expect(await effects()).toBe(0);
});

test("a server error is not stored: the next attempt runs, and the failed one's effects are rolled back", async () => {
  const { post, effects } = await shop();
  for (const error of [new Error("bug"), new ServiceError("rate_limited", "Slower.", { retryAfter: 3 })]) {
    then = () => {
      throw error;
    };
    const reply = await post("g-1", { what: "ink" });
    expect([500, 429]).toContain(reply.status);
    if (reply.status === 429) expect(reply.headers.get("retry-after")).toBe("3");
  }
  expect(await effects()).toBe(0);
  then = () => {};
  expect(await gist(await post("g-1", { what: "ink" }))).toMatchObject({ status: 201, replayed: null });
  expect(await effects()).toBe(1);
});

test("a dead process's lease expires for the same request only, and its own late attempt is rolled back", async () => {
  const { ctx, post, effects } = await shop();
  const gate = newGate();
  then = () => gate.promise;
  const before = calls;
  const late = post("h-1", { what: "ink" });
  await expect.poll(() => calls).toBe(before + 1);
  then = () => {};
  // As if the process had not renewed its lease.
  await db().execute(sql`update idempotency_keys set lease_until = 0 where project_id = ${ctx.projectId}`);
  expect((await post("h-1", { what: "pen" }, { process: elsewhere })).status).toBe(422);
  const taken = await gist(await post("h-1", { what: "ink" }, { process: elsewhere }));
  expect(taken).toMatchObject({ status: 201, replayed: null });
  gate.resolve();
  expect((await late).status).toBe(409);
  expect(await gist(await post("h-1", { what: "ink" }))).toEqual({ ...taken, replayed: "true" });
  expect(await effects()).toBe(1);
});

test("a key is free again after a day, and old rows are deleted", async () => {
  const { ctx, post } = await shop();
  const age = (hours: number) =>
    db().execute(
      sql`update idempotency_keys set created_at = created_at - ${hours * 3_600_000}::bigint where project_id = ${ctx.projectId}`,
    );
  await post("i-1", { what: "ink" });
  await age(23);
  expect(await sweepKeys(db())).toBe(0);
  expect((await gist(await post("i-1", { what: "ink" }))).replayed).toBe("true");
  await age(2);
  expect(await gist(await post("i-1", { what: "pen" }))).toMatchObject({ status: 201, replayed: null });
  await age(25);
  expect(await sweepKeys(db())).toBe(1);
});

test("an invalid key is a 400, PUT ignores keys, and a missing credential is still a 401", async () => {
  const { post, path } = await shop();
  for (const bad of ["", " ", "two words", "x".repeat(256)])
    expect((await post(bad, { what: "ink" })).status).toBe(400);
  expect((await gist(await post("j-1", { what: "ink" }, { method: "PUT" }))).replayed).toBeNull();
  expect((await gist(await post("j-1", { what: "pen" }, { method: "PUT" }))).status).toBe(200);
  expect((await here(requestTo("POST", path, { body: {}, headers: { "idempotency-key": "j-1" } }))).status).toBe(401);
});

test("a secret in a response is replayed, and is stored nowhere in the table in plain text", async () => {
  const { ctx } = await testProject();
  const admin = await keyFor(ctx, "project:admin");
  const dispatch = createDispatcher(OPERATIONS);
  const create = () =>
    dispatch(
      requestTo("POST", `/v1/projects/${ctx.projectId}/api-keys`, {
        key: admin,
        body: { name: "once", capabilities: ["project:admin"] },
        headers: { "idempotency-key": "k-1" },
      }),
    ).then(gist);
  const first = await create();
  expect(first.status).toBe(201);
  expect((await create()).body).toEqual(first.body);
  const { secret } = first.body as { secret: string };
  const rows = await db().execute(sql`select * from idempotency_keys where project_id = ${ctx.projectId}`);
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect(JSON.stringify(rows)).not.toContain("k-1");
  expect(Buffer.from(String(rows[0]?.answer), "base64").toString("latin1")).not.toContain(secret.slice(5, 20));
});
