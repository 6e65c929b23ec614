import type { Db } from "@/db/client";
import type { AccountCtx, Ctx, ProjectId, RequestInfo } from "@/server/platform/context";
import { projectPool } from "@/server/platform/database/project-pool";
import { notFound, ServiceError } from "@/server/platform/errors";
import type { Session } from "@/server/services/identity";
import { enterProject } from "@/server/services/projects";

/** Returns the session; throws `unauthenticated` when there is none. */
export function requireSession(session: Session | null): Session {
  if (!session) throw new ServiceError("unauthenticated", "Sign in first.");
  return session;
}

/** Returns the context of the signed-in person outside any project. */
export function accountCtx(db: Db, session: Session | null, request?: RequestInfo): AccountCtx {
  const { id, user } = requireSession(session);
  return { db, userId: user.id, sessionId: id, request };
}

/** Returns the context of the signed-in person in one project, and records their visit. Throws `not_found` for projects they do not belong to. */
export async function ctxForSession(
  db: Db,
  session: Session | null,
  projectId: string,
  request?: RequestInfo,
): Promise<Ctx> {
  const { id: sessionId, user } = requireSession(session);
  const role = await enterProject(db, { projectId, userId: user.id });
  if (!role) throw notFound("The project");
  const ours = projectPool(db, projectId);
  return {
    db: ours,
    projectId: projectId as ProjectId,
    actor: { kind: "user", userId: user.id, role, sessionId },
    request,
  };
}
