import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Inngest } from "inngest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { jobEvents } from "@/db/schema/engine";
import { emit } from "@/server/platform/outbox";
import { until } from "../testing/describe-engine";
import { forwardEvents, startForwarder } from "./forwarder";

type Posted = { id: string; name: string; ts: number; data: { n: number } };

let server: Server;
let client: Inngest;
let posted: Posted[];
/** Whether the server refuses an event. */
let refuses: (event: Posted) => boolean;

beforeEach(async () => {
  posted = [];
  refuses = () => false;
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const events = JSON.parse(body) as Posted[];
    const bad = events.some(refuses);
    if (!bad) posted.push(...events);
    const reply = bad ? { error: "refused", status: 400 } : { ids: events.map(({ id }) => id), status: 200 };
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  client = new Inngest({ id: "test", baseUrl, eventKey: "key", isDev: true, aiMetadata: false, logger });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await db().delete(jobEvents);
});

const waiting = async () =>
  (await db().select().from(jobEvents)).filter(({ dispatchedAt }) => dispatchedAt === null).length;
const send = (...numbers: number[]) => emit(db(), ...numbers.map((n) => ({ name: "go", id: `e${n}`, data: { n } })));

test("events reach the server in order, with their ids, and are no longer waiting", async () => {
  const forwarder = startForwarder({ db: db(), client, pollMs: 20, takeOver: async () => {} });
  await send(1, 2, 3);
  await until(async () => (await waiting()) === 0);
  await forwarder.stop();
  expect(posted.map(({ id }) => id)).toEqual(["e1", "e2", "e3"]);
  expect(Math.abs((posted[0]?.ts ?? 0) - Date.now())).toBeLessThan(60_000);
});

test("an event that the server refuses stays queued and does not block others", { timeout: 60_000 }, async () => {
  refuses = ({ data }) => data.n === 2;
  await send(1, 2, 3);
  await forwardEvents(db(), client);
  expect(posted.map(({ id }) => id)).toEqual(["e1", "e3"]);
  expect(await waiting()).toBe(1);
  expect(await forwardEvents(db(), client)).toBe(0); // not retried immediately
});

test("a server that accepts nothing leaves the outbox unchanged", { timeout: 60_000 }, async () => {
  refuses = () => true;
  await send(1, 2, 3);
  await expect(forwardEvents(db(), client)).rejects.toThrow();
  expect(await waiting()).toBe(3);
  refuses = () => false;
  await forwardEvents(db(), client);
  expect(await waiting()).toBe(0);
});
