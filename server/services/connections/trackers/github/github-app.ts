import { createHash, createPrivateKey } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { OutboundError } from "@/server/platform/outbound";
import type { Exchanged } from "../../kinds/kind";
import { failedCall } from "../failed-call";
import { jsonOf } from "../parsed-delivery";
import { limitedUntil, rateLimitWords } from "../rate-limit";
import { quotedWords, TrackerError, trackerWords } from "../tracker-error";
import { LIMIT_HEADERS } from "./limit-headers";

export type GithubApp = { appId: string; installationId: string };

/** A token is valid for an hour; one that is about to expire might do so during a call. */
const MARGIN_MS = 5 * 60_000;
const TOKEN_CALL_MS = 10_000;

/** Paths, below the base URL, that GitHub serves to the App itself rather than to its installations. */
const OF_THE_APP = /^\/app(\/|$)|^\/(repos\/[^/]+|repositories)\/[^/]+\/installation$/;

/** Installation tokens cached by this process. They are not stored anywhere else. */
const tokens = new LRUCache<string, { token: string; renewAt: number }>({ max: 1000 });

const tokenReply = z.object({ token: z.string().min(1), expires_at: z.string() });
const errorReply = z.object({ message: z.string() });

/** Returns the App in a connection's settings; `null` if the secret is a token. */
export const appOf = ({ appId, installationId }: { appId?: string | null; installationId?: string | null }) =>
  appId && installationId ? { appId, installationId } : null;

/** Returns whether the text is a key that an App can sign with: RSA, as PKCS #1 or PKCS #8, without a passphrase. */
export function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text.replaceAll("\\n", "\n")).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

/** Returns a GitHub App's credential for a request: a token of its installation, or a JWT for endpoints of the App itself. */
export async function githubAppCredential(privateKey: string, app: GithubApp, input: Exchanged): Promise<string> {
  const root = new URL(input.baseUrl).pathname.replace(/\/+$/, "");
  if (OF_THE_APP.test(input.url.pathname.slice(root.length))) return jwtOf(privateKey, app);
  const digest = createHash("sha256").update(JSON.stringify([input.projectId, input.baseUrl, app, privateKey]));
  const key = digest.digest("hex");
  if (input.renew) tokens.delete(key);
  const cached = tokens.get(key);
  if (cached !== undefined && Date.now() < cached.renewAt) return cached.token;
  const { token, expires_at: end } = await createToken(app, input);
  tokens.set(key, { token, renewAt: Date.parse(end) - MARGIN_MS });
  return token;
}

async function jwtOf(privateKey: string, { appId }: GithubApp): Promise<string> {
  const { default: githubAppJwt } = await import("universal-github-app-jwt");
  const pem = createPrivateKey(privateKey.replaceAll("\\n", "\n")).export({ type: "pkcs8", format: "pem" });
  return (await githubAppJwt({ id: appId, privateKey: pem.toString() })).token;
}

async function createToken(app: GithubApp, { request }: Exchanged) {
  const { status, headers, body } = await request({
    path: `/app/installations/${app.installationId}/access_tokens`,
    method: "POST",
    repeatable: true,
    timeoutMs: TOKEN_CALL_MS,
    accepts: (code) => code < 500,
  }).catch((error: unknown) => {
    throw error instanceof OutboundError ? failedCall(error, false) : error;
  });
  const reply = jsonOf(body);
  const { data } = tokenReply.safeParse(reply);
  if (status === 201 && data !== undefined) return data;
  const words = trackerWords(errorReply.safeParse(reply).data?.message ?? "");
  const retryAt = limitedUntil({ status, headers, words }, LIMIT_HEADERS);
  if (retryAt !== undefined) throw new TrackerError("rate_limited", rateLimitWords("GitHub", retryAt), { retryAt });
  throw new TrackerError("credential", refusal(app, status, words));
}

function refusal({ appId, installationId }: GithubApp, status: number, words: string): string {
  const quoted = quotedWords(words);
  if (status === 401)
    return `GitHub does not accept the private key for the App ${appId}${quoted}. Enter the App's id and one of its current keys.`;
  if (status === 403)
    return `GitHub gives the App ${appId} no access through the installation ${installationId}${quoted}. If it is suspended, have its owner unsuspend it.`;
  if (status === 404)
    return `The App ${appId} has no installation ${installationId}${quoted}. Install it, and enter the number at the end of the installation's address.`;
  return `GitHub issued no token for the installation ${installationId} of the App ${appId} (${status})${quoted}. Check the connection's address and the App's settings.`;
}
