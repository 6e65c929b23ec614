import type { AuthOptions } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import type { OAuthConfig } from "next-auth/providers/oauth";
import { db } from "@/db/pool";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import {
  endSession,
  passwordsAreOn,
  readSession,
  SESSION_SECONDS,
  type SignedIn,
  signInWithPassword,
  type Visitor,
} from "@/server/services/identity";
import { type Claims, providerSettings, SignInRefused, signInByProvider } from "@/server/services/single-sign-on";
import { OIDC, oidcProvider } from "./oidc";
import { cookiesAreSecure } from "./origin";
import { cookieSecret, sessionCookieName } from "./session-cookie";

/** What `signIn()` gives as `error` when the limit on attempts stops it; a wrong password is `CredentialsSignin`. */
export const RATE_LIMITED = "RateLimited";

/** What next-auth says when a cookie has run out or was ended: an everyday event, not an error. */
const EVERYDAY = new Set(["JWT_SESSION_ERROR", "SIGNOUT_ERROR"]);

/** Whoever is signed in, as next-auth's callbacks hand it on. */
const asUser = ({ userId, sessionId }: SignedIn) => ({ id: userId, sessionId });

async function byPassword(given: Record<"email" | "password", string> | undefined, visitor: Visitor) {
  if (typeof given?.email !== "string" || typeof given.password !== "string") return null;
  const signedIn = await signInWithPassword(db(), { email: given.email, password: given.password, visitor });
  return signedIn && asUser(signedIn);
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
const WHY_MAX = 300;

/** What went wrong with a provider, for the operator. Only an error of this process is one: a browser's post is text. */
const whyOf = (metadata: unknown) =>
  metadata !== null && typeof metadata === "object" && "error" in metadata && metadata.error instanceof Error
    ? metadata.error.message.slice(0, WHY_MAX)
    : undefined;

/** Never all of the metadata: it may carry the request with its password. */
function note(level: "error" | "debug", code: string, metadata?: unknown) {
  if (!CODE.test(code)) return;
  logger("auth")[EVERYDAY.has(code) ? "debug" : level]({ code, why: whyOf(metadata) }, "next-auth");
}

/** A request of somebody who signs in, as far as next-auth's callbacks are not told. */
export type Coming = {
  visitor: Visitor;
  /** Where they go afterwards. */
  next: string;
  /** The token of the invitation with which they come. */
  invitation: string | null;
};

/** Back to the sign-in page, which has a sentence for each of these words, and from there to where they were going. */
const backToSignIn = (error: string, { next }: Coming) => `/sign-in?${new URLSearchParams({ error, next })}`;

/** What next-auth is told of somebody whom the provider has sent: that they are in, or where to send them. */
async function byProvider(user: object, claims: Claims, coming: Coming): Promise<true | string> {
  try {
    const signedIn = await signInByProvider(db(), { claims, ...coming });
    // The token is made of this user next.
    Object.assign(user, asUser(signedIn));
    return true;
  } catch (error) {
    if (error instanceof SignInRefused) return backToSignIn(error.refusal, coming);
    logger("auth").error({ err: loggable(error) }, "A sign-in through the provider failed.");
    return backToSignIn("Unavailable", coming);
  }
}

const passwordProvider = (visitor: Visitor) =>
  CredentialsProvider({
    name: "E-mail and password",
    credentials: { email: { label: "E-mail", type: "email" }, password: { label: "Password", type: "password" } },
    async authorize(given) {
      try {
        return await byPassword(given, visitor);
      } catch (error) {
        if (error instanceof ServiceError && error.code === "rate_limited") throw new Error(RATE_LIMITED);
        logger("auth").error({ err: loggable(error) }, "A sign-in failed.");
        throw new Error("Unavailable");
      }
    },
  });

/**
 * next-auth with e-mail and password, with an OpenID Connect provider, or with both. Its token carries the id of a row in `sessions` and nothing else that counts: the
 * row decides, at each request, whether somebody is signed in. The options are made for one visitor's request: most of
 * next-auth's callbacks are not told whose it is.
 */
export function nextAuthOptions(coming: Coming): AuthOptions {
  const { visitor } = coming;
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
      ...(passwordsAreOn() ? [passwordProvider(visitor)] : []),
      ...(provider ? [oidcProvider(provider) as OAuthConfig<unknown>] : []),
    ],
    callbacks: {
      signIn: ({ user, account, profile }) =>
        account?.provider === OIDC ? byProvider(user, profile as Claims, coming) : true,
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
        if (typeof token?.sid === "string") await endSession(db(), token.sid, visitor.request);
      },
    },
    logger: {
      error: (code, metadata) => note("error", code, metadata),
      warn: (code) => note("debug", code),
      debug: () => {},
    },
  };
}
