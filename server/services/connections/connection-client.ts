import type { z } from "zod";
import { type Outbound, outbound } from "@/server/platform/outbound";
import { kindOf } from "./kinds";
import type { Call, Caller } from "./kinds/kind";
import { type ConnectionRow, openSecret } from "./read-connection";

/** A connection as code uses it: calls go to its address, with its credential, which nobody gets to see. */
export type ConnectionClient = Caller & {
  connection: Pick<ConnectionRow, "id" | "kind" | "name" | "baseUrl" | "settings">;
  stream: (call: Call) => ReturnType<Outbound["stream"]>;
};

/** Makes the client of a connection, which throws an `OutboundError` where a call fails. */
export function connectionClient(row: ConnectionRow, client: Outbound = outbound()): ConnectionClient {
  const { id, kind, name, baseUrl, settings, projectId } = row;
  const secret = openSecret(row);
  const requestOf = ({ path, query, json, headers, messageId, ...rest }: Call) => {
    const url = addressBelow(baseUrl, path, query);
    const body = json === undefined ? undefined : JSON.stringify(json);
    const signature =
      secret === undefined ? { headers: {} } : kindOf(kind).sign(secret, { url, body, messageId }, settings as never);
    return {
      ...rest,
      projectId,
      url: (signature.url ?? url).href,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
        ...signature.headers,
      },
      ...(body !== undefined && { body }),
    };
  };
  return {
    connection: { id, kind, name, baseUrl, settings },
    request: (call) => client.request(requestOf(call)),
    json: <Reply extends z.ZodType>(call: Call, reply: Reply) => client.json(requestOf(call), reply),
    stream: (call) => client.stream(requestOf(call)),
  };
}

/** Returns the address of a path below the base; none that leaves it. */
export function addressBelow(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/+$/, "");
  const url = new URL(base);
  if (path !== "") url.pathname = `${root}/${path.replace(/^\/+/, "")}`;
  if (url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${root}/`))
    throw new Error("A path of a connection leaves its address.");
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
