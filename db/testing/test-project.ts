import { db } from "@/db/pool";
import { memberships, projects, users } from "@/db/schema";
import type { Capability, Role } from "@/server/platform/capabilities";
import type { Ctx, ProjectId } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

/** Creates a project that no other test can see; returns a context acting in it as its owner (or as `role`). */
export async function testProject(role: Role = "owner") {
  const projectId = newId("prj") as ProjectId;
  const userId = newId("usr");
  await db().insert(projects).values({ id: projectId, name: "Test project" });
  await db()
    .insert(users)
    .values({ id: userId, email: `${userId}@example.test`, passwordHash: "none", mayCreateProjects: true });
  await db().insert(memberships).values({ projectId, userId, role });

  const ctx: Ctx = { db: db(), projectId, actor: { kind: "user", userId, role } };
  const asKey = (...capabilities: Capability[]): Ctx => ({
    ...ctx,
    actor: { kind: "apiKey", keyId: newId("key"), capabilities },
  });
  return { ctx, userId, asKey };
}
