import { decode } from "next-auth/jwt";
import { derivedSecret } from "@/server/platform/secrets";
import { cookiesAreSecure } from "./origin";

/** `__Host-` binds a secure cookie to this very host: a subdomain can neither read nor set it. */
export const sessionCookieName = () => (cookiesAreSecure() ? "__Host-whetstone-session" : "whetstone-session");

/** What next-auth signs and encrypts its tokens with. */
export const cookieSecret = () => derivedSecret("next-auth");

export type Cookies = Iterable<readonly [name: string, value: string]>;

/** A value that is not percent-encoded as it should be is taken as it stands. */
function decoded(value: string) {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The cookies of a `Cookie` header. */
export const parseCookies = (header: string | null): [string, string][] =>
  (header ?? "").split(";").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });

/** The session id that the cookie carries, or `null`. A long token is spread over numbered cookies (`name.0`, …). */
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
