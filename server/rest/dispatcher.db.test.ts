import { expect, test } from "vitest";
import { z } from "zod";
import { testProject } from "@/db/testing/test-project";
import { ServiceError } from "@/server/platform/errors";
import { idInput, pageInput } from "@/server/platform/schemas";
import { streamVerb } from "@/server/platform/stream-verb";
import { verb } from "@/server/platform/verb";
import { createDispatcher } from "./dispatcher";
import type { Operation } from "./operation";
import { cookieFor, HOST, keyFor, requestTo } from "./testing";

const said = z.object({ said: z.unknown() });
const listThings = verb(
  {
    name: "things.list",
    summary: "Says what it was asked.",
    description: "",
    capability: "workspace:read",
    effect: "read",
    input: z.strictObject({ colour: z.enum(["red", "blue"]).optional(), q: z.string().optional(), ...pageInput }),
    reply: said,
  },
  async (_, input) => ({ said: input }),
);
const changeThing = verb(
  {
    name: "things.change",
    summary: "Says what it was given.",
    description: "",
    capability: ["project:data:write", "models:manage"],
    effect: "write",
    input: z.strictObject({
      thingId: idInput,
      name: z.string().min(1).max(10).optional(),
      size: z.int().optional(),
      extra: z.record(z.string(), z.unknown()).optional(),
    }),
    reply: said,
  },
  async (_, input) => ({ said: input }),
);
const failing = (error: () => unknown) =>
  verb(
    {
      name: "fails",
      summary: "Fails.",
      description: "",
      capability: "workspace:read",
      effect: "read",
      input: z.strictObject({}),
      reply: said,
    },
    async () => {
      throw error();
    },
  );

const take = streamVerb(
  {
    name: "things.take",
    summary: "Takes bytes.",
    description: "",
    capability: "telemetry:write",
    effect: "write",
    input: z.strictObject({}),
    consumes: { types: { "application/x-protobuf": {} }, maxBytes: 1000 },
    produces: { "text/plain": {} },
    limits: { rate: "telemetry" },
    unaudited: "It changes nothing.",
  },
  async (ctx, _, { body }) => ({
    mediaType: "text/plain",
    body: `${await body.whole(async ({ length }) => length)} of ${ctx.projectId}`,
  }),
);

const operations: Operation[] = [
  { heading: "Things", method: "GET", path: "/projects/:projectId/things", verb: listThings },
  { heading: "Things", method: "PATCH", path: "/projects/:projectId/things/:thingId", verb: changeThing },
  { heading: "Things", method: "PUT", path: "/projects/:projectId/things/:thingId", verb: changeThing, status: 202 },
  { heading: "Things", method: "GET", path: "/things", verb: listThings },
  { heading: "Things", method: "GET", path: "/projects/:projectId/things/first", verb: listThings },
  {
    heading: "Things",
    method: "GET",
    path: "/projects/:projectId/slow",
    verb: failing(() => new ServiceError("rate_limited", "Slower.", { retryAfter: 7 })),
  },
  {
    heading: "Things",
    method: "GET",
    path: "/projects/:projectId/broken",
    verb: failing(() => Object.assign(new Error("select secret from users"), { code: "42P01" })),
  },
  {
    heading: "Things",
    method: "GET",
    path: "/projects/:projectId/unreachable",
    verb: failing(() => new Error("Failed query", { cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) })),
  },
  {
    heading: "Things",
    method: "GET",
    path: "/projects/:projectId/unlike",
    verb: verb(
      {
        name: "unlike",
        summary: "",
        description: "",
        capability: "workspace:read",
        effect: "read",
        input: z.strictObject({}),
        reply: said,
      },
      async () => z.object({ no: z.string() }).parse({}) as never,
    ),
  },
  {
    heading: "Things",
    method: "POST",
    path: "/take",
    stream: take,
  },
  {
    heading: "Things",
    method: "GET",
    path: "/open",
    name: "open",
    summary: "Anyone.",
    description: "",
    reply: z.object({}),
    open: () => Response.json({}),
  },
];
const dispatch = createDispatcher(operations);
const send = (...args: Parameters<typeof requestTo>) => dispatch(requestTo(...args));

async function ours() {
  const { ctx, userId } = await testProject();
  const key = await keyFor(ctx, "workspace:read", "project:data:write");
  const base = `/v1/projects/${ctx.projectId}`;
  return { ctx, userId, key, base };
}
const problem = async (reply: Response): Promise<Record<string, unknown>> => ({
  ...((await reply.json()) as object),
  status: reply.status,
});

test("an unknown address is a 404 without authentication", async () => {
  const reply = await send("GET", "/v1/nowhere");
  expect(reply.headers.get("content-type")).toBe("application/problem+json");
  expect(await problem(reply)).toMatchObject({ status: 404, code: "not_found", instance: "/v1/nowhere" });
});

test("an unsupported method is a 405, and Allow lists the supported ones", async () => {
  const reply = await send("DELETE", "/v1/projects/p/things/t");
  expect([reply.status, reply.headers.get("allow")]).toEqual([405, "PUT, PATCH, OPTIONS"]);
  expect((await problem(reply)).code).toBe("method_not_allowed");
});

test("requests that Next cannot route are refused under their original address", async () => {
  const { base } = await ours();
  const trace = await send("OPTIONS", `${base}/things`, { headers: { "x-asked-method": "TRACE" } });
  expect([trace.status, trace.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  const address = `${base}/things/%FF`;
  const broken = await send("GET", "/v1", { headers: { "x-asked-address": address } });
  expect(await problem(broken)).toMatchObject({ status: 400, code: "invalid", instance: address });
  const long = `${base}/things?${"a=1&".repeat(200)}b=2`;
  expect(await problem(await send("GET", "/v1", { headers: { "x-asked-address": long } }))).toMatchObject({
    status: 400,
    detail: "The address has more than 200 query parameters.",
    instance: `${base}/things`,
  });
});

test("OPTIONS lists the methods, and HEAD returns a GET's status without its body", async () => {
  const { base, key } = await ours();
  const options = await send("OPTIONS", `${base}/things`);
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  const head = await send("HEAD", `${base}/things`, { key });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("missing credentials, another scheme and a mistyped key are a 401 that names Bearer", async () => {
  const { base, key } = await ours();
  for (const headers of [{}, { authorization: "Basic dTpw" }, { authorization: `Bearer ${key.slice(0, -1)}!` }]) {
    const reply = await send("GET", `${base}/things`, { headers });
    expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="whetstone"']);
  }
});

test("a key without the capability gets 403, and no validation errors", async () => {
  const { ctx, base } = await ours();
  const key = await keyFor(ctx, "workspace:read");
  expect(await problem(await send("PATCH", `${base}/things/t`, { key, body: "{" }))).toMatchObject({
    status: 403,
    detail: "This requires the capability project:data:write or models:manage.",
  });
});

test("another project's address is a 404, exactly like that of a project that does not exist", async () => {
  const { key } = await ours();
  const theirs = await ours();
  const other = await problem(await send("GET", `${theirs.base}/things`, { key }));
  const none = await problem(await send("GET", "/v1/projects/prj_none/things", { key }));
  expect([other.status, other.detail, none.status, none.detail]).toEqual([404, none.detail, 404, other.detail]);
});

test("a route without a project uses the key's project and accepts no cookie", async () => {
  const { key, userId } = await ours();
  expect((await send("GET", "/v1/things", { key })).status).toBe(200);
  const { cookie } = await cookieFor(userId);
  expect((await send("GET", "/v1/things", { cookie })).status).toBe(401);
});

test("a member reads with a cookie, and changes things only from the workbench's own pages", async () => {
  const { base, userId } = await ours();
  const { cookie } = await cookieFor(userId);
  const change = (headers: Record<string, string>) =>
    send("PATCH", `${base}/things/t`, { cookie, body: { name: "new" }, headers }).then(({ status }) => status);
  expect((await send("GET", `${base}/things`, { cookie })).status).toBe(200);
  expect(await change({})).toBe(403);
  expect(await change({ origin: "https://evil.test" })).toBe(403);
  expect(await change({ origin: `https://${HOST}`, "sec-fetch-site": "same-site" })).toBe(403);
  expect(await change({ origin: "null" })).toBe(403);
  expect(await change({ origin: `http://${HOST}` })).toBe(200);
  expect(await change({ "sec-fetch-site": "same-origin" })).toBe(200);
});

test("a signed-in person who is not a member gets 404", async () => {
  const { base } = await ours();
  const stranger = await testProject();
  const { cookie } = await cookieFor(stranger.userId);
  expect((await send("GET", `${base}/things`, { cookie })).status).toBe(404);
});

test("unknown query parameters are ignored, and all problems of known ones are reported", async () => {
  const { base, key } = await ours();
  const fine = await send("GET", `${base}/things?colour=red&limit=7&utm=1&__proto__=x&constructor=y`, { key });
  expect(await fine.json()).toEqual({ said: { colour: "red", limit: 7 } });
  const bad = await problem(await send("GET", `${base}/things?colour=green&limit=501&cursor=`, { key }));
  expect(bad.status).toBe(400);
  expect((bad.errors as { path: string }[]).map(({ path }) => path).sort()).toEqual(["/colour", "/cursor", "/limit"]);
});

test.each(["0", "501", "abc", "1.5", "-1", "1e2", ""])("a limit of %j is 400", async (limit) => {
  const { base, key } = await ours();
  expect((await send("GET", `${base}/things?limit=${limit}`, { key })).status).toBe(400);
});

test("a parameter given twice is refused", async () => {
  const { base, key } = await ours();
  expect((await problem(await send("GET", `${base}/things?colour=red&colour=blue`, { key }))).errors).toMatchObject([
    { path: "/colour" },
  ]);
});

test("every problem of a body is named by its pointer, including unknown fields", async () => {
  const { base, key } = await ours();
  const body = { name: "", size: "big", "a/b~c": 1, other: 2 };
  const { status, errors } = await problem(await send("PATCH", `${base}/things/t`, { key, body }));
  expect(status).toBe(400);
  expect((errors as { path: string }[]).map(({ path }) => path).sort()).toEqual([
    "/a~1b~0c",
    "/name",
    "/other",
    "/size",
  ]);
});

test("a path parameter in the body is refused", async () => {
  const { base, key } = await ours();
  const body = { thingId: "other", size: "big" };
  const { errors } = await problem(await send("PATCH", `${base}/things/t`, { key, body }));
  expect((errors as { path: string }[]).map(({ path }) => path)).toEqual(["/thingId", "/size"]);
});

test("__proto__ is refused anywhere in a body", async () => {
  const { base, key } = await ours();
  for (const [body, path] of [
    ['{"__proto__":{"name":"x"}}', "/__proto__"],
    ['{"extra":{"__proto__":{"admin":true}}}', "/extra/__proto__"],
  ]) {
    expect(await problem(await send("PATCH", `${base}/things/t`, { key, body }))).toMatchObject({
      status: 400,
      errors: [{ path }],
    });
  }
});

test("NUL and lone surrogates are a 400 that names the field, in a path, a query and a body", async () => {
  const { base, key } = await ours();
  expect(await problem(await send("PATCH", `${base}/things/a%00b`, { key, body: {} }))).toMatchObject({
    status: 400,
    errors: [{ path: "/thingId" }],
  });
  expect(await problem(await send("GET", `${base}/things?q=%00`, { key }))).toMatchObject({
    status: 400,
    errors: [{ path: "/q" }],
  });
  const deep = await send("PATCH", `${base}/things/t`, { key, body: '{"extra":{"a":["\\u0000",{"b":"\\ud800"}]}}' });
  expect(((await deep.json()) as { errors: { path: string }[] }).errors.map(({ path }) => path).sort()).toEqual([
    "/extra/a/0",
    "/extra/a/1/b",
  ]);
});

test("invalid UTF-8 is a 400, in a path, a query and a body", async () => {
  const { base, key } = await ours();
  expect((await send("GET", `${base}/things?q=%ED%A0%80`, { key })).status).toBe(400);
  expect((await send("PATCH", `${base}/things/%FF`, { key, body: {} })).status).toBe(400);
  const bytes = new Uint8Array([...Buffer.from('{"name":"'), 0xff, 0x22, 0x7d]);
  expect((await problem(await send("PATCH", `${base}/things/t`, { key, body: bytes }))).detail).toBe(
    "The body is not valid UTF-8.",
  );
});

test("a body that is not a JSON object is 400", async () => {
  const { base, key } = await ours();
  for (const body of ["{", "nonsense", "[]", "null", "1", '"text"', "{}{}"]) {
    expect((await send("PATCH", `${base}/things/t`, { key, body })).status).toBe(400);
  }
  const nested = `{"extra":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`;
  expect((await send("PATCH", `${base}/things/t`, { key, body: nested })).status).toBe(400);
});

test("another media type, charset or encoding is a 415, and any JSON media type is accepted", async () => {
  const { base, key } = await ours();
  const status = (headers: Record<string, string>) =>
    send("PATCH", `${base}/things/t`, { key, body: "{}", headers }).then((reply) => reply.status);
  expect(await status({ "content-type": "text/plain" })).toBe(415);
  expect(await status({ "content-type": "application/x-www-form-urlencoded" })).toBe(415);
  expect(await status({ "content-type": "application/json; charset=latin1" })).toBe(415);
  expect(await status({ "content-type": "application/json", "content-encoding": "gzip" })).toBe(415);
  expect(await status({ "content-type": "application/json; charset=UTF-8" })).toBe(200);
  expect(await status({ "content-type": "application/merge-patch+json" })).toBe(200);
});

test("a body over 1 MiB is a 413 before all of it has arrived", async () => {
  const { base, key } = await ours();
  let chunks = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      chunks++;
      controller.enqueue(new Uint8Array(64 * 1024).fill(32));
    },
  });
  const reply = await send("PATCH", `${base}/things/t`, { key, body: endless });
  expect(reply.status).toBe(413);
  expect(chunks).toBeLessThan(40);
});

test("a write without a body gets an empty object, and a success has the operation's own status", async () => {
  const { base, key } = await ours();
  const reply = await send("PUT", `${base}/things/t%2F1`, { key });
  expect([reply.status, await reply.json()]).toEqual([202, { said: { thingId: "t/1" } }]);
});

test("a fixed path takes precedence over a parameter", async () => {
  const { base, key } = await ours();
  expect((await send("GET", `${base}/things/first`, { key })).status).toBe(200);
  expect((await send("PATCH", `${base}/things/first`, { key, body: {} })).status).toBe(405);
});

test("an operation without a project in its path gets the body and the key's project, and checks the capability", async () => {
  const { ctx, key: reader } = await ours();
  const key = await keyFor(ctx, "telemetry:write");
  const reply = await send("POST", "/v1/take", {
    key,
    body: "12345",
    headers: { "content-type": "application/x-protobuf" },
  });
  expect(await reply.text()).toBe(`5 of ${ctx.projectId}`);
  expect((await send("POST", "/v1/take", { key: reader, body: "1" })).status).toBe(403);
  expect((await send("POST", "/v1/take", { body: "1" })).status).toBe(401);
});

test("every response has a request id, the client's own if it is safe, and is not cacheable", async () => {
  const { base, key } = await ours();
  const given = await send("GET", "/v1/open", { headers: { "x-request-id": "req-42" } });
  expect([given.headers.get("x-request-id"), given.headers.get("cache-control")]).toEqual(["req-42", "no-store"]);
  const insane = await send("GET", `${base}/broken`, { key, headers: { "x-request-id": "<script> x" } });
  const { requestId } = await problem(insane);
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(insane.headers.get("x-request-id")).toBe(requestId);
});

test("internal errors are 500 and reveal nothing but the request id", async () => {
  const { base, key } = await ours();
  for (const path of ["broken", "unlike"]) {
    const reply = await problem(await send("GET", `${base}/${path}`, { key }));
    expect(reply).toMatchObject({ status: 500, code: "internal" });
    expect(JSON.stringify(reply)).not.toMatch(/secret|select|stack|zod/i);
  }
});

test("an unreachable database is a 503 and a rate limit a 429, both with Retry-After", async () => {
  const { base, key } = await ours();
  const away = await send("GET", `${base}/unreachable`, { key });
  expect([away.status, away.headers.get("retry-after")]).toEqual([503, "2"]);
  const slow = await send("GET", `${base}/slow`, { key });
  expect([slow.status, slow.headers.get("retry-after")]).toEqual([429, "7"]);
});

test("two operations at one address are refused when the dispatcher is created", () => {
  expect(() => createDispatcher([...operations, operations[0] as Operation])).toThrow("is defined twice");
});
