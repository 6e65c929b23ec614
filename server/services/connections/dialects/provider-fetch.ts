import { ReadableStream } from "node:stream/web";
import type { Call, ConnectionClient } from "../kinds/kind";
import type { Fetch } from "./dialect";

/** Headers of the provider's library that are the service's own. The credential is the connection's. */
const PASSED = /^(?:accept|content-type|anthropic-[\w-]+)$/;
/** Of the caller's headers. */
const PURPOSE = "x-whetstone-purpose";

type Amend = ((body: Record<string, unknown>) => void) | null;

/** Returns `fetch` for a provider's library: what it sends goes through the connection, within the limits of the call. */
export function providerFetch(client: ConnectionClient, call: Call, amend: Amend): Fetch {
  const { timeoutMs, maxBytes, headers: given = {} } = call;
  const root = new URL(client.baseUrl).pathname.replace(/\/+$/, "");
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const text = String(init.body ?? "");
    const headers = Object.fromEntries([...new Headers(init.headers)].filter(([name]) => PASSED.test(name)));
    const purpose = given[PURPOSE];
    const {
      status,
      headers: received,
      body,
    } = await client.stream({
      method: "POST",
      path: url.pathname.slice(root.length),
      query: Object.fromEntries(url.searchParams),
      bytes: Buffer.from(amend === null ? text : amended(text, amend)),
      headers: { ...headers, ...(purpose !== undefined && { [PURPOSE]: purpose }) },
      accepts: () => true,
      ...(init.signal && { signal: init.signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxBytes !== undefined && { maxBytes }),
    });
    // Already decompressed.
    const { "content-encoding": _, "content-length": __, ...replied } = received;
    return new Response(ReadableStream.from(body) as BodyInit, { status, headers: replied });
  };
}

function amended(text: string, amend: NonNullable<Amend>): string {
  // Parsing a long request blocks all streams, and only thoughts are amended.
  if (!text.includes('"thinking"')) return text;
  const body = JSON.parse(text) as Record<string, unknown>;
  amend(body);
  return JSON.stringify(body);
}
