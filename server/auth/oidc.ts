import type { OAuthConfig } from "next-auth/providers/oauth";
import { db } from "@/db/pool";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import {
  type Claims,
  type ProviderSettings,
  SignInRefused,
  signInByProvider,
  verifiedClaims,
} from "@/server/services/single-sign-on";
import { asUser, type SignInAttempt } from "./sign-in-attempt";

/** The provider's id in next-auth's URLs: `/api/auth/callback/oidc` is the redirect URI. */
export const OIDC = "oidc";

/** A provider that takes longer is treated as down. */
const TIMEOUT_MS = 10_000;

/** Returns next-auth's configuration of the provider: discovery, code flow with PKCE, state and nonce, verified ID token. */
export const oidcProvider = ({ issuer, clientId, clientSecret, name }: ProviderSettings): OAuthConfig<Claims> => ({
  id: OIDC,
  name,
  type: "oauth",
  wellKnown: `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`,
  clientId,
  clientSecret,
  checks: ["pkce", "state", "nonce"],
  idToken: true,
  authorization: { params: { scope: "openid email profile" } },
  httpOptions: { timeout: TIMEOUT_MS },
  userinfo: {
    request: ({ client, tokens }) =>
      verifiedClaims(
        // The ID token has been verified by this point.
        (tokens as unknown as { claims(): Claims }).claims(),
        async () => (client.issuer.metadata.userinfo_endpoint ? client.userinfo(tokens as never) : {}),
      ) as Promise<never>,
  },
  // The sign-in callback resolves the account; next-auth needs some id until then.
  profile: ({ sub }) => ({ id: String(sub) }),
});

/** Returns the sign-in page's URL, with an error word that the page explains and the path to continue at. */
const backToSignIn = (error: string, { next }: SignInAttempt) => `/sign-in?${new URLSearchParams({ error, next })}`;

/** Completes a sign-in through the provider. Returns `true`, or the URL to redirect a refused person to. */
export async function completeProviderSignIn(
  user: object,
  claims: Claims,
  attempt: SignInAttempt,
): Promise<true | string> {
  try {
    const signedIn = await signInByProvider(db(), { claims, ...attempt });
    // next-auth builds the token from this object next.
    Object.assign(user, asUser(signedIn));
    return true;
  } catch (error) {
    if (error instanceof SignInRefused) return backToSignIn(error.refusal, attempt);
    logger("auth").error({ err: loggable(error) }, "A sign-in through the provider failed.");
    return backToSignIn("Unavailable", attempt);
  }
}
