import { randomUUID } from "node:crypto";

/** Request ids of clients and proxies that are safe to log. */
const SANE = /^[\w.:@-]{1,128}$/;

/** Returns the id for the logs: the sender's own if it is safe, else a new one. */
export function requestIdOf(headers: Headers) {
  const given = headers.get("x-request-id");
  return given && SANE.test(given) ? given : randomUUID();
}
