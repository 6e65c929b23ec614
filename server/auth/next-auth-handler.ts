import type { NextApiRequest, NextApiResponse } from "next";
import NextAuth from "next-auth";
import type { ErrorCode } from "@/server/platform/errors";
import { readBody } from "@/server/platform/http/read-body";
import { requestIdOf } from "@/server/platform/http/request-id";
import { knownError } from "@/server/platform/logging/known-error";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import type { Visitor } from "@/server/services/identity";
import { addressOf } from "./address";
import { invitationCookie, invitationIn, isToken, noInvitationCookie } from "./invitation-cookie";
import { nextAuthOptions } from "./next-auth-options";
import { OIDC } from "./oidc";
import { cookiesAreSecure, originOf } from "./origin";
import { parseCookies } from "./session-cookie";
import type { SignInAttempt } from "./sign-in-attempt";

const PREFIX = "/api/auth/";
/** Enough for a form with an address, a password and a token. */
const BODY_MAX = 16 * 1024;
/** Matches next-auth's own error words and those of the OpenID Connect specification. */
const ERROR_WORD = /^\w{1,60}$/;

/**
 * next-auth 4 reads its own address from the environment only. We make it use the forwarded headers instead, which we
 * write ourselves from PUBLIC_URL or `Host`, so that it works behind a proxy, and at localhost as well as at 127.0.0.1.
 * Apart from `env.ts`, nothing else touches the environment, and this only writes.
 */
function trustForwardedHeaders() {
  // biome-ignore lint/style/noProcessEnv: next-auth reads no option for this.
  const environment = process.env;
  Reflect.deleteProperty(environment, "NEXTAUTH_URL");
  environment.AUTH_TRUST_HOST = "true";
}

async function bodyOf(request: Request): Promise<Record<string, string>> {
  if (request.method !== "POST") return {};
  const text = new TextDecoder().decode(await readBody(request, BODY_MAX));
  if (!request.headers.get("content-type")?.includes("json")) return Object.fromEntries(new URLSearchParams(text));
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as Record<string, string>) : {};
  } catch {
    return {};
  }
}

/** Creates the subset of Node's `ServerResponse` that next-auth uses, and converts the result to a `Response`. */
function responseRecorder() {
  const headers = new Headers();
  let status = 200;
  let body: string | null = null;
  const response = {
    status(code: number) {
      status = code;
      return response;
    },
    getHeader: (name: string) =>
      name.toLowerCase() === "set-cookie" ? headers.getSetCookie() : (headers.get(name) ?? undefined),
    setHeader(name: string, value: string | readonly string[]) {
      headers.delete(name);
      for (const one of [value].flat()) headers.append(name, one);
      return response;
    },
    json(value: unknown) {
      headers.set("content-type", "application/json");
      body = JSON.stringify(value);
    },
    send(value: unknown) {
      if (typeof value === "string") body = value;
      else if (value !== undefined) response.json(value);
    },
    end() {},
  };
  return { response, written: () => new Response(body, { status, headers }) };
}

/**
 * Runs next-auth on a plain `Request`. Its route-handler form reads Next's ambient headers and cookies; the older form
 * takes everything as arguments, so tests can run the whole sign-in without a server.
 */
export async function handleAuth(request: Request): Promise<Response> {
  try {
    return await respond(request);
  } catch (error) {
    const known = knownError(error);
    if (!known) logger("auth").error({ err: loggable(error) }, "next-auth failed.");
    const status = known?.code === "too_large" ? 413 : known?.code === "unavailable" ? 503 : 500;
    return Response.json({ message: known?.message ?? "Something went wrong on our side." }, { status });
  }
}

const visitorOf = ({ headers }: Request): Visitor => ({
  userAgent: headers.get("user-agent") ?? undefined,
  request: {
    requestId: requestIdOf(headers),
    address: addressOf(headers),
    door: "page",
  },
});

/** Returns the path to continue at after the sign-in, from next-auth's callback cookie. */
function nextOf(cookies: Map<string, string>): string {
  const kept = cookies.get(`${cookiesAreSecure() ? "__Secure-" : ""}next-auth.callback-url`);
  if (!kept || !URL.canParse(kept)) return "/";
  const { pathname, search } = new URL(kept);
  return pathname + search;
}

/** HTTP statuses of refusals; any other error means that the database is unavailable. */
const STATUS_OF: Partial<Record<ErrorCode, number>> = { rate_limited: 429, forbidden: 403 };

/** Adds status and `Retry-After` for programs that sign in; a redirect, which a form asked for, stays one. */
function withRefusal(finished: Response, { refused }: SignInAttempt): Response {
  if (!refused || finished.status < 400) return finished;
  const { body, headers } = finished;
  if (refused.retryAfter !== undefined) headers.set("retry-after", String(refused.retryAfter));
  return new Response(body, { status: STATUS_OF[refused.code] ?? 503, headers });
}

async function respond(request: Request): Promise<Response> {
  trustForwardedHeaders();
  const url = new URL(request.url);
  const origin = new URL(originOf(request.headers));
  const query = Object.fromEntries(url.searchParams);
  // next-auth copies this word into a URL unescaped.
  if (query.error !== undefined && !ERROR_WORD.test(query.error)) query.error = "Unknown";
  const cookies = new Map(parseCookies(request.headers.get("cookie")));
  const action = url.pathname.slice(PREFIX.length);
  const headers: Record<string, string> = {
    ...Object.fromEntries(request.headers),
    "x-forwarded-host": origin.host,
    "x-forwarded-proto": origin.protocol.slice(0, -1),
  };
  const incoming = {
    method: request.method,
    headers,
    query: { ...query, nextauth: action.split("/") },
    cookies: Object.fromEntries(cookies),
    body: await bodyOf(request),
  };
  const attempt: SignInAttempt = {
    visitor: visitorOf(request),
    next: nextOf(cookies),
    invitation: await invitationIn(cookies),
  };
  const { response, written } = responseRecorder();
  await NextAuth(
    incoming as unknown as NextApiRequest,
    response as unknown as NextApiResponse,
    nextAuthOptions(attempt),
  );
  const finished = withRefusal(written(), attempt);
  const { invitation } = incoming.body;
  if (action === `signin/${OIDC}` && isToken(invitation)) {
    finished.headers.append("set-cookie", await invitationCookie(invitation));
  }
  if (action === `callback/${OIDC}`) finished.headers.append("set-cookie", noInvitationCookie());
  if (!finished.headers.has("cache-control")) finished.headers.set("cache-control", "private, no-store");
  return finished;
}
