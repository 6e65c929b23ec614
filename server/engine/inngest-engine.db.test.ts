import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Inngest } from "inngest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { jobEvents } from "@/db/schema/engine";
import { emit } from "@/server/platform/outbox";
import { postEvents } from "./events/post-events";
import { startInngestEngine } from "./inngest-engine";
import { until } from "./testing/describe-engine";

type Posted = { id: string; name: string; ts: number; data: { n: number } };

let server: Server;
let client: Inngest;
let posted: Posted[];
/** The addresses at which functions were registered. */
let registered: string[];
/** Whether the server refuses an event. */
let refuses: (event: Posted) => boolean;

beforeEach(async () => {
  posted = [];
  registered = [];
  refuses = () => false;
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const reply = request.url === "/fn/register" ? register(body) : receive(body);
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  client = new Inngest({ id: "test", baseUrl, eventKey: "key", isDev: true, aiMetadata: false, logger });
});

function register(body: string) {
  registered.push((JSON.parse(body) as { url: string }).url);
  return { ok: true, modified: true, status: 200 };
}

function receive(body: string) {
  const events = JSON.parse(body) as Posted[];
  if (events.some(refuses)) return { error: "refused", status: 400 };
  posted.push(...events);
  return { ids: events.map(({ id }) => id), status: 200 };
}

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await db().delete(jobEvents);
});

const waiting = async () =>
  (await db().select().from(jobEvents)).filter(({ dispatchedAt }) => dispatchedAt === null).length;
const send = (...numbers: number[]) => emit(db(), ...numbers.map((n) => ({ name: "go", id: `e${n}`, data: { n } })));

test("the functions are registered, and events reach the server in order, with their ids", async () => {
  const fn = client.createFunction({ id: "fn", triggers: { event: "go" } }, async () => {});
  const engine = await startInngestEngine({
    db: db(),
    client,
    functions: [fn],
    origin: "https://whetstone.example",
    pollMs: 20,
  });
  await send(1, 2, 3);
  await until(async () => registered.length > 0 && (await waiting()) === 0);
  await engine.stop();
  expect(registered).toEqual([expect.stringContaining("https://whetstone.example/api/inngest")]);
  expect(posted.map(({ id }) => id)).toEqual(["e1", "e2", "e3"]);
  expect(Math.abs((posted[0]?.ts ?? 0) - Date.now())).toBeLessThan(60_000);
});

test("an event that the server refuses stays queued and does not block others", { timeout: 60_000 }, async () => {
  refuses = ({ data }) => data.n === 2;
  await send(1, 2, 3);
  await postEvents(db(), client);
  expect(posted.map(({ id }) => id)).toEqual(["e1", "e3"]);
  expect(await waiting()).toBe(1);
  expect(await postEvents(db(), client)).toBe(0); // not retried immediately
});

test("a server that accepts nothing leaves the outbox unchanged", { timeout: 60_000 }, async () => {
  refuses = () => true;
  await send(1, 2, 3);
  await expect(postEvents(db(), client)).rejects.toThrow();
  expect(await waiting()).toBe(3);
  refuses = () => false;
  await postEvents(db(), client);
  expect(await waiting()).toBe(0);
});
