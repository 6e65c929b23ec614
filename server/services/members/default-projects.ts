import { and, asc, eq, inArray, ne } from "drizzle-orm";
import type { Db } from "@/db/client";
import { memberships, projects } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { Role } from "@/server/platform/capabilities";
import type { RequestInfo } from "@/server/platform/context";

type Joining = {
  userId: string;
  role: Role;
  /** Ids, or every project that there is. */
  projects: readonly string[] | "*";
  /** A project that they do not join this way. */
  except: string | null;
};

/** Makes somebody new a member where newcomers are. A configured project that is gone is left out. */
export async function joinDefaultProjects(db: Db, joining: Joining, request: RequestInfo): Promise<void> {
  const { userId, role, except } = joining;
  const there = await db
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        joining.projects === "*" ? undefined : inArray(projects.id, [...joining.projects]),
        except === null ? undefined : ne(projects.id, except),
      ),
    )
    .orderBy(asc(projects.id))
    // A deletion takes the row first: asked after this, the next question sees whether it has taken the members.
    .for("key share");
  if (there.length === 0) return;
  const ids = there.map(({ id }) => id);
  // A project without an owner is one whose data is just being deleted.
  const alive = await db
    .selectDistinct({ projectId: memberships.projectId })
    .from(memberships)
    .where(and(eq(memberships.role, "owner"), inArray(memberships.projectId, ids)));
  for (const { projectId } of alive) {
    await db.insert(memberships).values({ projectId, userId, role });
    await recordAudit(db, {
      action: "members.joinByDefault",
      projectId,
      actor: { kind: "user", id: userId },
      target: { type: "user", id: userId },
      before: null,
      after: { role },
      request,
    });
  }
}
