import { request as ask, createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { trustedProxies } from "@/server/platform/http/client-address";
import { admit, isStrayExport, rejectMalformed } from "./admission";

let server: Server;
let proxies: string | undefined;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (!admit(request, response, trustedProxies(proxies))) return;
    const { method, url, headers } = request;
    response.setHeader("passed", Object.keys(headers).join());
    response.setHeader("asked-for", headers["x-forwarded-for"] ?? "");
    const raw = request.rawHeaders.flatMap((name, at, all) => (/^x-forwarded-for$/i.test(name) ? [all[at + 1]] : []));
    response.setHeader("asked-for-raw", raw.join(" and "));
    response.end(JSON.stringify([method, url, headers["x-asked-method"], headers["x-asked-address"]]));
  });
  server.on("clientError", rejectMalformed);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => server.close());
const port = () => (server.address() as AddressInfo).port;

const send = (method: string, path: string) =>
  new Promise<[number | undefined, string]>((resolve, reject) => {
    ask({ port: port(), method, path }, async (response) => resolve([response.statusCode, await text(response)]))
      .on("error", reject)
      .end();
  });

test("requests that Next can route pass unchanged", async () => {
  expect(await send("PATCH", "/v1/things/%C3%A9?q=%20")).toEqual([
    200,
    '["PATCH","/v1/things/%C3%A9?q=%20",null,null]',
  ]);
  expect(await send("GET", "/p/one")).toEqual([200, '["GET","/p/one",null,null]']);
});

test("an unroutable method to /v1 is passed on as OPTIONS with the original method in a header", async () => {
  expect(await send("TRACE", "/v1/things")).toEqual([200, '["OPTIONS","/v1/things","TRACE",null]']);
  expect(await send("PROPFIND", "/v1")).toEqual([200, '["OPTIONS","/v1","PROPFIND",null]']);
  expect((await send("TRACE", "/v10"))[0]).toBe(501);
});

test.each(["/v1/things/%FF", "/v1/things?q=%zz", "/v1/%ED%A0%80", "/v1?%"])(
  "%s is passed on unchanged in a header",
  async (url) => {
    expect(await send("GET", url)).toEqual([200, JSON.stringify(["GET", "/v1", null, url])]);
  },
);

test("an address with more parameters than anything reads does not reach Next", async () => {
  const [most, more] = [199, 200].map((count) => `?${"a=1&".repeat(count)}b=2`);
  expect(JSON.parse((await send("GET", `/v1/things${most}`))[1])[1]).toBe(`/v1/things${most}`);
  expect(JSON.parse((await send("GET", `/v1/things${more}`))[1])).toEqual(["GET", "/v1", null, `/v1/things${more}`]);
  expect((await send("GET", `/p/one${more}`))[0]).toBe(400);
});

test("redundant slashes in /v1 are collapsed", async () => {
  const passed = async (path: string) => JSON.parse((await send("GET", path))[1])[1];
  expect(await passed("//v1//things///?q=//a/")).toBe("/v1/things?q=//a/");
  expect(await passed("/v1/?q")).toBe("/v1?q");
  expect(await passed("/v1\\/things\\one")).toBe("/v1/things/one");
  expect(await passed("http://shop.example/v1/things")).toBe("/v1/things");
  expect(await passed("/p//one/")).toBe("/p//one/");
});

test("Next's internal headers reach its pages, but never /v1", async () => {
  const headers = {
    rsc: "1",
    "next-url": "/x",
    "x-middleware-prefetch": "1",
    "x-nextjs-data": "1",
    "next-action": "a",
  };
  const passed = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${port()}${path}`, { headers: { ...headers, "x-request-id": "1" } });
    return reply.headers
      .get("passed")
      ?.split(",")
      .filter((name) => /^(rsc|next|x-)/.test(name))
      .sort();
  };
  expect(await passed("/v1/things")).toEqual(["x-forwarded-for", "x-request-id"]);
  expect(await passed("/p/one")).toEqual([...Object.keys(headers), "x-forwarded-for", "x-request-id"].sort());
});

test("the client address is the peer's, unless a trusted proxy names another", async () => {
  const askedFor = async (headers: Record<string, string> = {}) => {
    const reply = await fetch(`http://127.0.0.1:${port()}/v1`, { headers });
    expect(reply.headers.get("asked-for-raw")).toBe(reply.headers.get("asked-for"));
    return reply.headers.get("asked-for");
  };
  expect(await askedFor()).toBe("127.0.0.1");
  expect(await askedFor({ "x-forwarded-for": "192.0.2.7" })).toBe("127.0.0.1");
  proxies = "127.0.0.1";
  expect(await askedFor({ "x-forwarded-for": "192.0.2.66, 192.0.2.7" })).toBe("192.0.2.7");
  expect(await askedFor()).toBe("127.0.0.1");
  proxies = undefined;
});

test("any other path that is not valid UTF-8 and a missing path are refused", async () => {
  expect((await send("OPTIONS", "*"))[0]).toBe(400);
  expect((await send("GET", "/p/%FF"))[0]).toBe(400);
});

test("a malformed request gets a problem response", async () => {
  const answer = async (sent: string) =>
    text(
      connect(port(), "127.0.0.1", function (this: import("node:net").Socket) {
        this.write(sent);
      }),
    );
  const unknown = await answer("FLY /v1/things HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(unknown).toMatch(/^HTTP\/1\.1 400 Bad Request\r\ncontent-type: application\/problem\+json\r\n/);
  expect(JSON.parse(unknown.split("\r\n\r\n")[1]!)).toMatchObject({ status: 400, code: "invalid" });
  expect(await answer(`GET / HTTP/1.1\r\nx: ${"a".repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
});

test.each([
  ["POST", "/otlp/v1/traces", "application/json", true],
  ["POST", "/api/public/otel/v1/logs?a=b", "application/json", true],
  ["POST", "/", "application/x-protobuf", true],
  ["POST", "/v1/otlp/v1/traces", "application/x-protobuf", false],
  ["GET", "/p/prj_1/traces", undefined, false],
  ["POST", "/api/trpc/traces.get", "application/json", false],
])("%s %s as %s: is it an export that missed /v1? %s", (method, url, type, expected) => {
  const request = { method, url, headers: { "content-type": type } } as IncomingMessage;
  expect(isStrayExport(request)).toBe(expected);
});
