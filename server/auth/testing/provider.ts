import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

/** The claims that the provider issues for a login. */
export type Claims = { sub: string; email?: string; email_verified?: boolean; name?: string };

type Options = {
  /** The product's redirect URI. */
  redirectUri: string;
  /** Whether address and name are in the ID token, or (as in the specification) at the userinfo endpoint only. */
  claimsIn?: "idToken" | "userinfo";
  port?: number;
};

export const CLIENT = { id: "whetstone", secret: "a secret of the client" };

const FORM = `<!doctype html><title>Acme</title><h1>Acme</h1>
<form method="post"><label>Login <input name="login"></label>
<button>Sign in at Acme</button> <button name="cancel" value="1">Cancel</button></form>`;

async function bodyOf(request: IncomingMessage) {
  let body = "";
  for await (const part of request) body += part;
  return new URLSearchParams(body);
}

/** For tests: starts a real OpenID Connect provider on loopback, with its own sign-in page. It requires PKCE. */
export async function startProvider({ redirectUri, claimsIn = "idToken", port = 0 }: Options) {
  const people = new Map<string, Claims>();
  let provider: Provider;
  const server = createServer((request, response) => {
    const handled = request.url?.startsWith("/interaction/") ? interact(request, response) : undefined;
    if (!handled) return void provider.callback()(request, response);
    handled.catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  async function interact(request: IncomingMessage, response: ServerResponse) {
    if (request.method !== "POST") return void response.setHeader("content-type", "text/html").end(FORM);
    const form = await bodyOf(request);
    const accountId = form.get("login") ?? "";
    const known = people.has(accountId) && form.get("cancel") === null;
    await provider.interactionFinished(
      request,
      response,
      known ? { login: { accountId } } : { error: "access_denied", error_description: "Nobody signed in" },
    );
  }

  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const configuration: Configuration = {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" } as never] },
    cookies: { keys: ["a key of this test"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: claimsIn === "userinfo",
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: 600, AuthorizationCode: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_, accountId) => ({ accountId, claims: () => people.get(accountId) ?? { sub: accountId } }),
    // Signing in counts as consent.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId as string,
        accountId: oidc.session?.accountId as string,
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  };
  provider = new Provider(issuer, configuration);
  return {
    issuer,
    /** Sets the claims of a login. */
    person: (login: string, claims: Claims) => void people.set(login, claims),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
