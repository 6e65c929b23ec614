import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { withCachedDocument, withCachedPages } from "./cached-page";
import { securityHeaders } from "./security-headers";

const asked: { method?: string | undefined; url?: string | undefined; headers: object }[] = [];
let fails = false;
const page = (request: IncomingMessage, response: ServerResponse) => {
  asked.push({ method: request.method, url: request.url, headers: request.headers });
  if (fails) return response.writeHead(500).end("trouble");
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.write(`<a href="/docs/linked"></a><script nonce=`);
  response.end(`"${request.headers["x-nonce"]}"></script>`);
};

let url = "";
const serve = () => withCachedPages("/docs", page, securityHeaders({ secure: false, dev: false }));
let handle = serve();
const server = createServer((request, response) => void handle(request, response));
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  asked.length = 0;
  fails = false;
  handle = serve();
});

test("a shared page is rendered once, without anything from the visitor's request", async () => {
  const headers = { cookie: "a=b", rsc: "1", "x-nonce": "mine" };
  const replies = await Promise.all(
    ["/docs", "/docs?x=1", "/docs?_rsc=2"].map((path) => fetch(`${url}${path}`, { headers })),
  );
  const texts = await Promise.all(replies.map((reply) => reply.text()));
  expect(new Set(texts).size).toBe(1);
  expect(asked).toEqual([{ method: "GET", url: "/docs", headers: expect.not.objectContaining({ rsc: "1" }) }]);
  const nonce = /nonce="([^"]+)"/.exec(texts[0] as string)?.[1] as string;
  expect(nonce).not.toBe("mine");
  for (const reply of replies) expect(reply.headers.get("content-security-policy")).toContain(`'nonce-${nonce}'`);
});

test("a matching ETag gets 304, HEAD has no body, and other methods pass through", async () => {
  const first = await fetch(`${url}/docs`);
  const etag = first.headers.get("etag") as string;
  expect(first.headers.get("cache-control")).toBe("public, no-cache");
  const again = await fetch(`${url}/docs`, { headers: { "if-none-match": `"other", W/${etag}` } });
  expect(again.status).toBe(304);
  expect(again.headers.get("etag")).toBe(etag);
  const head = await fetch(`${url}/docs`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, first.headers.get("content-length")]);
  const post = await fetch(`${url}/docs`, { method: "POST", body: "x", headers: { "next-action": "y" } });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect(asked).toHaveLength(1);
});

test("pages that it links to are cached as well, and others are not", async () => {
  const paths = ["/docs/linked", "/docs/linked?x=1", "/docs/other", "/docs/other", "/docs/linked/below"];
  for (const path of paths) await fetch(`${url}${path}`);
  expect(asked.map((one) => one.url)).toEqual([
    "/docs",
    "/docs/linked",
    "/docs/other",
    "/docs/other",
    "/docs/linked/below",
  ]);
});

test("a failed page is not cached, and other paths are not affected", async () => {
  fails = true;
  handle = serve();
  expect((await fetch(`${url}/docs`)).status).toBe(500);
  fails = false;
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  asked.length = 0;
  await fetch(`${url}/docs/other`);
  await fetch(`${url}/sign-in`);
  expect(asked.map((one) => one.url)).toEqual(["/docs/other", "/sign-in"]);
});

test("a document is rendered once, with an id for each request, and its queries and other methods are passed on", async () => {
  const seen: string[] = [];
  const document = withCachedDocument(
    "/v1/openapi.json",
    (request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.setHeader("content-type", "application/json");
      response.end('{"openapi":"3.1.0"}');
    },
    securityHeaders({ secure: false, dev: false }),
  );
  handle = document;
  const first = await fetch(`${url}/v1/openapi.json`, { headers: { "x-request-id": "mine" } });
  const second = await fetch(`${url}/v1/openapi.json`);
  expect(await first.json()).toEqual(await second.json());
  expect(first.headers.get("x-request-id")).toBe("mine");
  expect(second.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  expect(seen).toEqual(["GET /v1/openapi.json"]);
  await fetch(`${url}/v1/openapi.json?x=1`);
  await fetch(`${url}/v1/openapi.json`, { method: "DELETE" });
  expect(seen.slice(1)).toEqual(["GET /v1/openapi.json?x=1", "DELETE /v1/openapi.json"]);
});
