import { decode } from "next-auth/jwt";
import { derivedSecret } from "@/server/platform/secrets";
import { cookiesAreSecure } from "./origin";

/** Returns the session cookie's name. `__Host-` binds a secure cookie to this host: no subdomain can read or set it. */
export const sessionCookieName = () => (cookiesAreSecure() ? "__Host-whetstone-session" : "whetstone-session");

/** Returns the secret with which next-auth signs and encrypts its tokens. */
export const cookieSecret = () => derivedSecret("next-auth");

export type Cookies = Iterable<readonly [name: string, value: string]>;

/** Returns a value with invalid percent-encoding unchanged. */
function decoded(value: string) {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Parses a `Cookie` header. */
export const parseCookies = (header: string | null): [string, string][] =>
  (header ?? "").split(";").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });

/** Returns the session id in the cookies, or `null`. A long token is split over numbered cookies (`name.0`, …). */
export async function sessionIdOf(cookies: Cookies): Promise<string | null> {
  const name = sessionCookieName();
  const parts = [...cookies]
    .filter(([key]) => key.startsWith(name) && /^(\.\d)?$/.test(key.slice(name.length)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const token = parts.map(([, value]) => value).join("");
  if (!token) return null;
  const claims = await decode({ token, secret: cookieSecret() }).catch(() => null);
  return typeof claims?.sid === "string" ? claims.sid : null;
}
