import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
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

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decoded = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;

/** How an attacker changes an ID token. `key`: `"own"`, another key than the provider's; `null`: without a signature. */
export type Forgery = { claims?: Record<string, unknown>; key?: "own" | null };

function forged(idToken: string, { claims = {}, key }: Forgery, providers: KeyObject): string {
  const [header, payload] = idToken.split(".");
  const alg = key === null ? { ...decoded(header), alg: "none" } : decoded(header);
  const content = `${encoded(alg)}.${encoded({ ...decoded(payload), ...claims })}`;
  if (key === null) return `${content}.`;
  const signer = key === "own" ? generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey : providers;
  return `${content}.${sign("sha256", Buffer.from(content), signer).toString("base64url")}`;
}

/** For tests: starts a real OpenID Connect provider on loopback, with its own sign-in page. It requires PKCE. */
export async function startProvider({ redirectUri, claimsIn = "idToken", port = 0 }: Options) {
  const people = new Map<string, Claims>();
  let provider: Provider;
  let forgery: Forgery | undefined;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

  /** Changes the ID token in the next response of the token endpoint. */
  function forgeNext(response: ServerResponse) {
    const by = forgery;
    forgery = undefined;
    if (!by) return;
    const end = response.end.bind(response) as (body: string) => ServerResponse;
    response.end = ((body: string) => {
      const reply = JSON.parse(body) as { id_token: string };
      const changed = JSON.stringify({ ...reply, id_token: forged(reply.id_token, by, privateKey) });
      response.setHeader("content-length", Buffer.byteLength(changed));
      return end(changed);
    }) as ServerResponse["end"];
  }

  const server = createServer((request, response) => {
    if (request.url === "/token") forgeNext(response);
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
    /** Changes the next ID token. */
    forge: (by: Forgery) => {
      forgery = by;
    },
    /** Sets the claims of a login. */
    person: (login: string, claims: Claims) => void people.set(login, claims),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
