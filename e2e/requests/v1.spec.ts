import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { newProject, type TestProject } from "../../testbed/data/project";
import { expect, test } from "../support/test";

/** Everything between a socket and the operations of `/v1`: our HTTP server and Next, as built. */

const MIB = 1024 * 1024;
const LIMIT = 16 * MIB;
let project: TestProject;
let host = "";
test.beforeAll(async ({ baseURL }) => {
  project = await newProject(baseURL!);
  host = new URL(project.url).host;
});

type Answer = { status: number; headers: Headers; body: string; informed: number[] };

/** Sends a request with exactly these bytes; returns the response and the interim (1xx) responses before it. */
async function exchange(line: string, headers: Record<string, string> = {}, body: Uint8Array | string = "") {
  const socket = connect(Number(new URL(project.url).port), "127.0.0.1");
  const given = { host, authorization: `Bearer ${project.secret}`, connection: "close", ...headers };
  socket.write(
    [`${line} HTTP/1.1`, ...Object.entries(given).map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n"),
  );
  socket.write(body);
  return answerIn(await text(socket));
}

function answerIn(received: string, informed: number[] = []): Answer {
  const [head = "", ...rest] = received.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1]);
  if (status < 200) return answerIn(rest.join("\r\n\r\n"), [...informed, status]);
  const headers = new Headers(fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]));
  return { status, headers, body: rest.join("\r\n\r\n"), informed };
}

/** Returns the JSON of a chunked response. */
const problemIn = ({ body }: Answer) => JSON.parse(/\{.*\}/s.exec(body)?.[0] ?? "null");

const projectPath = () => `/v1/projects/${project.projectId}`;
const TRACES = "/v1/otlp/v1/traces";
const JSON_TYPE = { "content-type": "application/json" };
const chunked = (body: Uint8Array, size: number) => {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...chunks, Buffer.from("0\r\n\r\n")]);
};
/** An empty batch, padded to `bytes`. */
const batchOf = (bytes: number) => Buffer.from('{"resourceSpans":[]}'.padEnd(bytes, " "));

test("HEAD returns GET's headers without a body", async () => {
  const [get, head] = [await exchange(`GET ${projectPath()}`), await exchange(`HEAD ${projectPath()}`)];
  expect([get.status, head.status, head.body]).toEqual([200, 200, ""]);
  const names = (answer: Answer) => [...answer.headers.keys()].filter((name) => name !== "transfer-encoding");
  expect(names(head)).toEqual(names(get));
});

test("OPTIONS and unsupported methods get the path's allowed methods", async () => {
  const allow = "GET, PATCH, DELETE, HEAD, OPTIONS";
  const options = await exchange(`OPTIONS ${projectPath()}`);
  expect([options.status, options.headers.get("allow"), options.body]).toEqual([204, allow, ""]);
  for (const method of ["PUT", "POST", "TRACE", "PROPFIND", "LOCK", "PURGE"]) {
    const refused = await exchange(`${method} ${projectPath()}`);
    expect([method, refused.status, refused.headers.get("allow")]).toEqual([method, 405, allow]);
    expect(problemIn(refused)).toMatchObject({ code: "method_not_allowed", instance: projectPath() });
  }
  const head = await exchange(`FLY ${projectPath()}`);
  expect([head.status, problemIn(head).code]).toEqual([400, "invalid"]);
});

test("a URL that cannot be decoded is rejected with a problem whose instance is the URL as sent", async () => {
  for (const path of ["/v1/projects/%FF", "/v1/%zz", "/v1/projects?name=%E0%A4%A"]) {
    const refused = await exchange(`GET ${path}`);
    expect([path, refused.status]).toEqual([path, 400]);
  }
  expect(problemIn(await exchange("GET /v1/projects/%FF"))).toMatchObject({
    code: "invalid",
    instance: "/v1/projects/%FF",
  });
});

test("repeated and backward slashes are normalized without a redirect", async () => {
  const path = projectPath();
  for (const spelling of [
    `${path}/`,
    `/${path}`,
    path.replaceAll("/", "//"),
    path.replace("projects/", "projects\\"),
    `http://other.example${path}//`,
  ]) {
    const answer = await exchange(`GET ${spelling}`);
    expect([spelling, answer.status]).toEqual([spelling, 200]);
    expect(problemIn(answer)).toMatchObject({ project: { id: project.projectId } });
  }
});

/** Headers with each of which Next would respond by itself. */
const NEXT_OWN = {
  rsc: "1",
  "next-router-prefetch": "1",
  "next-action": "a",
  "x-middleware-prefetch": "1",
  "x-nextjs-data": "1",
  "x-prerender-revalidate": "a",
};

test("an unknown path gets a problem, not a page, even with Next's internal headers", async () => {
  for (const path of ["/v1", "/v1/", "/v1/nowhere", "/v1/projects/a/b/c/d", "/v1/_next/data", "/v1/nowhere?_rsc=1"]) {
    const answer = await exchange(`GET ${path}`, NEXT_OWN);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 404, "application/problem+json"]);
  }
  const answer = await exchange(`GET ${projectPath()}`, NEXT_OWN);
  expect([answer.status, problemIn(answer)]).toMatchObject([200, { project: { id: project.projectId } }]);
});

test("a body of 16 MiB is accepted plain, compressed and chunked, and one byte more is rejected", async () => {
  const whole = batchOf(LIMIT);
  const plain = await exchange(`POST ${TRACES}`, { ...JSON_TYPE, "content-length": String(LIMIT) }, whole);
  expect([plain.status, plain.headers.get("x-whetstone-receipt")]).toEqual([200, expect.any(String)]);

  const packed = gzipSync(whole);
  const gzip = { ...JSON_TYPE, "content-encoding": "gzip" };
  expect((await exchange(`POST ${TRACES}`, { ...gzip, "content-length": String(packed.length) }, packed)).status).toBe(
    200,
  );
  const pieces = { "transfer-encoding": "chunked" };
  expect((await exchange(`POST ${TRACES}`, { ...gzip, ...pieces }, chunked(packed, 1000))).status).toBe(200);
  expect((await exchange(`POST ${TRACES}`, { ...JSON_TYPE, ...pieces }, chunked(whole, 65_536))).status).toBe(200);

  const more = await exchange(`POST ${TRACES}`, { ...JSON_TYPE, ...pieces }, chunked(batchOf(LIMIT + 1), 65_536));
  expect([more.status, problemIn(more).code]).toEqual([413, "too_large"]);
});

test("Expect: 100-continue gets a 100 response, and any other expectation is refused", async () => {
  const body = batchOf(20);
  const headers = { ...JSON_TYPE, "content-length": "20" };
  const answer = await exchange(`POST ${TRACES}`, { ...headers, expect: "100-continue" }, body);
  expect([answer.informed, answer.status]).toEqual([[100], 200]);
  expect((await exchange(`POST ${TRACES}`, { ...headers, expect: "a-miracle" }, body)).status).toBe(417);
});

test("an unauthorized request is rejected before the end of its body", async () => {
  const socket = connect(Number(new URL(project.url).port), "127.0.0.1");
  socket.write(`POST ${TRACES} HTTP/1.1\r\nhost: ${host}\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`);
  const [answer] = await new Promise<Buffer[]>((resolve) => socket.once("data", (...data: Buffer[]) => resolve(data)));
  expect(answerIn(String(answer)).status).toBe(401);
  socket.destroy();
});

test("a streamed response is chunked, with the headers that the operation set", async () => {
  const key = await project.newKey("project:admin", "workspace:read");
  const file = await fetch(`${project.url}${projectPath()}/audit-log.csv`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename=/);
  expect(file.headers.has("content-length")).toBe(false);
  expect((await file.text()).split("\r\n").length).toBeGreaterThan(1);
});

test("the server stays ready after aborted uploads", async () => {
  for (let n = 0; n < 5; n++) {
    const socket = connect(Number(new URL(project.url).port), "127.0.0.1");
    socket.write(
      `POST ${TRACES} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${project.secret}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\nexpect: 100-continue\r\n\r\n`,
    );
    const [informed] = await once(socket, "data");
    expect(String(informed)).toMatch(/^HTTP\/1\.1 100 /);
    await new Promise((sent) => socket.write("{", sent));
    socket.destroy();
  }
  const ready = await fetch(`${project.url}/readyz`);
  expect([ready.status, (await ready.json()).status]).toEqual([200, "ready"]);
});

test("every response has its request id and security headers", async () => {
  const headers = { "x-request-id": "mine-1" };
  for (const [line, status] of [
    [`GET ${projectPath()}`, 200],
    ["GET /v1/nowhere", 404],
    ["GET /v1/%FF", 400],
    [`TRACE ${projectPath()}`, 405],
    [`OPTIONS ${projectPath()}`, 204],
  ] as const) {
    const answer = await exchange(line, headers);
    expect([line, answer.status]).toEqual([line, status]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "x-request-id": "mine-1",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "content-security-policy": "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none';sandbox",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "same-origin",
    });
    expect(answer.headers.has("x-powered-by")).toBe(false);
  }
});

test("unusual characters in bodies and paths are preserved, and unknown parameters are ignored", async () => {
  const name = "Über 東京 🎈";
  const renamed = await fetch(`${project.url}${projectPath()}`, {
    method: "PATCH",
    headers: { ...JSON_TYPE, authorization: `Bearer ${await project.newKey("project:admin", "workspace:read")}` },
    body: JSON.stringify({ name }),
  });
  expect([renamed.status, await renamed.json()]).toMatchObject([200, { project: { name } }]);
  const spelled = "/v1/a:b@c;d,e+f=g$h!i'(j)*~k%20l%2Fm/caf%C3%A9";
  expect(problemIn(await exchange(`GET ${spelled}`))).toMatchObject({ code: "not_found", instance: spelled });
  const odd = await exchange(`GET ${projectPath()}?__nextLocale=de&nxtPpath=x&_rsc=1&q=%20+%26`);
  expect([odd.status, problemIn(odd)]).toMatchObject([200, { project: { name } }]);
});
