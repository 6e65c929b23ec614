import { decode, encode } from "next-auth/jwt";
import { cookiesAreSecure } from "./origin";
import { type Cookies, cookieSecret } from "./session-cookie";

/** As long as next-auth gives somebody at the provider. */
const SECONDS = 15 * 60;
const PATH = "/api/auth/callback";
/** A token of this kind is no session, whatever cookie it stands in. */
const SALT = "invitation";
const TOKEN_MAX = 200;

const name = () => (cookiesAreSecure() ? "__Secure-whetstone-invitation" : "whetstone-invitation");
const line = (value: string, seconds: number) =>
  `${name()}=${value}; Path=${PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${cookiesAreSecure() ? "; Secure" : ""}`;

/**
 * The cookie in which an invitation's token waits while its holder is at the provider: encrypted, because it lets
 * somebody in, and no part of any address.
 */
export const invitationCookie = async (token: string) =>
  line(await encode({ token: { invitation: token }, secret: cookieSecret(), salt: SALT, maxAge: SECONDS }), SECONDS);

/** Ends it. */
export const noInvitationCookie = () => line("", 0);

/** The token that came back with the visitor, or `null`. */
export async function invitationIn(cookies: Cookies): Promise<string | null> {
  const value = new Map(cookies).get(name());
  if (!value) return null;
  const claims = await decode({ token: value, secret: cookieSecret(), salt: SALT }).catch(() => null);
  return isToken(claims?.invitation) ? claims.invitation : null;
}

export const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= TOKEN_MAX;
