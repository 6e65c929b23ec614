import type { Db } from "@/db/client";
import { memberships, projects } from "@/db/schema";
import { DEFAULT_KEY_CAPABILITIES } from "@/server/platform/capabilities";
import type { AuditNote, ProjectId } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { issueApiKey } from "@/server/services/api-keys";
import { createProjectInput } from "./schemas";

const DEFAULT_KEY_NAME = "Default key";

/**
 * Creates a project with its owner and its default key, atomically. The key can read everything and send telemetry; its
 * secret is returned only here.
 */
export async function createProject(db: Db, given: { name: string; ownerUserId: string }) {
  const { name } = createProjectInput.parse({ name: given.name });
  return db.transaction(async (tx) => {
    const id = newId("prj") as ProjectId;
    const [project] = await tx.insert(projects).values({ id, name }).returning();
    if (!project) throw new Error("The insert of a project returned no row.");
    await tx.insert(memberships).values({ projectId: id, userId: given.ownerUserId, role: "owner" });
    const key = await issueApiKey(tx, {
      projectId: id,
      name: DEFAULT_KEY_NAME,
      capabilities: DEFAULT_KEY_CAPABILITIES,
      expiresAt: null,
      createdBy: given.ownerUserId,
    });
    return { project, ...key };
  });
}

/** Returns the first entry of the new project's audit log. */
export const createdProjectNote = ({
  project,
  apiKey,
}: Awaited<ReturnType<typeof createProject>>): AuditNote & { projectId: string } => ({
  projectId: project.id,
  target: { type: "project", id: project.id },
  after: { name: project.name, defaultKey: apiKey.id },
});
