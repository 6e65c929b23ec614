import { createVerify, generateKeyPairSync, randomBytes } from "node:crypto";
import type { RestReply, RestRequest, Route } from "./rest-service";

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const HTML = "https://github.com/organizations/acme/settings/installations";
const LONGEST_JWT_S = 600;

const message = (status: number, text: string): RestReply => ({
  status,
  body: { message: text, documentation_url: "https://docs.github.com/rest", status: String(status) },
});

/** For tests: a GitHub App with an installation that has selected one repository. */
export type SimulatedApp = {
  appId: string;
  installationId: string;
  privateKey: string;
  permissions: Record<string, string>;
  repositories: string[];
  suspended: boolean;
  /** How long new tokens are valid. */
  tokenMs: number;
  /** Revokes all tokens, as uninstalling does. */
  revokeTokens(): void;
};

/** Adds a GitHub App to the simulated API: its routes, and the check of its credentials. */
export function githubApp() {
  const issued = new Map<string, { expiresAt: number; permissions: Record<string, string> }>();
  const app: SimulatedApp = {
    appId: "4242",
    installationId: "77",
    privateKey,
    permissions: { issues: "write", metadata: "read" },
    repositories: ["acme/shop", "acme/no-issues", "acme/archived"],
    suspended: false,
    tokenMs: 3600_000,
    revokeTokens: () => issued.clear(),
  };
  const installation = () => ({
    id: Number(app.installationId),
    app_id: Number(app.appId),
    html_url: `${HTML}/${app.installationId}`,
    repository_selection: "selected",
    permissions: app.permissions,
    suspended_at: app.suspended ? "2026-01-01T00:00:00Z" : null,
  });
  const ifOurs = (id: string | undefined, reply: () => RestReply) =>
    id === app.installationId ? reply() : message(404, "Not Found");

  function createToken(): RestReply {
    if (app.suspended) return message(403, "This installation has been suspended");
    const token = `ghs_${randomBytes(18).toString("hex")}`;
    const expiresAt = Date.now() + app.tokenMs;
    issued.set(token, { expiresAt, permissions: { ...app.permissions } });
    const body = { token, expires_at: new Date(expiresAt).toISOString(), permissions: app.permissions };
    return { status: 201, body };
  }

  /** Routes that require the App's JWT. */
  const routes: Route[] = [
    ["POST", /^\/app\/installations\/(\d+)\/access_tokens$/, ({ params: [id] }) => ifOurs(id, createToken)],
    ["GET", /^\/app\/installations\/(\d+)$/, ({ params: [id] }) => ifOurs(id, () => ({ body: installation() }))],
    [
      "GET",
      /^\/repos\/([^/]+\/[^/]+)\/installation$/,
      ({ params: [name = ""] }) =>
        app.repositories.includes(name) ? { body: installation() } : message(404, "Not Found"),
    ],
  ];
  const ofTheApp = (path: string) => routes.some(([, pattern]) => pattern.test(path));

  function jwtProblem(jwt: string): string | undefined {
    const [header = "", payload = "", signature = ""] = jwt.split(".");
    const isSigned = createVerify("RSA-SHA256")
      .update(`${header}.${payload}`)
      .verify(publicKey, Buffer.from(signature, "base64url"));
    if (!isSigned) return "A JSON web token could not be decoded";
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
      iat: number;
      exp: number;
      iss: string;
    };
    const now = Date.now() / 1000;
    if (claims.iss !== app.appId) return "Integration not found";
    if (claims.iat > now)
      return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
    if (claims.exp <= now)
      return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
    return claims.exp > now + LONGEST_JWT_S ? "'Expiration time' claim ('exp') is too far in the future" : undefined;
  }

  /**
   * Returns what is wrong with an App's request; `undefined` if nothing is, and `null` for a request with another credential.
   */
  function guard({ method, url, headers }: RestRequest): RestReply | undefined | null {
    const credential = headers.authorization?.replace(/^(Bearer|token) /i, "") ?? "";
    if (ofTheApp(url.pathname)) {
      const problem = jwtProblem(credential);
      return problem === undefined ? undefined : message(401, problem);
    }
    if (!credential.startsWith("ghs_")) return null;
    const token = issued.get(credential);
    if (token === undefined || token.expiresAt <= Date.now()) return message(401, "Bad credentials");
    const [, name = "acme/shop"] = /^\/repos\/([^/]+\/[^/]+)/.exec(url.pathname) ?? [];
    if (!app.repositories.includes(name.replace("old-shop", "shop"))) return message(404, "Not Found");
    const isIssues = /\/issues\b/.test(url.pathname);
    const wanted = method === "GET" ? ["read", "write"] : ["write"];
    if (isIssues && !wanted.includes(token.permissions.issues ?? "none"))
      return message(403, "Resource not accessible by integration");
    return undefined;
  }

  return { app, guard, routes };
}
