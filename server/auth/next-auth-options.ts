import type { AuthOptions } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import { db } from "@/db/pool";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { endSession, readSession, SESSION_SECONDS, startSession, verifyPassword } from "@/server/services/identity";
import { addressOf } from "./address";
import { cookiesAreSecure } from "./origin";
import { cookieSecret, sessionCookieName } from "./session-cookie";

/** What `signIn()` gives as `error` when the limit on attempts stops it; a wrong password is `CredentialsSignin`. */
export const RATE_LIMITED = "RateLimited";

type Headers = Record<string, string | undefined>;

/** What next-auth says when a cookie has run out or was ended: an everyday event, not an error. */
const EVERYDAY = new Set(["JWT_SESSION_ERROR", "SIGNOUT_ERROR"]);

async function signIn(given: Record<"email" | "password", string> | undefined, headers: Headers) {
  if (typeof given?.email !== "string" || typeof given.password !== "string") return null;
  const { email, password } = given;
  const user = await verifyPassword(db(), { email, password, address: addressOf(headers["x-forwarded-for"]) });
  if (!user) return null;
  const sessionId = await startSession(db(), { userId: user.id, userAgent: headers["user-agent"] });
  return { id: user.id, sessionId };
}

/** A database that does not answer signs nobody out. */
const stillOpen = (id: unknown) =>
  typeof id === "string" &&
  readSession(db(), id).then(
    (session) => session !== null,
    () => true,
  );

/** The browser's half of next-auth may post codes of its own; only what looks like one is written down. */
const CODE = /^[A-Z_]{1,60}$/;
function note(level: "error" | "debug", code: string) {
  if (CODE.test(code)) logger("auth")[EVERYDAY.has(code) ? "debug" : level]({ code }, "next-auth");
}

/**
 * next-auth with e-mail and password. Its token carries the id of a row in `sessions` and nothing else that counts: the
 * row decides, at each request, whether somebody is signed in.
 */
export function nextAuthOptions(): AuthOptions {
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
      CredentialsProvider({
        name: "E-mail and password",
        credentials: { email: { label: "E-mail", type: "email" }, password: { label: "Password", type: "password" } },
        async authorize(given, request) {
          try {
            return await signIn(given, (request.headers ?? {}) as Headers);
          } catch (error) {
            if (error instanceof ServiceError && error.code === "rate_limited") throw new Error(RATE_LIMITED);
            logger("auth").error({ err: loggable(error) }, "A sign-in failed.");
            throw new Error("Unavailable");
          }
        },
      }),
    ],
    callbacks: {
      async jwt({ token, user }) {
        if (user) return { sub: user.id, sid: (user as { sessionId?: string }).sessionId };
        // Thrown, next-auth clears the cookie.
        if (!(await stillOpen(token.sid))) throw new Error("The session was ended.");
        return token;
      },
      async session({ session, token }) {
        const found = typeof token.sid === "string" ? await readSession(db(), token.sid) : null;
        return { expires: session.expires, ...(found ? { user: found.user } : {}) };
      },
    },
    events: {
      async signOut({ token }) {
        if (typeof token?.sid === "string") await endSession(db(), token.sid);
      },
    },
    logger: {
      // Never the metadata: it may carry the request with its password.
      error: (code) => note("error", code),
      warn: (code) => note("debug", code),
      debug: () => {},
    },
  };
}
