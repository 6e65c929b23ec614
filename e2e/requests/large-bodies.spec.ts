import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { newProject, type TestProject } from "../../testbed/data/project";
import { expect, test } from "../support/test";

/** Clients that send the whole request before they read the response, against the built product. */

const MIB = 1024 * 1024;
let project: TestProject;
let key = "";
test.beforeAll(async ({ baseURL }) => {
  project = await newProject(baseURL!);
  key = await project.newKey("telemetry:write", "models:manage", "model-pricing:write");
});
const dial = () => connect(Number(new URL(project.url).port), "127.0.0.1");

type Sent = { path: string; body: Buffer; chunked?: boolean; headers?: Record<string, string>; as?: string };

const head = ({ path, body, chunked, headers = {}, as = key }: Sent) =>
  [
    `POST ${path} HTTP/1.1`,
    "host: whetstone.test",
    `authorization: Bearer ${as}`,
    ...Object.entries({ "content-type": "application/json", ...headers }).map((pair) => pair.join(": ")),
    chunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`,
    "",
    "",
  ].join("\r\n");

const drained = (socket: Socket) =>
  new Promise((resolve) => {
    socket.once("drain", resolve);
  });
async function write(socket: Socket, bytes: Buffer | string) {
  if (!socket.write(bytes)) await drained(socket);
}

/** Writes the whole request before reading a byte of the response, like `requests`, Go's client and OTLP exporters. */
async function sendThenListen(sent: Sent) {
  const socket = dial();
  socket.pause();
  const failed = new Promise<never>((_, reject) => {
    socket.once("error", reject);
  });
  failed.catch(() => {});
  await Promise.race([once(socket, "connect"), failed]);
  const writing = async () => {
    await write(socket, head(sent));
    for (let at = 0; at < sent.body.length; at += 65_536) {
      const piece = sent.body.subarray(at, at + 65_536);
      await write(
        socket,
        sent.chunked
          ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")])
          : piece,
      );
    }
    if (sent.chunked) await write(socket, "0\r\n\r\n");
  };
  await Promise.race([writing(), failed]);
  const answer = await Promise.race([answerOf(socket), failed]);
  socket.destroy();
  return answer;
}

/** Reads one response, up to its content-length. */
function answerOf(socket: Socket): Promise<{ status: number; code: unknown }> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      const [headers = "", body] = text.split("\r\n\r\n");
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(headers)?.[1]);
      const json = /\{.*\}/s.exec(body ?? "")?.[0];
      if (json?.endsWith("}")) resolve({ status, code: (JSON.parse(json) as { code?: unknown }).code });
    });
    socket.once("close", () => reject(new Error(`The connection ended after ${JSON.stringify(text)}.`)));
    socket.resume();
  });
}

const random = (bytes: number) => {
  const body = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) body.writeUInt32LE(Math.imul(at + 1, 2654435761) >>> 0, at);
  return body;
};

for (const chunked of [false, true]) {
  test(`a client that sends before it reads gets the 413 for a body over the limit (chunked: ${chunked})`, async () => {
    const tooLarge = { status: 413, code: "too_large" };
    expect(await sendThenListen({ path: "/v1/otlp/v1/traces", body: Buffer.alloc(20 * MIB, " "), chunked })).toEqual(
      tooLarge,
    );
    expect(await sendThenListen({ path: "/v1/model-prices", body: Buffer.alloc(4 * MIB, " "), chunked })).toEqual(
      tooLarge,
    );
    const gzip = { "content-encoding": "gzip" };
    const bomb = gzipSync(Buffer.alloc(40 * MIB));
    expect(await sendThenListen({ path: "/v1/otlp/v1/logs", body: bomb, chunked, headers: gzip })).toEqual(tooLarge);
    const once = { connection: "close" };
    const plain = Buffer.alloc(20 * MIB, " ");
    expect(await sendThenListen({ path: "/v1/otlp/v1/traces", body: plain, chunked, headers: once })).toEqual(tooLarge);
    const packed = random(20 * MIB);
    expect(await sendThenListen({ path: "/v1/otlp/v1/logs", body: packed, chunked, headers: gzip })).toEqual(tooLarge);
  });

  test(`a client that sends before it reads gets errors that do not depend on the body (chunked: ${chunked})`, async () => {
    const body = Buffer.alloc(8 * MIB, " ");
    const cases: [Partial<Sent> & { path: string }, object][] = [
      [
        { path: "/v1/otlp/v1/traces", as: "whet_none" },
        { status: 401, code: "unauthenticated" },
      ],
      [
        { path: "/v1/otlp/v1/traces", headers: { "content-type": "text/xml" } },
        { status: 415, code: "unsupported_media_type" },
      ],
      [{ path: "/v1/nowhere" }, { status: 404, code: "not_found" }],
      [{ path: "/v1/projects/prj_none/api-keys" }, { status: 404, code: "not_found" }],
    ];
    for (const [sent, answer] of cases) expect(await sendThenListen({ body, chunked, ...sent })).toEqual(answer);
  });
}

test("the same connection accepts the next request after the rest of the body", async () => {
  const socket = dial();
  const sent = { path: "/v1/otlp/v1/traces", body: Buffer.alloc(20 * MIB, " ") };
  await write(socket, head(sent));
  await write(socket, sent.body);
  expect(await answerOf(socket)).toMatchObject({ status: 413 });
  socket.removeAllListeners();
  await write(socket, head({ path: "/v1/nowhere", body: Buffer.from("{}") }));
  await write(socket, "{}");
  expect(await answerOf(socket)).toMatchObject({ status: 404 });
  socket.destroy();
});

for (const [who, as] of [
  ["with a key", () => key],
  ["without one", () => "whet_none"],
] as const) {
  test(`an endless body, ${who}, is drained up to a limit before the connection is closed`, async () => {
    const socket = dial();
    socket.on("error", () => {});
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    socket.resume();
    await write(socket, head({ path: "/v1/otlp/v1/traces", body: Buffer.alloc(0), chunked: true, as: as() }));
    const piece = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(MIB, " "), Buffer.from("\r\n")]);
    let written = 0;
    while (!socket.destroyed && written < 2000 * MIB) {
      written += piece.length;
      if (!socket.write(piece)) await Promise.race([drained(socket), closed]);
    }
    await closed;
    expect(written).toBeLessThan(1000 * MIB);
  });
}
