import type { AuthOptions } from "next-auth";
import type { OAuthConfig } from "next-auth/providers/oauth";
import { db } from "@/db/pool";
import { endSession, passwordsEnabled, readSession, SESSION_SECONDS } from "@/server/services/identity";
import { type Claims, providerSettings } from "@/server/services/single-sign-on";
import { nextAuthLog } from "./next-auth-log";
import { completeProviderSignIn, OIDC, oidcProvider } from "./oidc";
import { cookiesAreSecure } from "./origin";
import { passwordProvider } from "./password-provider";
import { cookieSecret, sessionCookieName } from "./session-cookie";
import type { SignInAttempt } from "./sign-in-attempt";

/** An unreachable database signs nobody out. */
const isStillValid = (id: unknown) =>
  typeof id === "string" &&
  readSession(db(), id).then(
    (session) => session !== null,
    () => true,
  );

/**
 * Returns next-auth's options for e-mail and password, for an OpenID Connect provider, or for both. The token carries the
 * id of a row in `sessions`, and that row decides on each request whether the person is signed in. The options are built
 * per request, because most of next-auth's callbacks do not receive it.
 */
export function nextAuthOptions(attempt: SignInAttempt): AuthOptions {
  const { visitor } = attempt;
  const provider = providerSettings();
  const secure = cookiesAreSecure();
  return {
    secret: cookieSecret(),
    useSecureCookies: secure,
    session: { strategy: "jwt", maxAge: SESSION_SECONDS },
    cookies: {
      sessionToken: { name: sessionCookieName(), options: { httpOnly: true, sameSite: "lax", path: "/", secure } },
    },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    providers: [
      ...(passwordsEnabled() ? [passwordProvider(attempt)] : []),
      ...(provider ? [oidcProvider(provider) as OAuthConfig<unknown>] : []),
    ],
    callbacks: {
      signIn: ({ user, account, profile }) =>
        account?.provider === OIDC ? completeProviderSignIn(user, profile as Claims, attempt) : true,
      async jwt({ token, user }) {
        if (user) return { sub: user.id, sid: (user as { sessionId?: string }).sessionId };
        // next-auth clears the cookie when this throws.
        if (!(await isStillValid(token.sid))) throw new Error("The session was ended.");
        return token;
      },
      async session({ session, token }) {
        const found = typeof token.sid === "string" ? await readSession(db(), token.sid) : null;
        return { expires: session.expires, ...(found ? { user: found.user } : {}) };
      },
    },
    events: {
      async signOut({ token }) {
        if (typeof token?.sid === "string") await endSession(db(), token.sid, visitor.request);
      },
    },
    logger: nextAuthLog,
  };
}
