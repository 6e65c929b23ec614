import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { db } from "@/db/pool";
import { auditLog } from "@/db/schema";
import { growthOf } from "@/db/testing/live-memory";
import { testProject } from "@/db/testing/test-project";
import { get, post, project, under } from "@/server/operations/row";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { bodyOfChunks } from "@/server/platform/http/testing";
import { streamVerb } from "@/server/platform/stream-verb";
import { createApiKey, revokeApiKey } from "@/server/services/api-keys";
import { createUser, endSession } from "@/server/services/identity";
import { acceptInvitation, changeRole, inviteMember, removeMember } from "@/server/services/members";
import { disablePerson } from "@/server/services/people";
import { createDispatcher } from "./dispatcher";
import { routesOf } from "./operations";
import { cookieFor, keyFor } from "./testing";
import { serve } from "./testing/serve";

const MIB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, "whetstone ");
/** More than the buffers at both ends of a local connection can contain. */
const ON_THE_WAY = 16 * MIB;

/** What the operations did since the test began. */
const seen = { made: 0, taken: 0, ended: 0, aborted: 0, commits: 0 };
let hold: Promise<void> = Promise.resolve();
beforeEach(() => {
  Object.assign(seen, { made: 0, taken: 0, ended: 0, aborted: 0, commits: 0 });
  hold = Promise.resolve();
});

const download = streamVerb(
  {
    name: "things.download",
    summary: "Writes as many MiB as it is asked for.",
    description: "",
    capability: "workspace:read",
    effect: "read",
    input: z.strictObject({ mib: z.coerce.number().min(0), failAfter: z.coerce.number().optional() }),
    produces: { "application/octet-stream": {} },
  },
  async (_, { mib, failAfter = Number.POSITIVE_INFINITY }, { signal }) => {
    signal.addEventListener("abort", () => seen.aborted++);
    async function* pieces() {
      try {
        for (let sent = 0; sent < mib * MIB; sent += PIECE.length) {
          if (sent >= failAfter * MIB) throw new ServiceError("conflict", "Something else came in between.");
          seen.made += PIECE.length;
          yield PIECE;
        }
      } finally {
        seen.ended++;
      }
    }
    return { mediaType: "application/octet-stream", fileName: "Zahlen für „Ω“.bin", body: pieces() };
  },
);

const upload = streamVerb(
  {
    name: "things.upload",
    summary: "Counts what it is sent.",
    description: "",
    capability: "models:manage",
    effect: "write",
    input: z.strictObject({ name: z.string().max(20), forgets: z.coerce.boolean().optional() }),
    consumes: { types: { "application/octet-stream": {} }, encodings: ["gzip", "deflate"], maxBytes: 256 * MIB },
    reply: z.object({ bytes: z.int() }),
  },
  async (_, { forgets }, { body, signal, commit }) => {
    signal.addEventListener("abort", () => seen.aborted++);
    let bytes = 0;
    try {
      for await (const chunk of body.chunks()) {
        await hold;
        bytes += chunk.length;
        seen.taken += chunk.length;
      }
    } finally {
      seen.ended++;
    }
    if (forgets) return { bytes };
    return commit(async (tx) => {
      seen.commits++;
      auditNote(tx, { after: { bytes } });
      return { bytes };
    });
  },
);

const inTime = streamVerb(
  {
    name: "things.inTime",
    summary: "Has a second for reading, and a second for writing.",
    description: "",
    capability: "workspace:read",
    effect: "write",
    input: z.strictObject({}),
    consumes: { types: { "text/plain": {} }, maxBytes: 100 },
    produces: { "text/plain": {} },
    limits: { seconds: 1 },
    unaudited: "It changes nothing.",
  },
  async (_, __, { body }) => {
    await body.whole(async () => {});
    async function* words() {
      yield "first";
      await sleep(60_000, undefined, { ref: false });
      yield "second";
    }
    return { mediaType: "text/plain", body: words() };
  },
);

const scarce = streamVerb(
  {
    name: "things.scarce",
    summary: "May be asked twice a minute.",
    description: "",
    capability: "workspace:read",
    effect: "read",
    input: z.strictObject({}),
    produces: { "text/plain": {} },
    limits: { rate: { perMinute: 2 } },
  },
  async () => ({ mediaType: "text/plain", body: "done" }),
);

const sized = streamVerb(
  {
    name: "things.sized",
    summary: "Declares one length and writes another.",
    description: "",
    capability: "workspace:read",
    effect: "read",
    input: z.strictObject({ declared: z.string(), parts: z.string() }),
    produces: { "application/octet-stream": {} },
  },
  async (_, { declared, parts }) => {
    async function* pieces() {
      yield* parts.split(" ");
    }
    return { mediaType: "application/octet-stream", headers: { "content-length": declared }, body: pieces() };
  },
);

const feed = streamVerb(
  {
    name: "things.feed",
    summary: "Writes a word, and then nothing for a long time.",
    description: "",
    capability: "models:manage",
    effect: "read",
    input: z.strictObject({}),
    produces: { "text/event-stream": {} },
  },
  async (_, __, { signal }) => {
    async function* words() {
      yield "first";
      await once(signal, "abort");
    }
    return { mediaType: "text/event-stream", body: words() };
  },
);

const dispatch = createDispatcher(
  routesOf(
    under("Things", {
      download: get(`${project}/download`, download),
      feed: get(`${project}/feed`, feed),
      sized: get(`${project}/sized`, sized),
      upload: post(`${project}/upload`, upload, 201),
      inTime: post(`${project}/in-time`, inTime),
      scarce: get(`${project}/scarce`, scarce),
    }),
  ),
);
const origin = await serve(dispatch);

async function tenant() {
  const { ctx, userId } = await testProject();
  const key = await keyFor(ctx, "workspace:read", "models:manage");
  return { ctx, userId, key, base: `${origin}/v1/projects/${ctx.projectId}` };
}
const as = (key: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${key}`, "content-type": "application/octet-stream", ...more },
});

/** Opens a separate connection, whose bytes are read and written only when the test does so. */
function open(method: string, url: string, key: string) {
  const request = httpRequest(url, { method, agent: false, ...as(key) });
  request.on("error", () => {});
  const reply = once(request, "response").then(([message]) => message as IncomingMessage);
  reply.catch(() => {});
  return { request, reply };
}
async function settled(value: () => number) {
  for (let before = -1; before !== value(); await sleep(300)) before = value();
  return value();
}
const auditOf = ({ projectId }: Ctx) => db().select().from(auditLog).where(eq(auditLog.projectId, projectId));

test("200 MiB are downloaded and uploaded whole in less than 100 MiB of memory", async () => {
  const { base, key } = await tenant();
  let peak = 0;
  const grown = growthOf(() => process.memoryUsage().arrayBuffers, 90 * MIB);
  const look = () => {
    peak = Math.max(peak, grown());
  };
  const { request, reply } = open("GET", `${base}/download?mib=200`, key);
  request.end();
  let received = 0;
  for await (const chunk of await reply) {
    received += chunk.length;
    look();
  }
  expect([received, seen.made]).toEqual([200 * MIB, 200 * MIB]);

  const up = open("POST", `${base}/upload?name=large`, key);
  for (let sent = 0; sent < 200 * MIB; sent += PIECE.length) {
    if (!up.request.write(PIECE)) await once(up.request, "drain");
    look();
  }
  up.request.end();
  const answered = await up.reply;
  expect([answered.statusCode, JSON.parse((await answered.toArray()).join(""))]).toEqual([201, { bytes: 200 * MIB }]);
  expect(peak).toBeLessThan(100 * MIB);
});

test("nothing more is produced while a client does not read", async () => {
  const { base, key } = await tenant();
  const { request, reply } = open("GET", `${base}/download?mib=200`, key);
  request.end();
  const message = await reply;
  message.pause();
  expect(await settled(() => seen.made)).toBeLessThan(ON_THE_WAY);
  expect(seen.ended).toBe(0);
  request.destroy();
  await vi.waitFor(() => expect(seen.ended).toBe(1));
});

test("an upload is read no faster than the operation processes it", async () => {
  const { base, key } = await tenant();
  let go = () => {};
  hold = new Promise((resolve) => {
    go = resolve;
  });
  const { request, reply } = open("POST", `${base}/upload?name=slow`, key);
  let written = 0;
  const more = () => {
    while (written < 64 * MIB) {
      written += PIECE.length;
      if (!request.write(PIECE)) return void request.once("drain", more);
    }
    request.end();
  };
  more();
  expect(await settled(() => written)).toBeLessThan(ON_THE_WAY);
  go();
  expect((await reply).statusCode).toBe(201);
  expect(seen.taken).toBe(64 * MIB);
});

test("a client that disconnects while reading ends the stream and aborts the operation", async () => {
  const { base, key } = await tenant();
  const { request, reply } = open("GET", `${base}/download?mib=200`, key);
  request.end();
  await once(await reply, "data");
  request.destroy();
  await vi.waitFor(() => expect([seen.ended, seen.aborted]).toEqual([1, 1]));
  const made = seen.made;
  await sleep(100);
  expect(seen.made).toBe(made);
});

test("a client that disconnects while sending ends the operation, and nothing is committed", async () => {
  const { ctx, base, key } = await tenant();
  const { request } = open("POST", `${base}/upload?name=half`, key);
  request.write(PIECE);
  await vi.waitFor(() => expect(seen.taken).toBeGreaterThan(0));
  request.destroy();
  await vi.waitFor(() => expect(seen.ended).toBe(1));
  expect(seen.commits).toBe(0);
  expect(await auditOf(ctx)).toEqual([]);
});

test("a write adds one row to the audit log, and a write that adds none fails", async () => {
  const { ctx, base, key } = await tenant();
  const reply = await fetch(`${base}/upload?name=mine`, { method: "POST", body: "12345", ...as(key) });
  expect([reply.status, await reply.json()]).toEqual([201, { bytes: 5 }]);
  expect(await auditOf(ctx)).toMatchObject([
    { action: "things.upload", actorKind: "apiKey", targetId: ctx.projectId, after: { bytes: 5 }, door: "rest" },
  ]);
  const forgotten = await fetch(`${base}/upload?name=x&forgets=1`, { method: "POST", body: "1", ...as(key) });
  expect(forgotten.status).toBe(500);
});

test("too large a body is refused by its declared length, while it arrives, and while it is decompressed", async () => {
  const { base, key } = await tenant();
  const send = async (body: BodyInit, more: Record<string, string> = {}) => {
    const reply = await fetch(`${base}/upload?name=big`, {
      method: "POST",
      body,
      duplex: "half",
      ...as(key, more),
    } as RequestInit);
    return [reply.status, ((await reply.json()) as { code: string }).code];
  };
  const bomb = gzipSync(Buffer.alloc(300 * MIB));
  expect(await send(bomb, { "content-encoding": "gzip" })).toEqual([413, "too_large"]);
  expect(seen.taken).toBeLessThanOrEqual(256 * MIB);
  let sent = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      sent += PIECE.length;
      if (sent > 300 * MIB) controller.close();
      else controller.enqueue(PIECE);
    },
  });
  expect(await send(endless)).toEqual([413, "too_large"]);
  const announced = open("POST", `${base}/upload?name=big`, key).request;
  announced.setHeader("content-length", 300 * MIB);
  announced.flushHeaders();
  const [message] = (await once(announced, "response")) as [IncomingMessage];
  expect(message.statusCode).toBe(413);
  announced.destroy();
  expect(seen.commits).toBe(0);
});

test("a compressed body is decompressed, and a damaged one is refused", async () => {
  const { base, key } = await tenant();
  const whole = Buffer.alloc(3 * MIB, "abc");
  const send = (body: BodyInit, encoding: string) =>
    fetch(`${base}/upload?name=packed`, { method: "POST", body, ...as(key, { "content-encoding": encoding }) });
  for (const [body, encoding] of [
    [gzipSync(whole), "gzip"],
    [deflateSync(whole), "deflate"],
    [deflateRawSync(whole), "deflate"],
  ] as const) {
    expect(await (await send(body, encoding)).json()).toEqual({ bytes: 3 * MIB });
  }
  expect((await send("no gzip", "gzip")).status).toBe(400);
  expect((await send(gzipSync(whole).subarray(0, 1000), "gzip")).status).toBe(400);
  expect((await send(whole, "br")).status).toBe(415);
});

test("another media type is a 415, and an invalid parameter is a 400", async () => {
  const { base, key } = await tenant();
  const send = (query: string, type: string) =>
    fetch(`${base}/upload?${query}`, { method: "POST", body: "1", ...as(key, { "content-type": type }) });
  const refused = await send("name=x", "text/csv");
  expect([refused.status, await refused.json()]).toMatchObject([
    415,
    { code: "unsupported_media_type", detail: "Send application/octet-stream." },
  ]);
  expect((await send("name=x", "")).status).toBe(415);
  const wrong = await send("", "application/octet-stream");
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { errors: [{ path: "/name" }] }]);
});

test("a stream has the access rules of any other operation, and another project's is a 404", async () => {
  const [ours, theirs] = [await tenant(), await tenant()];
  const up = (base: string, headers: Record<string, string>) =>
    fetch(`${base}/upload?name=x`, {
      method: "POST",
      body: "1",
      headers: { "content-type": "application/octet-stream", ...headers },
    }).then(({ status }) => status);
  const down = (base: string, headers: Record<string, string>) =>
    fetch(`${base}/download?mib=1`, { headers }).then(async (reply) => [
      reply.status,
      (await reply.bytes()).length > 0,
    ]);
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  expect(await up(theirs.base, bearer(ours.key))).toBe(404);
  expect((await down(theirs.base, bearer(ours.key)))[0]).toBe(404);
  expect(await up(ours.base, {})).toBe(401);
  expect(await up(ours.base, bearer(await keyFor(ours.ctx, "workspace:read")))).toBe(403);

  const { cookie } = await cookieFor(ours.userId);
  expect(await down(ours.base, { cookie })).toEqual([200, true]);
  expect(await up(ours.base, { cookie })).toBe(403);
  expect(await up(ours.base, { cookie, "sec-fetch-site": "same-origin" })).toBe(201);
  expect(await up(theirs.base, { cookie, "sec-fetch-site": "same-origin" })).toBe(404);
  expect(await auditOf(theirs.ctx)).toEqual([]);
});

test("a failure before the first byte is a problem response, and a later one breaks off the download", async () => {
  const { base, key } = await tenant();
  const early = await fetch(`${base}/download?mib=5&failAfter=0`, as(key));
  expect([early.status, await early.json()]).toMatchObject([409, { code: "conflict" }]);
  const late = await fetch(`${base}/download?mib=5&failAfter=2`, as(key));
  expect(late.status).toBe(200);
  await expect(late.arrayBuffer()).rejects.toThrow();
  await vi.waitFor(() => expect(seen.ended).toBe(2));
});

test("a body that is longer or shorter than its declared length is broken off, and nothing of it is read as the next response", async () => {
  const { base, key } = await tenant();
  const next = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged";
  const read = async (declared: number, parts: string) => {
    const reply = await fetch(`${base}/sized?declared=${declared}&parts=${encodeURIComponent(parts)}`, as(key));
    return [reply.status, await reply.text().catch(() => "broken off")];
  };
  expect(await read(6, "abc def")).toEqual([200, "abcdef"]);
  expect((await read(2, "abc def"))[0]).toBe(503);
  for (const [declared, parts] of [
    [3, `abc ${next.replaceAll(" ", "_")}`],
    [9, "abc def"],
  ] as const) {
    expect(await read(declared, parts)).toEqual([200, "broken off"]);
  }
  // The connection is not used again.
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  const request = (parts: string) =>
    `GET ${new URL(base).pathname}/sized?declared=3&parts=${encodeURIComponent(parts)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
  socket.write(request(`abc ${next.replaceAll(" ", "_")}`));
  expect((await socket.toArray()).join("")).not.toContain("forged");
});

test("a file is served under its name, in any script, and is not cached", async () => {
  const { base, key } = await tenant();
  const { headers } = await fetch(`${base}/download?mib=0`, as(key));
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="Zahlen f_r ___.bin"; filename*=UTF-8''${encodeURIComponent("Zahlen für „Ω“.bin")}`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.any(String),
    ratelimit: expect.stringContaining('"key"'),
  });
});

test("HEAD returns the headers and ends the stream", async () => {
  const { base, key } = await tenant();
  const reply = await fetch(`${base}/download?mib=200`, { method: "HEAD", ...as(key) });
  expect([reply.status, await reply.text()]).toEqual([200, ""]);
  await vi.waitFor(() => expect(seen.ended).toBe(1));
  expect(seen.made).toBeLessThan(MIB);
});

test("a stream that takes too long gets a 408 while it is read, and is broken off while it is written", async () => {
  const { base, key } = await tenant();
  const slow = httpRequest(`${base}/in-time`, {
    method: "POST",
    agent: false,
    ...as(key, { "content-type": "text/plain" }),
  });
  slow.write("a");
  const [message] = (await once(slow, "response")) as [IncomingMessage];
  expect([message.statusCode, JSON.parse((await message.toArray()).join("")).code]).toEqual([408, "timed_out"]);
  slow.destroy();
  const reply = await fetch(`${base}/in-time`, {
    method: "POST",
    body: "whole",
    ...as(key, { "content-type": "text/plain" }),
  });
  expect(reply.status).toBe(200);
  await expect(reply.text()).rejects.toThrow();
});

describe("a stream ends once its caller", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());
  const LATER_MS = 5_000;

  async function editor() {
    const { ctx, base } = await tenant();
    const { id: userId } = await createUser(db(), {
      email: `${crypto.randomUUID()}@example.test`,
      password: "a long password",
    });
    const { token } = await inviteMember(ctx, { role: "editor" });
    await acceptInvitation({ db: db(), userId }, { token });
    const { apiKey, secret } = await createApiKey(ctx, { name: "Feed", capabilities: ["models:manage"] });
    return { ctx, userId, keyId: apiKey.id, secret, base, ...(await cookieFor(userId)) };
  }
  async function follow(base: string, headers: Record<string, string>) {
    const reader = (await fetch(`${base}/feed`, { headers })).body!.getReader();
    await reader.read();
    const state = { isOpen: true, reader };
    reader.read().catch(() => {
      state.isOpen = false;
    });
    return state;
  }

  test.each<[string, "session" | "key", (who: Awaited<ReturnType<typeof editor>>) => Promise<unknown>]>([
    ["signs out", "session", ({ sessionId }) => endSession(db(), sessionId)],
    ["is disabled", "session", ({ userId }) => disablePerson({ db: db(), operator: true }, { userId })],
    ["is removed from the project", "session", ({ ctx, userId }) => removeMember(ctx, { userId })],
    ["becomes a viewer", "session", ({ ctx, userId }) => changeRole(ctx, { userId, role: "viewer" })],
    ["has a revoked key", "key", ({ ctx, keyId }) => revokeApiKey(ctx, { keyId })],
  ])("%s, and others continue", async (_, loser, lose) => {
    const who = await editor();
    const streams = {
      session: await follow(who.base, { cookie: who.cookie }),
      key: await follow(who.base, { authorization: `Bearer ${who.secret}` }),
    };
    await vi.advanceTimersByTimeAsync(LATER_MS);
    await lose(who);
    await vi.advanceTimersByTimeAsync(LATER_MS);
    await vi.waitFor(() => expect(streams[loser].isOpen).toBe(false), 5_000);
    expect(streams.session.isOpen).not.toBe(streams.key.isOpen);
    for (const { reader } of Object.values(streams)) await reader.cancel().catch(() => {});
  });
});

test("an operation's own limit is counted per caller, separately from the limit on requests", async () => {
  const { ctx, base, key } = await tenant();
  const ask = async (by: string) => (await fetch(`${base}/scarce`, as(by))).status;
  expect([await ask(key), await ask(key), await ask(key)]).toEqual([200, 200, 429]);
  expect(await ask(await keyFor(ctx, "workspace:read"))).toBe(200);
  expect((await fetch(`${base}/download?mib=0`, as(key))).status).toBe(200);
});

test("an operation with a stream can be called without HTTP", async () => {
  const { ctx } = await tenant();
  const body = bodyOfChunks(new Uint8Array(3), new Uint8Array(4));
  expect(await upload(ctx, { name: "direct" }, { body })).toEqual({ bytes: 7 });
  expect(await auditOf(ctx)).toMatchObject([{ action: "things.upload", after: { bytes: 7 } }]);
});
