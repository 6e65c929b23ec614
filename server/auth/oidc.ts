import type { OAuthConfig } from "next-auth/providers/oauth";
import { type Claims, type ProviderSettings, verifiedClaims } from "@/server/services/single-sign-on";

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
