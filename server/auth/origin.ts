import { env } from "@/env";

/** Where people reach the workbench, when it is not simply the address that the server listens on. */
const declared = () => (env().PUBLIC_URL === undefined ? undefined : new URL(env().PUBLIC_URL as string));

/** Cookies are `Secure` exactly when people come over https: a plain-http installation could not sign in otherwise. */
export const cookiesAreSecure = () => declared()?.protocol === "https:";

/** The origin that this request's sender sees: what was declared, else what its `Host` header says. */
export function originOf(headers: Headers): string {
  const { HOST, PORT } = env();
  const visited = `http://${headers.get("host")}`;
  return declared()?.origin ?? (URL.canParse(visited) ? new URL(visited).origin : `http://${HOST}:${PORT}`);
}

/**
 * Whether a page of this installation sent the request: what a cookie's holder must show before anything changes.
 * `Sec-Fetch-Site` is the browser's own word, which no script can set; an older browser's `Origin` has to name this
 * host. A request with neither did not come from a page of ours.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  return origin === declared()?.origin || new URL(origin).host === headers.get("host");
}
