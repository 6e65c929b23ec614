import type { Db } from "@/db/client";
import { ctxForApiKey } from "@/server/auth/api-key";
import { isSameOrigin } from "@/server/auth/origin";
import { sessionOf } from "@/server/auth/session";
import { ctxForSession } from "@/server/auth/session-context";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";

/** The project that the key belongs to. Cookies are not looked at. */
export async function ctxOfKey(db: Db, request: Request): Promise<Ctx> {
  const ctx = await ctxForApiKey(db, request.headers);
  if (!ctx) throw new ServiceError("unauthenticated", "Send an API key as `Authorization: Bearer <key>`.");
  return ctx;
}

/**
 * Who asks about this project: a key of it, or a member by the session cookie. For anybody else the project does not
 * exist. A cookie rides along from any page, so a change by cookie has to come from a page of ours.
 */
export async function ctxOfProject(
  db: Db,
  request: Request,
  projectId: string,
  effect: "read" | "write",
): Promise<Ctx> {
  const byKey = await ctxForApiKey(db, request.headers);
  if (byKey) {
    if (byKey.projectId !== projectId) throw notFound("The project");
    return byKey;
  }
  const session = await sessionOf(db, request);
  if (!session) {
    throw new ServiceError("unauthenticated", "Send an API key as `Authorization: Bearer <key>`, or sign in.");
  }
  const ctx = await ctxForSession(db, session, projectId);
  if (effect === "write" && !isSameOrigin(request.headers)) {
    throw new ServiceError(
      "forbidden",
      "A session cookie changes things from the workbench's own pages only. Send an API key.",
    );
  }
  return ctx;
}
