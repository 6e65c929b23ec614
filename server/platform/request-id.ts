import { randomUUID } from "node:crypto";

/** What a proxy or a client may give us as a request id without our logs suffering from it. */
const SANE = /^[\w.:@-]{1,128}$/;

/** The id by which a request is found again in logs: the sender's own, when it is fit to be written there. */
export function requestIdOf(headers: Headers) {
  const given = headers.get("x-request-id");
  return given && SANE.test(given) ? given : randomUUID();
}
