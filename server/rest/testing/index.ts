import { encode } from "next-auth/jwt";
import { expect } from "vitest";
import { db } from "@/db/pool";
import { cookieSecret, sessionCookieName } from "@/server/auth/session-cookie";
import type { Capability } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { issueApiKey } from "@/server/services/api-keys";
import { startSession } from "@/server/services/identity";

/** For tests: the host that requests are addressed to. */
export const HOST = "whetstone.test";

/** Creates a key of the context's project with exactly these capabilities and returns its secret. */
export async function keyFor(ctx: Ctx, ...capabilities: Capability[]) {
  const { secret } = await issueApiKey(ctx.db, {
    projectId: ctx.projectId,
    name: "test",
    capabilities,
    expiresAt: null,
    createdBy: null,
  });
  return secret;
}

/** Returns a context that acts as a new key with exactly these capabilities. */
export async function ctxForKey(ctx: Ctx, capabilities: readonly Capability[], expiresAt: number | null = null) {
  const { apiKey } = await issueApiKey(ctx.db, {
    projectId: ctx.projectId,
    name: "test",
    capabilities,
    expiresAt,
    createdBy: null,
  });
  return { ...ctx, actor: { kind: "apiKey" as const, keyId: apiKey.id, capabilities } };
}

/** Signs a person in and returns the session id and cookie. */
export async function cookieFor(userId: string) {
  const sessionId = await startSession(db(), { userId });
  const token = await encode({ token: { sub: userId, sid: sessionId }, secret: cookieSecret() });
  return { sessionId, cookie: `${sessionCookieName()}=${token}` };
}

type Sent = { key?: string; cookie?: string; body?: unknown; headers?: Record<string, string> };

/** Returns a client's request; a body that is not text, bytes or a stream is sent as JSON. */
export function requestTo(method: string, path: string, { key, cookie, body, headers = {} }: Sent = {}) {
  const raw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  return new Request(`http://${HOST}${path}`, {
    method,
    headers: {
      host: HOST,
      ...(body === undefined || "content-type" in headers ? {} : { "content-type": "application/json" }),
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(cookie ? { cookie } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
  } as RequestInit);
}

export const countOf = (replies: readonly Response[], status: number) =>
  replies.filter((reply) => reply.status === status).length;

/**
 * Expects as many 200s as the bucket held plus its refill since `begun` (Unix ms), and 429s otherwise. Each process may still
 * hold one token.
 */
export function expectSpent(replies: readonly Response[], quota: number, begun: number, processes: number) {
  const passed = countOf(replies, 200);
  const refilled = Math.ceil((quota * (Date.now() - begun)) / 60_000);
  expect(passed + countOf(replies, 429)).toBe(replies.length);
  expect(passed).toBeGreaterThanOrEqual(quota - processes);
  expect(passed).toBeLessThanOrEqual(quota + refilled);
}
