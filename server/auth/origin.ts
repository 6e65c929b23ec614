import { env } from "@/env";

/** The public URL of the workbench, where the operator declared one. */
const declared = () => (env().PUBLIC_URL === undefined ? undefined : new URL(env().PUBLIC_URL as string));

/** Whether cookies are `Secure`: only when the public URL is https, since `Secure` cookies would break a plain-http installation. */
export const cookiesAreSecure = () => declared()?.protocol === "https:";

/** Returns the origin that the sender of this request sees: PUBLIC_URL's, otherwise that of the `Host` header. */
export function originOf(headers: Headers): string {
  const { HOST, PORT } = env();
  const visited = `http://${headers.get("host")}`;
  return declared()?.origin ?? (URL.canParse(visited) ? new URL(visited).origin : `http://${HOST}:${PORT}`);
}

/**
 * Returns whether a page of this installation sent the request; required before a cookie may change anything (CSRF).
 * `Sec-Fetch-Site` is set by the browser and by no script; an older browser's `Origin` has to match this host. A request
 * with neither header did not come from one of our pages.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  return origin === declared()?.origin || new URL(origin).host === headers.get("host");
}

/** Returns whether a page of another site sent the request. Programs send no `Origin`. */
export const isForeignOrigin = (headers: Headers): boolean => headers.get("origin") !== null && !isSameOrigin(headers);

/** Addresses, and names without a dot, which nobody can register: no other site's page can be reached by them. */
const UNREGISTRABLE = /^(?:\[[\da-f:.]+\]|[\d.]+|[^.]+|.+\.localhost)$/i;

/** Returns whether the `Host` header names this installation, and no name that its owner may point anywhere (DNS rebinding). */
export function isAllowedHost(headers: Headers): boolean {
  const visited = `http://${headers.get("host")}`;
  if (!URL.canParse(visited)) return false;
  const { hostname } = new URL(visited);
  return hostname === declared()?.hostname || UNREGISTRABLE.test(hostname);
}
