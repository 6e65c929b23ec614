import type { OAuthConfig } from "next-auth/providers/oauth";
import { db } from "@/db/pool";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import {
  type Claims,
  type ProviderSettings,
  SignInRefused,
  signInByProvider,
  verifiedClaims,
} from "@/server/services/single-sign-on";
import { asUser, type SignInAttempt } from "./sign-in-attempt";

/** Its place in next-auth's addresses: `/api/auth/callback/oidc` is what the provider sends people back to. */
export const OIDC = "oidc";

/** A provider that says nothing for so long is as good as down. */
const PATIENCE_MS = 10_000;

/** next-auth's words for the configured provider: discovery, the code flow with PKCE, state and nonce, a checked ID token. */
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
  httpOptions: { timeout: PATIENCE_MS },
  userinfo: {
    request: ({ client, tokens }) =>
      verifiedClaims(
        // Only an ID token that was verified gets here.
        (tokens as unknown as { claims(): Claims }).claims(),
        async () => (client.issuer.metadata.userinfo_endpoint ? client.userinfo(tokens as never) : {}),
      ) as Promise<never>,
  },
  // Who this is here, the sign-in callback finds out; until then next-auth wants an id.
  profile: ({ sub }) => ({ id: String(sub) }),
});

/** Back to the sign-in page, which has a sentence for each of these words, and from there to where they were going. */
const backToSignIn = (error: string, { next }: SignInAttempt) => `/sign-in?${new URLSearchParams({ error, next })}`;

/** What next-auth is told of somebody whom the provider has sent: that they are in, or where to send them. */
export async function completeProviderSignIn(
  user: object,
  claims: Claims,
  attempt: SignInAttempt,
): Promise<true | string> {
  try {
    const signedIn = await signInByProvider(db(), { claims, ...attempt });
    // The token is made of this user next.
    Object.assign(user, asUser(signedIn));
    return true;
  } catch (error) {
    if (error instanceof SignInRefused) return backToSignIn(error.refusal, attempt);
    logger("auth").error({ err: loggable(error) }, "A sign-in through the provider failed.");
    return backToSignIn("Unavailable", attempt);
  }
}
