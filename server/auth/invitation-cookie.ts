import { decode, encode } from "next-auth/jwt";
import { cookiesAreSecure } from "./origin";
import { type Cookies, cookieSecret } from "./session-cookie";

/** The same limit that next-auth sets on a sign-in at the provider. */
const SECONDS = 15 * 60;
const PATH = "/api/auth/callback";
/** Keeps such a token from being accepted as a session, whatever cookie carries it. */
const SALT = "invitation";
const TOKEN_MAX = 200;

const name = () => (cookiesAreSecure() ? "__Secure-whetstone-invitation" : "whetstone-invitation");
const line = (value: string, seconds: number) =>
  `${name()}=${value}; Path=${PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${cookiesAreSecure() ? "; Secure" : ""}`;

/**
 * Returns the `Set-Cookie` line that holds an invitation's token while its holder is at the provider: encrypted, because
 * the token grants access, and never part of a URL.
 */
export const invitationCookie = async (token: string) =>
  line(await encode({ token: { invitation: token }, secret: cookieSecret(), salt: SALT, maxAge: SECONDS }), SECONDS);

/** Returns the `Set-Cookie` line that deletes the invitation cookie. */
export const noInvitationCookie = () => line("", 0);

/** Returns the invitation token in these cookies, or `null`. */
export async function invitationIn(cookies: Cookies): Promise<string | null> {
  const value = new Map(cookies).get(name());
  if (!value) return null;
  const claims = await decode({ token: value, secret: cookieSecret(), salt: SALT }).catch(() => null);
  return isToken(claims?.invitation) ? claims.invitation : null;
}

export const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= TOKEN_MAX;
