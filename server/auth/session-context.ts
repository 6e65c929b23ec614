import type { Db } from "@/db/client";
import type { AccountCtx, Ctx, ProjectId } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import type { Session } from "@/server/services/identity";
import { roleIn } from "@/server/services/projects";

/** Refuses a visitor who has not signed in. */
export function requireSession(session: Session | null): Session {
  if (!session) throw new ServiceError("unauthenticated", "Sign in first.");
  return session;
}

/** The signed-in person outside any project. */
export const accountCtx = (db: Db, session: Session | null): AccountCtx => ({
  db,
  userId: requireSession(session).user.id,
});

/** The signed-in person in one project. A project that they do not belong to does not exist for them. */
export async function ctxForSession(db: Db, session: Session | null, projectId: string): Promise<Ctx> {
  const { user } = requireSession(session);
  const role = await roleIn(db, { projectId, userId: user.id });
  if (!role) throw notFound("The project");
  return { db, projectId: projectId as ProjectId, actor: { kind: "user", userId: user.id, role } };
}
