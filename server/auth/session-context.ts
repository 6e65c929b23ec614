import type { Db } from "@/db/client";
import type { AccountCtx, Ctx, ProjectId, RequestInfo } from "@/server/platform/context";
import { shareOf } from "@/server/platform/database/share-of";
import { notFound, ServiceError } from "@/server/platform/errors";
import type { Session } from "@/server/services/identity";
import { roleIn } from "@/server/services/projects";

/** Refuses a visitor who has not signed in. */
export function requireSession(session: Session | null): Session {
  if (!session) throw new ServiceError("unauthenticated", "Sign in first.");
  return session;
}

/** The signed-in person outside any project. */
export function accountCtx(db: Db, session: Session | null, request?: RequestInfo): AccountCtx {
  const { id, user } = requireSession(session);
  return { db, userId: user.id, sessionId: id, request };
}

/** The signed-in person in one project. A project that they do not belong to does not exist for them. */
export async function ctxForSession(
  db: Db,
  session: Session | null,
  projectId: string,
  request?: RequestInfo,
): Promise<Ctx> {
  const { id: sessionId, user } = requireSession(session);
  const role = await roleIn(db, { projectId, userId: user.id });
  if (!role) throw notFound("The project");
  const ours = shareOf(db, projectId);
  return {
    db: ours,
    projectId: projectId as ProjectId,
    actor: { kind: "user", userId: user.id, role, sessionId },
    request,
  };
}
