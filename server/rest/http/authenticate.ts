import type { Db } from "@/db/client";
import { addressOf } from "@/server/auth/address";
import { ctxForApiKey } from "@/server/auth/api-key";
import { isSameOrigin } from "@/server/auth/origin";
import { sessionOf } from "@/server/auth/session";
import { ctxForSession } from "@/server/auth/session-context";
import type { Ctx, RequestInfo } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";

/** Returns the request as the audit log records it. */
const requestInfo = (request: Request, requestId: string): RequestInfo => ({
  requestId,
  address: addressOf(request.headers),
  door: "rest",
});

/** Returns the context of the API key's project. Cookies are ignored. */
export async function ctxOfKey(db: Db, request: Request, requestId: string): Promise<Ctx> {
  const ctx = await ctxForApiKey(db, request.headers);
  if (!ctx) throw new ServiceError("unauthenticated", "Send an API key as `Authorization: Bearer <key>`.");
  return { ...ctx, request: requestInfo(request, requestId) };
}

/**
 * Authenticates a caller of this project: one of its keys, or a member by session cookie. For anyone else the project does
 * not exist. Browsers attach cookies to cross-site requests, so a write by cookie must be same-origin.
 */
export async function ctxOfProject(
  db: Db,
  request: Request,
  projectId: string,
  effect: "read" | "write",
  requestId: string,
): Promise<Ctx> {
  const info = requestInfo(request, requestId);
  const byKey = await ctxForApiKey(db, request.headers);
  if (byKey) {
    if (byKey.projectId !== projectId) throw notFound("The project");
    return { ...byKey, request: info };
  }
  const session = await sessionOf(db, request);
  if (!session) {
    throw new ServiceError("unauthenticated", "Send an API key as `Authorization: Bearer <key>`, or sign in.");
  }
  const ctx = await ctxForSession(db, session, projectId, info);
  if (effect === "write" && !isSameOrigin(request.headers)) {
    throw new ServiceError(
      "forbidden",
      "A session cookie is accepted for changes only from the workbench's own pages. Send an API key.",
    );
  }
  return ctx;
}
