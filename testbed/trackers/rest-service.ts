import type { ServerResponse } from "node:http";
import { type Received, startService } from "@/server/services/connections/testing";
import type { SimulatedTracker } from "./simulated-tracker";

export type RestReply = { status?: number; body?: unknown; headers?: Record<string, string> };
export type RestRequest = {
  method: string;
  url: URL;
  headers: Received["headers"];
  /** The matches of the route's groups, decoded. */
  params: string[];
  input: Record<string, unknown>;
};
export type Route = [method: string, path: RegExp, reply: (request: RestRequest) => RestReply];

type Behaviour = {
  fault: SimulatedTracker["fault"];
  /** May refuse a request before its route runs. */
  guard: (request: RestRequest) => RestReply | undefined;
  limited: () => RestReply;
  /** Returns the tracker's form of an error. */
  refused: (status: number) => RestReply;
};

function parsed(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}

function send(response: ServerResponse, { status = 200, body, headers = {} }: RestReply) {
  const text = typeof body === "string" ? body : JSON.stringify(body ?? null);
  const type = typeof body === "string" ? "text/plain" : "application/json; charset=utf-8";
  response.writeHead(status, { "content-type": type, ...headers }).end(text);
}

/** Starts a REST API on loopback. Routes are tried in order. */
export async function startRest(routes: readonly Route[], behaviour: Behaviour) {
  return startService((received, response) => {
    const url = new URL(received.path, `http://${received.headers.host}`);
    const request = {
      method: received.method,
      url,
      headers: received.headers,
      params: [] as string[],
      input: parsed(received.body),
    };
    const fault = behaviour.fault(received);
    if (fault === "drop") return response.destroy();
    if (fault === "limit") return send(response, behaviour.limited());
    if (typeof fault === "number") return send(response, behaviour.refused(fault));
    const reply = behaviour.guard(request) ?? routed(routes, request) ?? behaviour.refused(404);
    return fault === "lose" ? response.destroy() : send(response, reply);
  });
}

function routed(routes: readonly Route[], request: RestRequest): RestReply | undefined {
  for (const [method, path, reply] of routes) {
    const match = method === request.method ? path.exec(request.url.pathname) : null;
    if (match) return reply({ ...request, params: match.slice(1).map(decodeURIComponent) });
  }
  return undefined;
}

/** Returns a page of a list, with its number and that of the last page. `path`: the list's path in the links. */
export function pageOf<T>(items: readonly T[], { url }: RestRequest, maxPerPage: number, path = url.pathname) {
  const perPage = Math.min(Number(url.searchParams.get("per_page") ?? 20) || 20, maxPerPage);
  const page = Math.max(1, Number(url.searchParams.get("page") ?? 1) || 1);
  const last = Math.max(1, Math.ceil(items.length / perPage));
  const address = (number: number) => {
    const at = new URL(path, url.origin);
    at.search = url.search;
    at.searchParams.set("page", String(number));
    return at.href;
  };
  const links = [
    ...(page > 1 ? [`<${address(page - 1)}>; rel="prev"`] : []),
    ...(page < last ? [`<${address(page + 1)}>; rel="next"`] : []),
    `<${address(1)}>; rel="first"`,
    `<${address(last)}>; rel="last"`,
  ];
  const body = items.slice((page - 1) * perPage, page * perPage);
  return { body, page, perPage, last, link: links.join(", ") };
}
