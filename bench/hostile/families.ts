import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Attacker, Kind } from "./kinds";

/** Ways of misbehaving on a connection, tried on a route of each class: who reads, who writes, and who has left. */

type Route = {
  name: string;
  method: "GET" | "POST";
  path: (attacker: Attacker) => string;
  /** Of its body. Routes with a body are written to, too. */
  type?: string;
};

const project = ({ projectId }: Attacker) => `/v1/projects/${projectId}`;
const JSON_TYPE = "application/json";

const ROUTES: readonly Route[] = [
  { name: "a page", method: "GET", path: () => "/sign-in" },
  { name: "a page of a project", method: "GET", path: ({ projectId }) => `/p/${projectId}/conversations` },
  { name: "the API page", method: "GET", path: () => "/docs" },
  { name: "the API document", method: "GET", path: () => "/v1/openapi.json" },
  { name: "a health check", method: "GET", path: () => "/readyz" },
  { name: "a list", method: "GET", path: (attacker) => `${project(attacker)}/conversations` },
  { name: "facets", method: "GET", path: (attacker) => `${project(attacker)}/conversation-facets` },
  {
    name: "an event stream",
    method: "GET",
    path: (attacker) => `${project(attacker)}/fine-tuning/jobs/j/event-stream`,
  },
  { name: "telemetry", method: "POST", path: () => "/v1/otlp/v1/traces", type: JSON_TYPE },
  { name: "a change", method: "POST", path: (attacker) => `${project(attacker)}/datasets`, type: JSON_TYPE },
  {
    name: "an upload",
    method: "POST",
    path: (attacker) => `${project(attacker)}/files?name=${crypto.randomUUID()}`,
    type: "application/octet-stream",
  },
  {
    name: "a model's answer",
    method: "POST",
    path: (attacker) => `${project(attacker)}/deployments/d/v1/chat/completions`,
    type: JSON_TYPE,
  },
  { name: "tRPC", method: "POST", path: () => "/api/trpc/projects.list", type: JSON_TYPE },
  { name: "a sign-in", method: "POST", path: () => "/api/auth/callback/credentials", type: JSON_TYPE },
  { name: "a trainer's lease", method: "POST", path: () => "/api/trainer/v1/lease", type: JSON_TYPE },
  { name: "a trainer's webhook", method: "POST", path: () => "/api/trainer/v1/webhook/job_1", type: JSON_TYPE },
];

const CONNECTIONS = 60;
const HELD_MS = 1_500;
const BODY = '{"name":"x"}';

const headOf = (attacker: Attacker, { method, path, type }: Route, more: readonly string[] = []) =>
  [
    `${method} ${path(attacker)} HTTP/1.1`,
    "host: x",
    `authorization: Bearer ${attacker.secret}`,
    ...(type ? [`content-type: ${type}`] : []),
    ...more,
  ].join("\r\n");
/** A whole request. */
const requestOf = (attacker: Attacker, route: Route, { body = BODY, headers = [] as string[] } = {}) =>
  route.type
    ? `${headOf(attacker, route, [`content-length: ${Buffer.byteLength(body)}`, ...headers])}\r\n\r\n${body}`
    : `${headOf(attacker, route, headers)}\r\n\r\n`;

/** Asks every route once, so that the code behind it is loaded. */
export async function askEveryRoute(attacker: Attacker): Promise<void> {
  for (const route of ROUTES) {
    const reply = await fetch(`${attacker.url}${route.path(attacker)}`, {
      method: route.method,
      headers: { authorization: `Bearer ${attacker.secret}`, ...(route.type ? { "content-type": route.type } : {}) },
      ...(route.type ? { body: BODY } : {}),
      redirect: "manual",
    });
    await reply.body?.cancel();
  }
}

/** Opens connections, does this with each, and destroys them after a while. */
async function onConnections(
  { port }: Attacker,
  use: (socket: Socket, n: number) => void,
  { connections = CONNECTIONS, forMs = HELD_MS } = {},
) {
  const sockets = Array.from({ length: connections }, (_, n) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    use(socket, n);
    return socket;
  });
  await sleep(forMs);
  for (const socket of sockets) socket.destroy();
  return ["closed"];
}

/** Writes a piece every few milliseconds for as long as the connection is open. */
function trickle(socket: Socket, piece: string | Buffer, everyMs = 20) {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once("close", () => clearInterval(timer));
}

/** Sends this body whole on a few connections at once, and reads the responses' statuses. */
async function statuses(attacker: Attacker, route: Route, body: string | Uint8Array, headers: Record<string, string>) {
  const reply = async () => {
    const response = await fetch(`${attacker.url}${route.path(attacker)}`, {
      method: route.method,
      headers: { authorization: `Bearer ${attacker.secret}`, "content-type": route.type ?? "", ...headers },
      body: body as BodyInit,
    }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => {});
    return response?.status ?? 0;
  };
  return Promise.all(Array.from({ length: 5 }, reply));
}

type Misbehaviour = { name: string; send: (attacker: Attacker, route: Route) => Promise<(number | string)[]> };

const ON_ANY_ROUTE: readonly Misbehaviour[] = [
  {
    name: "headers that stop",
    send: (attacker, route) => onConnections(attacker, (socket) => socket.write(headOf(attacker, route, ["x-a: "]))),
  },
  {
    name: "replies that nobody reads",
    send: (attacker, route) =>
      onConnections(attacker, (socket) => {
        socket.pause();
        socket.write(requestOf(attacker, route).repeat(20));
      }),
  },
  {
    name: "requests abandoned when they are sent",
    send: (attacker, route) =>
      onConnections(
        attacker,
        (socket, n) => socket.write(requestOf(attacker, route), () => setTimeout(() => socket.resetAndDestroy(), n)),
        { connections: 200 },
      ),
  },
];

const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, " "));
const list = `{"name":[${"1,".repeat(200_000)}1]}`;

const ON_BODIES: readonly Misbehaviour[] = [
  {
    name: "bodies that come in single bytes",
    send: (attacker, route) =>
      onConnections(attacker, (socket) => {
        socket.write(`${headOf(attacker, route, ["content-length: 1000000"])}\r\n\r\n`);
        trickle(socket, " ");
      }),
  },
  {
    name: "chunks without end",
    send: (attacker, route) =>
      onConnections(attacker, (socket) => {
        socket.write(`${headOf(attacker, route, ["transfer-encoding: chunked"])}\r\n\r\n`);
        trickle(socket, "1\r\n \r\n".repeat(10));
      }),
  },
  { name: "gzip bombs", send: (attacker, route) => statuses(attacker, route, bomb, { "content-encoding": "gzip" }) },
  { name: "JSON of 50,000 levels", send: (attacker, route) => statuses(attacker, route, deep, {}) },
  { name: "a list of 200,000 numbers", send: (attacker, route) => statuses(attacker, route, list, {}) },
];

/** Every way of misbehaving on every route that it can be tried on. */
export const FAMILIES: readonly Kind[] = ROUTES.flatMap((route) =>
  [...ON_ANY_ROUTE, ...(route.type ? ON_BODIES : [])].map(
    ({ name, send }): Kind => ({ name: `${route.name}: ${name}`, send: (attacker) => send(attacker, route) }),
  ),
);
