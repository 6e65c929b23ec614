import { createHmac } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { auditLog } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { rewrapSecrets, ringStatus, rotateSecrets } from "@/server/services/secrets";
import { createConnection, getConnection, openConnection, testConnection, updateConnection } from ".";
import type { Connection, ConnectionKind } from "./schemas";
import { json, type Received, startService } from "./testing";

/** In its own file because the environment is read only once. Services on loopback may be called here. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

const SECRET = "tok-91b2c7-very-secret";
/** Text from a service's replies, which must not appear anywhere else. */
const THEIRS = "upstream-words-5521";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
async function service(reply: Parameters<typeof startService>[0]) {
  const started = await startService(reply);
  stops.push(started.stop);
  return started;
}

type Given = { secret?: string | undefined; settings?: object; baseUrl?: string };
async function connect(ctx: Ctx, kind: ConnectionKind, { secret = SECRET, ...more }: Given = {}) {
  const input = { kind, name: `Our ${kind}`, secret, ...more };
  return (await createConnection(ctx, input as Parameters<typeof createConnection>[1])).connection;
}
const testOf = async (ctx: Ctx, { id }: Pick<Connection, "id">) =>
  (await testConnection(ctx, { connectionId: id })).test;

const USER = { login: "ann", username: "ann", name: "ann", displayName: "Ann", accountId: "1" };

/** Each API as documented: where requests go, how, and what it replies. */
const APIS: [ConnectionKind, Given, { method: string; path: string; authorization: string; reply: unknown }][] = [
  ["model", {}, { method: "GET", path: "/models", authorization: `Bearer ${SECRET}`, reply: { data: [{ id: "m" }] } }],
  ["model-hub", {}, { method: "GET", path: "/api/whoami-v2", authorization: `Bearer ${SECRET}`, reply: USER }],
];

test.each(APIS)("%s is called as its API expects (%o)", async (kind, given, { method, path, authorization, reply }) => {
  const { ctx } = await testProject();
  const { url, received } = await service((_, response) => json(response, reply));
  const connection = await connect(ctx, kind, { ...given, baseUrl: `${url}/base` });
  expect(await testOf(ctx, connection)).toEqual({ ok: true, problems: [] });
  expect(received).toMatchObject([{ method, path: `/base${path}`, headers: { authorization } }]);
  expect((await getConnection(ctx, { connectionId: connection.id })).connection).toMatchObject({
    lastTest: { ok: true, problems: [], at: expect.any(Number) },
  });
});

const FAILURES: [string, number, RegExp][] = [
  ["401", 401, /refused the secret \(401\)/],
  ["403", 403, /does not let it do this \(403\)/],
  ["404", 404, /no .* API at this address \(404\)/],
  ["500", 500, /500/],
];
const KINDS = ["model", "model-hub"] as const;
const TRACKERS = ["github", "gitlab", "linear", "jira"] as const;

test.each(KINDS.flatMap((kind) => FAILURES.map((failure) => [kind, ...failure] as const)))(
  "%s: a reply with %s is reported as a problem in our own words",
  async (kind, _, status, words) => {
    const { ctx } = await testProject();
    const { url } = await service((__, response) => json(response, { message: `${THEIRS} ${SECRET}` }, status));
    const connection = await connect(ctx, kind, { baseUrl: url });
    const found = await testOf(ctx, connection);
    expect(found).toMatchObject({ ok: false, problems: [expect.stringMatching(words)] });
    expect(JSON.stringify(found)).not.toMatch(new RegExp(`${THEIRS}|${SECRET}`));
  },
);

test.each(TRACKERS.flatMap((kind) => [200, 401, 403, 404, 500].map((status) => [kind, status] as const)))(
  "%s: a reply with %s in another API's format is reported as a problem, without a secret that it repeats",
  async (kind, status) => {
    const { ctx } = await testProject();
    const { url, ...one } = await service((_, response) =>
      json(response, { message: SECRET, errors: [{ message: SECRET }], errorMessages: [SECRET] }, status),
    );
    const connection = await connect(ctx, kind, { baseUrl: kind === "gitlab" ? `${url}/api/v4` : url });
    const found = await testOf(ctx, connection);
    expect(found).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/[a-z]{3}/), ...found.problems.slice(1)],
    });
    expect(JSON.stringify(found)).not.toContain(SECRET);
    expect(one.received.length).toBeGreaterThan(0);
  },
);

test.each(KINDS)(
  "%s: a web page instead of the API's reply is reported as a problem, without quoting its text",
  async (kind) => {
    const { ctx } = await testProject();
    const { url, ...one } = await service((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<html>${THEIRS}</html>`),
    );
    const connection = await connect(ctx, kind, { baseUrl: url });
    const page = await testOf(ctx, connection);
    expect(page).toMatchObject({ ok: false, problems: [expect.stringMatching(/is not from/)] });
    expect(JSON.stringify(page)).not.toContain(THEIRS);
    expect(one.received.length).toBeGreaterThan(0);
  },
);

test("a service that does not reply and one that is down are both reported as problems", async () => {
  const { ctx } = await testProject();
  const { url, stop } = await service(() => new Promise(() => {}));
  const connection = await connect(ctx, "github", { baseUrl: url });
  const begun = performance.now();
  expect(await testOf(ctx, connection)).toMatchObject({ ok: false, problems: [expect.any(String)] });
  expect(performance.now() - begun).toBeLessThan(20_000);
  await stop();
  expect(await testOf(ctx, connection)).toMatchObject({ ok: false, problems: [expect.any(String)] });
});

test("a redirect to another host does not pass on the secret", async () => {
  const { ctx } = await testProject();
  const other = await service((_, response) => json(response, USER));
  const { url, received } = await service((_, response) =>
    response.writeHead(302, { location: `${other.url}/user` }).end(),
  );
  await testOf(ctx, await connect(ctx, "gitlab", { baseUrl: url }));
  expect(received[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  expect(JSON.stringify(other.received)).not.toContain(SECRET);
});

test("a default model that the endpoint lacks is named in the problem", async () => {
  const { ctx } = await testProject();
  const { url } = await service((_, response) => json(response, { data: [{ id: "llama" }] }));
  const connection = await connect(ctx, "model", { baseUrl: url, settings: { defaultModel: "lama" } });
  expect(await testOf(ctx, connection)).toMatchObject({ ok: false, problems: [expect.stringContaining('"lama"')] });
  await updateConnection(ctx, { connectionId: connection.id, settings: { defaultModel: "llama" } });
  expect(await testOf(ctx, connection)).toEqual({ ok: true, problems: [] });
});

test("a local model needs no key, and a tracker without a token is not called", async () => {
  const { ctx } = await testProject();
  const { url, received } = await service((_, response) => json(response, { data: [] }));
  const make = (kind: ConnectionKind) => createConnection(ctx, { kind, name: "x", baseUrl: url });
  expect(await testOf(ctx, (await make("model")).connection)).toEqual({ ok: true, problems: [] });
  expect(received[0]?.headers).not.toHaveProperty("authorization");
  for (const kind of ["github", "gitlab", "linear", "jira", "model-hub"] as const) {
    const found = await testOf(ctx, (await make(kind)).connection);
    expect(found).toMatchObject({ ok: false, problems: [expect.stringMatching(/^There is no secret/)] });
  }
  expect(received).toHaveLength(1);
});

/** Verifies a signature as a receiver would, following the Standard Webhooks specification. */
const isSigned = ({ headers, body }: Received, key: Buffer) => {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
};

test.each([
  ["any text", Buffer.from("any text")],
  [`whsec_${Buffer.from("a key of bytes").toString("base64")}`, Buffer.from("a key of bytes")],
])("a webhook is sent a ping with a signature that the receiver can verify (%s)", async (secret, key) => {
  const { ctx } = await testProject();
  const { url, received } = await service((_, response) => response.writeHead(204).end());
  const connection = await connect(ctx, "webhook", { baseUrl: `${url}/in?source=whetstone`, secret });
  expect(await testOf(ctx, connection)).toEqual({ ok: true, problems: [] });
  const [ping] = received as [Received];
  expect(ping).toMatchObject({ method: "POST", path: "/in?source=whetstone" });
  expect(JSON.parse(ping.body)).toMatchObject({ type: "ping", data: { connectionId: connection.id } });
  expect(isSigned(ping, key)).toBe(true);
  expect(isSigned({ ...ping, body: `${ping.body} ` }, key)).toBe(false);
  expect(Math.abs(Number(ping.headers["webhook-timestamp"]) * 1000 - Date.now())).toBeLessThan(60_000);
  expect(JSON.stringify(ping)).not.toContain(secret);
});

test.each([(url: string) => `${url}/services/T0/B0/xyz`, () => "/services/T0/B0/xyz"])(
  "Slack's address is a secret that is called but not shown",
  async (secretOf) => {
    const { ctx } = await testProject();
    const { url, received } = await service((_, response) => response.end("ok"));
    const settings = { format: "slack" };
    const connection = await connect(ctx, "webhook", { baseUrl: url, settings, secret: secretOf(url) });
    expect(JSON.stringify(connection)).not.toContain("xyz");
    expect(await testOf(ctx, connection)).toEqual({ ok: true, problems: [] });
    expect(received).toMatchObject([{ method: "POST", path: "/services/T0/B0/xyz" }]);
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({ text: expect.stringContaining("Our webhook") });
  },
);

test("a changed secret, address or setting resets the last test, and a changed name does not", async () => {
  const { ctx } = await testProject();
  const { url } = await service((_, response) => json(response, USER));
  const { id: connectionId } = await connect(ctx, "github", { baseUrl: url });
  const lastTest = async () => {
    const { connection } = await getConnection(ctx, { connectionId });
    return "lastTest" in connection ? connection.lastTest?.ok : undefined;
  };
  for (const change of [{ secret: "other" }, { baseUrl: `${url}/v3` }, { settings: { labels: ["x"] } }]) {
    await testOf(ctx, { id: connectionId });
    await updateConnection(ctx, { connectionId, name: "Renamed" });
    expect(await lastTest()).toBe(true);
    await updateConnection(ctx, { connectionId, ...change });
    expect(await lastTest()).toBeUndefined();
  }
});

test("a test of a connection that is changed meanwhile is a conflict, and its result is not stored", async () => {
  const { ctx } = await testProject();
  const { url, ...one } = await service((_, response) => json(response, USER));
  const connection = await connect(ctx, "github", { baseUrl: url });
  stops.push(async () => {});
  const changing = service(async (_, response) => {
    await updateConnection(ctx, { connectionId: connection.id, secret: "other" });
    json(response, USER);
  });
  const { url: elsewhere } = await changing;
  await updateConnection(ctx, { connectionId: connection.id, baseUrl: elsewhere, secret: SECRET });
  await expect(testConnection(ctx, { connectionId: connection.id })).rejects.toMatchObject({ code: "conflict" });
  const { connection: now } = await getConnection(ctx, { connectionId: connection.id });
  expect(now).toMatchObject({ lastTest: null });
  expect(one.received).toEqual([]);
});

test("every use, including a test, is in the audit log before anything is sent", async () => {
  const { ctx } = await testProject();
  const uses = async () =>
    (await db().select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId)))
      .filter(({ action }) => action === "connections.use")
      .map(({ after }) => after);
  const seen: unknown[] = [];
  const { url } = await service(async (_, response) => {
    seen.push(...(await uses()));
    json(response, USER);
  });
  const host = new URL(url).host;
  const connection = await connect(ctx, "github", { baseUrl: url });
  await testOf(ctx, connection);
  expect(seen).toEqual([{ purpose: "test", host }]);
  const client = await openConnection(ctx, connection.id, "open-issue");
  const reply = await client.request({ path: "/repos/acme/shop/issues", method: "POST", json: { title: "x" } });
  expect(reply.status).toBe(200);
  expect(await uses()).toHaveLength(2);
  expect(await uses()).toContainEqual({ purpose: "open-issue", host });
});

test("connections can be used and changed while keys are being rotated", async () => {
  const { ctx } = await testProject();
  const good = new Set<string | undefined>();
  const wrong: unknown[] = [];
  const { url } = await service(({ headers }, response) => {
    if (!good.has(headers.authorization)) wrong.push(headers.authorization);
    json(response, USER);
  });
  const secretOf = (n: number) => {
    good.add(`Bearer secret-${n}`);
    return `secret-${n}`;
  };
  const made: Connection[] = [];
  for (let n = 0; n < 12; n++) made.push(await connect(ctx, "github", { baseUrl: url, secret: secretOf(n) }));
  let busy = true;
  const count = { uses: 0, changes: 0, rotations: 0 };
  const using = async () => {
    for (; busy; count.uses++) {
      const one = made[count.uses % made.length] as Connection;
      await (await openConnection(ctx, one.id, "load")).request({ path: "/user" });
    }
  };
  const changing = async () => {
    for (; busy; count.changes++) {
      const one = made[count.changes % 6] as Connection;
      await updateConnection(ctx, { connectionId: one.id, secret: secretOf(100 + count.changes) });
      made.push(await connect(ctx, "github", { baseUrl: url, secret: secretOf(10_000 + count.changes) }));
    }
  };
  const rotating = async () => {
    for (; count.rotations < 8; count.rotations++) {
      await rotateSecrets(db());
      while (!(await rewrapSecrets(db(), { forMs: 100 })).done);
    }
    busy = false;
  };
  const stopped = (error: unknown) => {
    busy = false;
    throw error;
  };
  await Promise.all([using(), using(), changing(), rotating()].map((one) => one.catch(stopped)));
  expect(wrong).toEqual([]);
  for (const one of made) expect(await testOf(ctx, one)).toEqual({ ok: true, problems: [] });
  expect((await ringStatus(db())).filter(({ current }) => !current)).toEqual([]);
  expect(count.uses).toBeGreaterThan(10);
  expect(count.changes).toBeGreaterThan(5);
});
