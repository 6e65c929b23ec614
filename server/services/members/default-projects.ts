import { and, asc, eq, inArray, ne, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { memberships, projects, sampleProjects } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { Role } from "@/server/platform/capabilities";
import type { RequestInfo } from "@/server/platform/context";

const isNoSample = sql`not exists (select 1 from ${sampleProjects} where ${sampleProjects.projectId} = ${projects.id})`;

type Joining = {
  userId: string;
  role: Role;
  /** Project ids, or `*` for every project. */
  projects: readonly string[] | "*";
  /** A project to leave out. */
  except: string | null;
};

/** Adds a new person to the default projects. Skips configured projects that do not exist. */
export async function joinDefaultProjects(db: Db, joining: Joining, request: RequestInfo): Promise<void> {
  const { userId, role, except } = joining;
  const existing = await db
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        // A person's sample is not for anyone else.
        joining.projects === "*" ? isNoSample : inArray(projects.id, [...joining.projects]),
        except === null ? undefined : ne(projects.id, except),
      ),
    )
    .orderBy(asc(projects.id))
    // A project's deletion locks this row first, so the query below sees whether it has removed the members.
    .for("key share");
  if (existing.length === 0) return;
  const ids = existing.map(({ id }) => id);
  // A project without an owner is being deleted.
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
