import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createOutbound, OutboundError } from ".";
import { CERTIFICATE } from "./testing/certificate";
import { resolverFor, respondWith, startService } from "./testing/service";

const projectId = "prj_1";
const local = (options: Parameters<typeof createOutbound>[0] = {}) =>
  createOutbound({ allow: "127.0.0.1", retryBaseMs: 1, ...options });
const failing = (call: Promise<unknown>): Promise<OutboundError> =>
  call.then(
    () => expect.fail("It did not fail."),
    (error) => {
      expect(error).toBeInstanceOf(OutboundError);
      return error;
    },
  );

/** Starts a server that writes its own bytes, whatever the request. */
async function serverThatWrites(writes: (write: (text: string | Buffer) => void, end: () => void) => void) {
  const server = createPlainServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () =>
      writes(
        (text) => void socket.write(text),
        () => void socket.end(),
      ),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("a request is sent as given, and its reply is returned whole", async () => {
  const asked: unknown[] = [];
  const service = await startService((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      asked.push([request.method, request.url, request.headers.authorization, Buffer.concat(chunks).toString()]);
      response.writeHead(201, { "x-model": "m" }).end("done");
    });
  });
  const url = `${service.url}/v1/chat?q=1`;
  const headers = { Authorization: "Bearer s" };
  const reply = await local().request({ projectId, url, method: "POST", headers, json: { a: 1 } });
  expect([reply.status, reply.headers["x-model"], reply.body.toString()]).toEqual([201, "m", "done"]);
  await local().request({ projectId, url, method: "PUT", headers, body: "text" });
  expect(asked).toEqual([
    ["POST", "/v1/chat?q=1", "Bearer s", '{"a":1}'],
    ["PUT", "/v1/chat?q=1", "Bearer s", "text"],
  ]);
  await expect(local().request({ projectId, url, headers: { Host: "other.test" } })).rejects.toThrow(
    "header host must not be set",
  );
});

test("JSON is returned as its schema parses it, and any other reply is unreadable", async () => {
  const schema = z.object({ data: z.array(z.object({ id: z.string() })) });
  const service = await startService((request, response) => {
    response.end(
      request.url === "/good"
        ? '{"data":[{"id":"a","x":1}]}'
        : request.url === "/text"
          ? "<html>s3cret"
          : '{"data":"s3cret"}',
    );
  });
  expect(await local().json({ projectId, url: `${service.url}/good` }, schema)).toEqual({ data: [{ id: "a" }] });
  for (const path of ["/text", "/other"]) {
    const error = await failing(local().json({ projectId, url: `${service.url}${path}` }, schema));
    expect(error.reason).toBe("unreadable");
    expect(error.message).not.toContain("s3cret");
  }
});

test("TLS uses the host's name, and a certificate that is not trusted for it is rejected", async () => {
  const service = await startService(respondWith(), { tls: true });
  const resolve = resolverFor({ "service.test": ["127.0.0.1"], "other.test": ["127.0.0.1"] });
  const client = createOutbound({ allow: "service.test, other.test", resolve, ca: CERTIFICATE });
  const at = (host: string) => ({ projectId, url: `https://${host}:${service.port}/` });
  expect((await client.request(at("service.test"))).body.toString()).toBe("yes");
  expect((await failing(client.request(at("other.test")))).reason).toBe("tls");
  const untrusting = createOutbound({ allow: "service.test", resolve });
  expect((await failing(untrusting.request(at("service.test")))).reason).toBe("tls");
  const plain = await startService(respondWith());
  const noTls = client.request({ projectId, url: `https://service.test:${plain.port}/` });
  expect((await failing(noTls)).reason).toBe("tls");
  expect(service.hits).toHaveLength(1);
});

test("a failure has a reason, and reveals neither the service's text nor a resolved address", async () => {
  const closed = await startService(respondWith());
  const refuses = await startService(respondWith("s3cret", 403, { "x-reason": "s3cret" }));
  const names = resolverFor({ "gone.test": ["127.0.0.3"] });
  const client = local({ allow: "127.0.0.1, gone.test", resolve: names });
  const closedUrl = await serverThatWrites((_write, end) => end());
  const garbled = await serverThatWrites((write, end) => {
    write("SSH-2.0-s3cret\r\n");
    end();
  });
  const header = await serverThatWrites((write) => write(`HTTP/1.1 200 OK\r\nx: ${"s3cret".repeat(20_000)}\r\n\r\n`));
  for (const [url, reason, says] of [
    [refuses.url, "status", /^127\.0\.0\.1 replied with the status 403\.$/],
    ["https://unknown.test/", "unreachable", /^The name unknown\.test cannot be resolved\.$/],
    [`http://gone.test:${closed.port}/`, "unreachable", /^gone\.test refuses connections on this port\.$/],
    [closedUrl, "unreachable", /closed the connection/],
    [garbled, "unreadable", /is not valid HTTP/],
    [header, "too_large", /headers/],
  ] as const) {
    const error = await failing(client.request({ projectId, url }));
    expect([error.reason, error.cause], url).toEqual([reason, undefined]);
    expect(error.message).toMatch(says);
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`, url).not.toMatch(/s3cret|127\.0\.0\.3/);
  }
  const odd = client.request({ projectId, url: refuses.url, headers: { authorization: "Bearer a\nb" } });
  expect((await failing(odd)).reason).toBe("invalid");
});

test("an error status that the caller accepts is returned as a reply", async () => {
  const service = await startService(respondWith("no such thing", 404));
  const accepts = (status: number) => status === 404;
  expect((await local().request({ projectId, url: service.url, accepts })).body.toString()).toBe("no such thing");
});

test("compressed replies are read, and a decompression bomb is aborted", async () => {
  const text = Buffer.from("words ".repeat(1000));
  const zeros = Buffer.alloc(5 * 1024 * 1024);
  const bodies: Record<string, [Buffer, string]> = {
    "/gzip": [gzipSync(text), "gzip"],
    "/deflate": [deflateSync(text), "deflate"],
    "/br": [brotliCompressSync(text), "br"],
    "/bomb": [gzipSync(zeros), "gzip"],
    "/br-bomb": [brotliCompressSync(zeros), "br"],
    // Empty gzip members: a long body on the wire that decompresses to nothing.
    "/hollow": [Buffer.concat(Array(10_000).fill(gzipSync(""))), "gzip"],
    "/twice": [gzipSync(gzipSync(text)), "gzip, gzip"],
    "/other": [text, "zstd"],
    "/cut": [gzipSync(text).subarray(0, 40), "gzip"],
    "/false": [text, "gzip"],
  };
  const service = await startService((request, response) => {
    const [body, encoding] = bodies[request.url ?? ""] as [Buffer, string];
    response.writeHead(200, { "content-encoding": encoding }).end(body);
  });
  const get = (path: string) =>
    local().request({ projectId, url: `${service.url}${path}`, maxBytes: 100 * 1024, repeatable: false });
  for (const path of ["/gzip", "/deflate", "/br"]) expect((await get(path)).body, path).toEqual(text);
  for (const path of ["/bomb", "/br-bomb", "/hollow"])
    expect((await failing(get(path))).reason, path).toBe("too_large");
  for (const path of ["/twice", "/other", "/cut", "/false"])
    expect((await failing(get(path))).reason, path).toBe("unreadable");
});

test("a reply that is too large is aborted, with or without a declared length", async () => {
  let written = 0;
  const service = await startService((request, response) => {
    if (request.url === "/says")
      return void response.writeHead(200, { "content-length": "5000" }).end("x".repeat(5000));
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(10_000))) written += 10_000;
    };
    response.on("drain", write);
    write();
  });
  for (const path of ["/says", "/endless"]) {
    expect((await failing(local().request({ projectId, url: `${service.url}${path}`, maxBytes: 4000 }))).reason).toBe(
      "too_large",
    );
  }
  expect(written).toBeLessThan(50_000_000);
});

test("a call is aborted at its timeout, whichever part of it is slow", async () => {
  const drip = (first: string) =>
    serverThatWrites((write) => {
      write(first);
      const timer = setInterval(() => write("x"), 20);
      onTestFinished(() => clearInterval(timer));
    });
  const silent = await serverThatWrites(() => {});
  const urls = [
    silent,
    await drip("HTTP/1.1 200 OK\r\nx-slow: "),
    await drip("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n"),
  ];
  for (const url of urls) {
    const began = Date.now();
    const error = await failing(local().request({ projectId, url, timeoutMs: 300 }));
    expect([error.reason, error.message]).toEqual(["timeout", "127.0.0.1 did not reply in time."]);
    expect(Date.now() - began).toBeLessThan(2000);
  }
  expect((await failing(local({ silenceMs: 100 }).request({ projectId, url: silent, repeatable: false }))).reason).toBe(
    "timeout",
  );
  // A lookup that never ends also counts towards the timeout.
  const stuck = local({ resolve: () => new Promise(() => {}) });
  expect((await failing(stuck.request({ projectId, url: "https://stuck.test/", timeoutMs: 100 }))).reason).toBe(
    "timeout",
  );
});

test("at most five redirects of a read are followed, and a write is repeated only at its own origin", async () => {
  const service = await startService((request, response) => {
    const [, status = "", to = "/end"] = /^\/(\d+)(\/.*)?$/.exec(request.url ?? "") ?? [];
    if (status) response.writeHead(Number(status), { location: to }).end("moved");
    else request.pipe(response);
  });
  const client = local();
  for (const status of [301, 302, 303, 307, 308]) {
    expect((await client.request({ projectId, url: `${service.url}/${status}` })).status).toBe(200);
  }
  expect((await client.request({ projectId, url: `${service.url}/302/302/302/302/302` })).status).toBe(200);
  for (const path of ["/302/302/302/302/302/302", "/301"]) {
    const method = path === "/301" ? "POST" : "GET";
    expect(
      (
        await failing(
          client.request({
            projectId,
            url: `${service.url}${path}`,
            method,
            body: "b",
          }),
        )
      ).reason,
    ).toBe("redirect");
  }
  const written = await client.request({ projectId, url: `${service.url}/307/308`, method: "POST", body: "words" });
  expect(written.body.toString()).toBe("words");
  const other = await startService(respondWith());
  const away = await startService(respondWith("", 307, { location: other.url }));
  expect((await failing(client.request({ projectId, url: away.url, method: "POST", body: "words" }))).reason).toBe(
    "redirect",
  );
  expect(other.hits).toEqual([]);
});

test("credentials are not sent to another origin, nor restored by a redirect back", async () => {
  const seen: Record<string, unknown>[] = [];
  const home: { url: string } = await startService((request, response) => {
    seen.push(request.headers);
    if (request.url === "/start") response.writeHead(302, { location: "/near" }).end();
    else if (request.url === "/near") response.writeHead(302, { location: `${other.url}/far` }).end();
    else response.end("home");
  });
  const other = await startService((request, response) => {
    seen.push(request.headers);
    response.writeHead(302, { location: `${home.url}/end` }).end();
  });
  const headers = { Authorization: "Bearer s3cret", Cookie: "s3cret", "X-Api-Key": "s3cret", accept: "text/plain" };
  await local().request({ projectId, url: `${home.url}/start`, headers });
  expect(seen.map((sent) => JSON.stringify(sent).split("s3cret").length - 1)).toEqual([3, 3, 0, 0]);
  expect(seen.every((sent) => sent.accept === "text/plain")).toBe(true);
});

test("transient failures of repeatable calls are retried, no earlier than Retry-After", async () => {
  let replies: [number, Record<string, string>?][] = [];
  const service = await startService((_request, response) => {
    const [status, headers] = replies.shift() ?? [200];
    response.writeHead(status, headers).end("reply");
  });
  const attempts = async (given: [number, Record<string, string>?][], request: object = {}) => {
    replies = given;
    service.hits.length = 0;
    const began = Date.now();
    const outcome = await local({ retryBaseMs: 5 })
      .request({ projectId, url: service.url, ...request })
      .then(
        ({ status }) => status,
        (error: OutboundError) => ({ status: error.status, retryAfter: error.retryAfter }),
      );
    return { outcome, made: service.hits.length, ms: Date.now() - began };
  };
  expect(await attempts([[503], [429]])).toMatchObject({ outcome: 200, made: 3 });
  expect(await attempts([[503], [503], [503]])).toMatchObject({ outcome: { status: 503 }, made: 3 });
  expect(await attempts([[404]])).toMatchObject({ outcome: { status: 404 }, made: 1 });
  expect(await attempts([[503]], { method: "POST" })).toMatchObject({ outcome: { status: 503 }, made: 1 });
  expect(await attempts([[503]], { method: "POST", repeatable: true })).toMatchObject({ outcome: 200, made: 2 });
  expect(await attempts([[503]], { repeatable: false })).toMatchObject({ made: 1 });
  const later = await attempts([[429, { "retry-after": "1" }]]);
  expect(later).toMatchObject({ outcome: 200, made: 2 });
  expect(later.ms).toBeGreaterThanOrEqual(990);
  const tooLate = await attempts([[429, { "retry-after": "3600" }]]);
  expect(tooLate).toMatchObject({ outcome: { status: 429, retryAfter: 3600 }, made: 1 });
  expect(tooLate.ms).toBeLessThan(900);
});

test("an abort takes effect immediately in any phase of the call", async () => {
  let gone = 0;
  const silent = await startService((request) => {
    request.once("close", () => {
      gone += 1;
    });
  });
  const failingOnes = await startService(respondWith("", 503, { "retry-after": "20" }));
  const given = async (url: string, client = local()) => {
    const controller = new AbortController();
    const call = client.request({ projectId, url, signal: controller.signal });
    const outcome = call.catch((error: unknown) => error);
    await sleep(50);
    controller.abort(new Error("not needed"));
    return outcome;
  };
  for (const url of [silent.url, failingOnes.url]) expect(await given(url)).toMatchObject({ message: "not needed" });
  await expect.poll(() => gone).toBe(1);
  const already = local().request({ projectId, url: silent.url, signal: AbortSignal.abort(new Error("before")) });
  await expect(already).rejects.toThrow("before");
  // Aborted while it waits for a slot.
  const full = local({ concurrentCalls: 1 });
  const first = full.request({ projectId, url: silent.url, timeoutMs: 500 }).catch(() => {});
  await sleep(20);
  expect(await given(silent.url, full)).toMatchObject({ message: "not needed" });
  await first;
});

test("a project's calls in progress leave slots for other projects", async () => {
  const held: (() => void)[] = [];
  const service = await startService((request, response) => {
    if (request.url === "/held") held.push(() => response.end());
    else response.end("at once");
  });
  const client = local({ concurrentCalls: 4 });
  const greedy = Array.from({ length: 6 }, () => client.request({ projectId: "greedy", url: `${service.url}/held` }));
  await expect.poll(() => held.length).toBe(2);
  expect((await client.request({ projectId: "other", url: service.url })).body.toString()).toBe("at once");
  expect(held).toHaveLength(2);
  const freeing = setInterval(() => held.shift()?.(), 5);
  await Promise.all(greedy);
  clearInterval(freeing);
});

test("a stream is passed on with backpressure, and its slot is freed when it ends", async () => {
  let written = 0;
  let closed = 0;
  const service = await startService((request, response) => {
    response.once("close", () => {
      closed += 1;
    });
    if (request.url === "/events") return void response.write("data: 1\n\n");
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
    };
    response.on("drain", write);
    write();
  });
  const client = local({ concurrentCalls: 1 });
  const events = await client.stream({ projectId, url: `${service.url}/events` });
  const [chunk] = await once(events.body, "data");
  expect(String(chunk)).toBe("data: 1\n\n");
  events.body.destroy();
  await expect.poll(() => closed).toBe(1);

  const large = await client.stream({ projectId, url: `${service.url}/large` });
  await sleep(300);
  expect(written).toBeLessThan(20 * 1024 * 1024);
  large.body.destroy();
  await expect.poll(() => closed).toBe(2);

  const controller = new AbortController();
  const aborted = await client.stream({ projectId, url: `${service.url}/events`, signal: controller.signal });
  controller.abort(new Error("gone"));
  await expect(aborted.body.toArray()).rejects.toThrow("gone");
  const late = await client.stream({ projectId, url: `${service.url}/events`, timeoutMs: 100 });
  expect((await failing(late.body.toArray())).reason).toBe("timeout");
  const tooLarge = await client.stream({ projectId, url: `${service.url}/large`, maxBytes: 1000 });
  expect((await failing(tooLarge.body.toArray())).reason).toBe("too_large");
});

test("a stream that the service aborts ends with an OutboundError", async () => {
  const url = await serverThatWrites((write, end) => {
    write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
    setTimeout(end, 20);
  });
  const { body } = await local().stream({ projectId, url });
  const error = await failing(body.toArray());
  expect(error.message).not.toMatch(/:\d+|other side/);
});

test("proxies from the environment are ignored", async () => {
  const proxy = await startService(respondWith("proxy"));
  const service = await startService(respondWith("service"));
  for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"])
    process.env[name] = proxy.url;
  onTestFinished(() => {
    for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"])
      delete process.env[name];
  });
  expect((await local().request({ projectId, url: service.url })).body.toString()).toBe("service");
  expect(proxy.connections()).toBe(0);
});
