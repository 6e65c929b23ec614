import { STATUS_CODES } from "node:http";

/** Adds the headers that every response has: no caching by default, no sniffing, and the request id for the log. */
export function finalize(response: Response, request: Request, requestId: string, extra: Record<string, string> = {}) {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(extra)) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-request-id", requestId);
  const { status } = response;
  const isHead = request.method === "HEAD";
  // Nobody will read the body: its producer may stop.
  if (isHead) void response.body?.cancel();
  return new Response(isHead ? null : response.body, {
    status,
    statusText: STATUS_CODES[status] ?? "",
    headers,
  });
}
